/**
 * `npm run release`: builds what people install into dist/release.
 *
 * `--key FILE` signs the checksums: a private key on the curve P-256.
 */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { lookoutVersion } from "#contracts/version";
import { changesOf } from "./release/changes.ts";
import { checksumsOf, signed } from "./release/checksums.ts";
import { buildExecutable } from "./release/executable.ts";
import { filesIn } from "./release/files.ts";
import { buildPackage, pack } from "./release/npm-package.ts";
import { partsOf } from "./release/parts.ts";
import { project } from "./release/program.ts";
import { plainTemplate } from "./release/template.ts";

const { values } = parseArgs({ options: { key: { type: "string" } } });
const folder = join(project, "dist", "release");
const packaged = join(project, "dist", "package");
const say = (text: string): void => void process.stderr.write(`${text}\n`);
const write = (name: string, content: string | Uint8Array): Promise<void> => writeFile(join(folder, name), content);

const key = values.key === undefined ? undefined : await readFile(values.key, "utf8");
const changes = changesOf(await readFile(join(project, "CHANGELOG.md"), "utf8"), lookoutVersion);
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });

say("the npm package");
const bundles = await buildPackage(packaged);
await pack(packaged, folder);

const platform = `${process.platform}-${process.arch}`;
say(`the executable for ${platform}`);
await buildExecutable(join(folder, `lookout-${platform}`), process.execPath);

say("the CloudFormation template");
const { template, functions } = await plainTemplate(join(packaged, "cdk", "functions"));
await write("lookout.template.json", template);
await write("lookout-functions.zip", functions);

say("the list of parts");
await write("lookout.cdx.json", await partsOf(bundles));
await write("CHANGES.md", changes);

const checksums = await checksumsOf(folder, await filesIn(folder));
await write("SHA256SUMS", checksums);
if (key === undefined) say("not signed: give --key FILE to sign SHA256SUMS");
else {
  const { signature, publicKey } = signed(checksums, key);
  await write("SHA256SUMS.sig", signature);
  await write("lookout.pub", publicKey);
}
process.stdout.write((await filesIn(folder)).map((name) => `dist/release/${name}\n`).join(""));
