import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

const run = promisify(execFile);
const preferSystemNode = resolve("tools/prefer-system-node.js");

let project: string;
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), "lookout-node-"));
});
afterEach(() => rm(project, { recursive: true }));

/** Writes a program `node` that says it has a version, and is this process's Node otherwise. */
async function nodeOf(version: string, folder: string): Promise<void> {
  await mkdir(join(project, folder));
  const text = `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else exec "${process.execPath}" "$@"; fi\n`;
  await writeFile(join(project, folder, "node"), text);
  await chmod(join(project, folder, "node"), 0o755);
}

/** Installs a package that brings a Node along, as this project does, and runs a script. */
async function nodeOfScripts(): Promise<string> {
  const bundled = { name: "bundled", version: "1.0.0", bin: { node: "node" } };
  const root = {
    private: true,
    scripts: { prepare: `node ${preferSystemNode}`, which: "node --version" },
    optionalDependencies: { bundled: "file:bundled" },
  };
  await writeFile(join(project, "bundled/package.json"), JSON.stringify(bundled));
  await writeFile(join(project, "package.json"), JSON.stringify(root));
  const env = { ...process.env, PATH: `${join(project, "system")}:${process.env["PATH"] ?? ""}` };
  const npm = (...args: readonly string[]) => run("npm", [...args], { cwd: project, env });
  await npm("install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts=false");
  return (await npm("run", "--silent", "which")).stdout.trim();
}

describe("the Node of npm scripts", () => {
  it.each([
    { system: "v24.0.0", uses: "v24.0.0" },
    { system: "v26.1.0", uses: "v26.1.0" },
    { system: "v22.22.0", uses: "v24.21.0" },
    { system: "no version", uses: "v24.21.0" },
  ])("is $uses where PATH has $system, and v24.21.0 is bundled", async ({ system, uses }) => {
    await nodeOf(system, "system");
    await nodeOf("v24.21.0", "bundled");

    expect(await nodeOfScripts()).toBe(uses);
  });
});
