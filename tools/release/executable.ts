/** Builds one executable file with Node and the command in it. */
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundleScript, project } from "./program.ts";

/** The mark that Node looks for in its own file: https://nodejs.org/api/single-executable-applications.html */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Builds the executable for the platform of a Node binary, whose version also makes the code cache. */
export async function buildExecutable(file: string, node: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "lookout-executable-"));
  try {
    const script = join(folder, "lookout.cjs");
    const blob = join(folder, "blob");
    const settings = join(folder, "settings.json");
    await bundleScript(script);
    const wanted = { main: script, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true };
    await writeFile(settings, JSON.stringify(wanted));
    const run = promisify(execFile);
    await run(node, ["--experimental-sea-config", settings]);
    await copyFile(node, file);
    await chmod(file, 0o755);
    const postject = join(project, "node_modules", "postject", "dist", "cli.js");
    await run(node, [postject, file, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
