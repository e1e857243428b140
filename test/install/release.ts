import { execFile } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

const project = join(import.meta.dirname, "../..");
/** The folder with all that a release contains. */
export const release = join(project, "dist", "release");

/** Builds a signed release for all tests, unless LOOKOUT_RELEASE says that it is built. */
export async function setup(_: TestProject): Promise<void> {
  if (process.env["LOOKOUT_RELEASE"] === "built") return;
  const folder = await mkdtemp(join(tmpdir(), "lookout-key-"));
  try {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    const key = join(folder, "key.pem");
    await writeFile(key, privateKey.export({ type: "sec1", format: "pem" }), { mode: 0o600 });
    await promisify(execFile)(process.execPath, [join(project, "tools", "release.ts"), "--key", key], { cwd: project });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
