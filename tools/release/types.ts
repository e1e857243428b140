/** Writes the declarations of the package's exports, each in one file without imports of this project. */
import { join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { project } from "./program.ts";

/** Writes `client/index.d.ts` and `cdk/index.d.ts`. */
export async function writeTypes(folder: string): Promise<void> {
  await declarations("client/index.ts", join(folder, "client"));
  await declarations("lib/index.ts", join(folder, "cdk"));
}

async function declarations(entry: string, folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: project,
    input: { index: entry },
    external: [/^aws-cdk-lib/, "constructs", "openapi-fetch"],
    plugins: [dts({ emitDtsOnly: true, compilerOptions: { declaration: true, stripInternal: true } })],
    logLevel: "silent",
  });
  // The copied declarations of zod lose the comments that accept their own faults.
  await bundle.write({ dir: folder, format: "es", banner: "// @ts-nocheck" });
  await bundle.close();
}
