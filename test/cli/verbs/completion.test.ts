import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { worldOfThisProcess } from "#cli/main";
import { programOf } from "#cli/program";
import { lines, lookout } from "../world.ts";

const command = join(import.meta.dirname, "../../../bin/lookout.js");
const run = promisify(execFile);

/** Returns the completions of a line, as the scripts of the shells ask for them. */
async function completions(...typed: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run(process.execPath, [command, "complete", "--", ...typed]);
  return stdout.split("\n").flatMap((line) => (/^(:|$)/.test(line) ? [] : [line.split("\t")[0] ?? ""]));
}

describe("completion in a shell", () => {
  it("offers every command", async () => {
    const world = worldOfThisProcess(() => new AbortController().signal);
    const names = programOf({ world, setExitCode: () => undefined }).commands.map((one) => one.name());

    expect([...(await completions(""))].sort()).toEqual([...names, "help"].sort());
  });

  it.each([
    { typed: ["sta"], offers: ["start", "status"] },
    { typed: ["cluster", "c"], offers: ["check"] },
    { typed: ["status", "--output", ""], offers: ["table", "wide", "json", "yaml", "name"] },
    { typed: ["status", "--st"], offers: ["--stack", "--state"] },
  ])("offers $offers for $typed", async ({ typed, offers }) => {
    expect([...(await completions(...typed))].sort()).toEqual([...offers].sort());
  });

  it.each(["bash", "zsh", "fish"])("has a script for %s that asks lookout", async (shell) => {
    const { stdout } = await run(process.execPath, [command, "completion", shell]);

    expect(stdout).toContain("lookout complete --");
  });

  it("says which shells it knows", async () => {
    expect(await lookout(["completion", "tcsh"], {})).toMatchObject({
      exitCode: 2,
      stderr: lines('✗ "tcsh" is no known shell: expected bash, zsh, fish, powershell.'),
    });
  });
});
