/** `npm run package`: builds the npm package, and packs it into dist/release. */
import { join } from "node:path";
import { buildPackage, pack } from "./release/npm-package.ts";
import { project } from "./release/program.ts";

const folder = join(project, "dist", "package");
await buildPackage(folder);
process.stdout.write(`dist/release/${await pack(folder, join(project, "dist", "release"))}\n`);
