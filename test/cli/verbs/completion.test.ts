import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { worldOfThisProcess } from "#cli/main";
import { programOf } from "#cli/program";
import { fleet } from "../views.ts";
import { type Answers, lines, lookout } from "../world.ts";

const command = join(import.meta.dirname, "../../../bin/lookout.js");
const run = promisify(execFile);

/** Returns the completions of a line by a server with the workloads of the views. */
async function fromServer(typed: readonly string[], server: Answers): Promise<readonly string[]> {
  const printed: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
  const inTime = { pause: () => new Promise<void>(() => undefined) };
  await lookout(["complete", "--", ...typed], server, inTime).finally(() => {
    log.mockRestore();
  });
  return printed.flatMap((line) => (/^(:|$)/.test(line) ? [] : [line.split("\t")[0] ?? ""]));
}

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

  const known = { "GET /v1/workloads": { body: fleet } };

  it.each([
    { typed: ["explain", "shop/"], offers: ["shop/api", "shop/report", "shop/web"] },
    { typed: ["status", "p"], offers: ["pay", "pay/ledger"] },
    { typed: ["watch", "st"], offers: ["stage"] },
    { typed: ["status", "--namespace", ""], offers: ["lab", "pay", "shop"] },
    { typed: ["status", "--cluster", ""], offers: ["dev", "stage"] },
  ])("offers the server's $offers for $typed", async ({ typed, offers }) => {
    expect([...(await fromServer(typed, known))].sort()).toEqual(offers);
  });

  it("offers the server's channels, and only they are asked for", async () => {
    const channel = { name: "releases", kind: "slack", form: "updates", events: [], minSeverity: "info" };
    const channels = [
      { ...channel, state: "well", untold: 0 },
      { ...channel, name: "audit", state: "off", untold: 1 },
    ];
    const answers = { "GET /v1/channels": { body: { at: "2026-11-21T18:45:53.000Z", channels } } };

    expect([...(await fromServer(["channel", "test", ""], answers))].sort()).toEqual(["audit", "releases"]);
    expect(await fromServer(["channel", "explain", "rel"], answers)).toEqual(["releases"]);
  });

  it("offers the server's groups for tiers, and no groups for an option of that name", async () => {
    const groups = ["shop/api", "shop/web"].map((group) => ({ group, tiers: [] }));
    const body = { at: "2026-11-21T18:45:53.000Z", tiers: ["dev", "prod"], groups, more: 0 };
    const answers = { "GET /v1/tiers": { body } };

    expect(await fromServer(["tiers", "shop/w"], answers)).toEqual(["shop/web"]);
    expect(await fromServer(["cluster", "manifests", "--group", "shop"], answers)).toEqual([]);
  });

  it("offers nothing if the server does not answer in time", async () => {
    const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
    // The time limit is over at once.
    const late = { fetch: () => new Promise<Response>(() => undefined), pause: async () => undefined };
    const outcome = await lookout(["complete", "--", "explain", ""], {}, late);
    const offers = log.mock.calls.flat();
    log.mockRestore();

    expect({ ...outcome, offers }).toEqual({ exitCode: 0, stdout: "", stderr: "", asked: [], offers: [":4"] });
  });

  it("offers nothing and says nothing if the server can't be reached", async () => {
    const away = { "GET /v1/workloads?view=row&limit=1000": new TypeError("fetch failed") };

    expect(await fromServer(["explain", ""], away)).toEqual([]);
    expect(await fromServer(["explain", ""], { "GET /v1/workloads": { status: 401, body: {} } })).toEqual([]);
  });

  it("prints nothing in bash when its script is sourced twice", async () => {
    const source = `source <("${process.execPath}" "${command}" completion bash)`;

    expect(await run("bash", ["-c", `${source}; ${source}`])).toMatchObject({ stdout: "", stderr: "" });
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
