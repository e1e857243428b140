/** `node tools/image.ts FOLDER`: writes what the container image adds to its base image. */
import { chmod, cp, glob, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { lookoutVersion } from "#contracts/version";
import { bundleProgram, project } from "./release/program.ts";

/** The command in the image. The base image has no shell and no `env`, so the first line names Node. */
const launcher = `#!/nodejs/bin/node
import "/opt/lookout/bin/lookout.js";
`;

/** The files of the project that the image has as they are. */
const copied = [
  ["bin/lookout.js", "bin/lookout.js"],
  ["deploy/image/healthz.js", "bin/healthz.js"],
  ["LICENSE", "LICENSE"],
] as const;

/** Writes `opt/lookout` with the bundled program, `usr/local/bin/lookout`, and empty folders. */
export async function buildImageRoot(root: string): Promise<void> {
  await rm(root, { recursive: true, force: true });
  const program = join(root, "opt", "lookout");
  for (const folder of [join(program, "bin"), join(root, "usr/local/bin"), join(root, "etc/lookout")])
    await mkdir(folder, { recursive: true });
  for (const [from, to] of copied) await cp(join(project, from), join(program, to));
  await writeFile(
    join(program, "package.json"),
    `${JSON.stringify({ name: "lookout", version: lookoutVersion, type: "module" }, undefined, 2)}\n`,
  );
  await bundleProgram(join(program, "program"));
  // Node reads no maps here, and they are larger than the code.
  for await (const path of glob("program/**/*.map", { cwd: program })) await rm(join(program, path));
  const command = join(root, "usr/local/bin/lookout");
  await writeFile(command, launcher);
  await chmod(command, 0o755);
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("name the folder: node tools/image.ts FOLDER");
  await buildImageRoot(folder);
}
