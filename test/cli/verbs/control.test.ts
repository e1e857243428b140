import { describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import { fleet, image, reason } from "../views.ts";
import { lines, lookout } from "../world.ts";

const key = "prod/shop/deployment/api";
const at = "2026-03-02T12:00:00.000Z";
const view = { at, workload: key, changed: true, detail: "Done.", reasons: [] };
const update = {
  ...{ workload: key, seq: 3, status: "held", wants: [image("app", "1.2.0")], source: "set by ana" },
  ...{ detectedAt: at, selectedAt: at, reasons: [] },
};
const why = ["--why", "checkout fails"];

const run = (
  words: readonly string[],
  what: string,
  answer: { readonly status?: number; readonly body: unknown } = { body: view },
) => lookout([...words], { "GET /v1/workloads": { body: fleet }, [`POST /v1/workloads/${key}/${what}`]: answer });

describe("lookout", () => {
  it.each([
    { words: ["set", key, "1.2.0", ...why], what: "version", body: { version: "1.2.0" } },
    {
      words: ["set", key, "1.2.0", "--container", "app", ...why],
      what: "version",
      body: { version: "1.2.0", container: "app" },
    },
    { words: ["rollback", key, ...why], what: "rollback", body: {} },
    { words: ["rollback", key, "--to", "1.1.0", ...why], what: "rollback", body: { to: "1.1.0" } },
    { words: ["skip", key, "1.3.0", ...why], what: "skips", body: { tag: "1.3.0" } },
    {
      words: ["skip", key, "1.3.0", "--until", "7d", ...why],
      what: "skips",
      body: { tag: "1.3.0", until: "2026-11-28T18:45:53.000Z" },
    },
    { words: ["skip", key, "1.3.0", "--end", ...why], what: "skips", body: { tag: "1.3.0", end: true } },
    { words: ["suspend", key, ...why], what: "suspension", body: {} },
    { words: ["resume", key, ...why], what: "resumption", body: {} },
    { words: ["retry", key, ...why], what: "retry", body: {} },
  ])("$words asks for $what, with who and why", async ({ words, what, body }) => {
    const { exitCode, stdout, asked } = await run(words, what);

    expect([exitCode, stdout]).toEqual([0, `✓ ${key}: Done.\n`]);
    expect(asked.at(-1)).toMatchObject({
      what: `POST /v1/workloads/${key}/${what}`,
      body: { ...body, why: "checkout fails", by: "ana" },
    });
  });

  it("set shows the update that follows, and what holds it", async () => {
    const held = { ...view, update, reasons: [reason("window-closed")] };
    const { stdout } = await run(["set", key, "1.2.0", ...why], "version", { body: held });

    expect(stdout).toBe(
      lines(
        `✓ ${key}: Done.`,
        "  Update 3 to 1.2.0 is held.",
        "  ⏸ The maintenance window is closed. Wait until the window opens. If no time is shown, it does not open within eight years.",
      ),
    );
  });

  it("says that nothing changed", async () => {
    const { exitCode, stdout } = await run(["suspend", key, ...why], "suspension", {
      body: { ...view, changed: false, detail: "It was suspended already." },
    });

    expect([exitCode, stdout]).toEqual([0, `! ${key}: It was suspended already.\n`]);
  });

  it.each([
    { words: ["set", key, "1.2.0"], says: "--why" },
    { words: ["rollback", key, "--why", " "], says: "--why is empty: give the reason." },
    { words: ["set", key, ...why], says: "version" },
    {
      words: ["skip", key, "1.3.0", "--until", "soon", ...why],
      says: '--until "soon" is neither a duration nor a time with its zone.',
    },
    { words: ["skip", key, "1.3.0", "--until", "7d", "--end", ...why], says: "--until and --end exclude each other." },
    { words: ["rolback", key, ...why], says: "rollback" },
  ])("refuses $words before it asks", async ({ words, says }) => {
    const { exitCode, stderr, asked } = await run(words, "version");

    expect([exitCode, asked.filter(({ what }) => what.startsWith("POST"))]).toEqual([2, []]);
    expect(stderr).toContain(says);
  });

  it("says why a version is refused", async () => {
    const refusal = problemOf("version-refused", "1.2.0 is in quarantine: lookout quarantine list");
    const { exitCode, stderr } = await run(["set", key, "1.2.0", ...why], "version", { status: 409, body: refusal });

    expect(exitCode).toBe(4);
    expect(stderr).toContain("✗ 1.2.0 is in quarantine: lookout quarantine list");
  });
});
