import { describe, expect, it } from "vitest";
import { problemOf } from "#contracts/problem";
import { fleet, image, reason, workload } from "../views.ts";
import { lines, lookout } from "../world.ts";

const key = "prod/shop/deployment/api";
const listing = { "GET /v1/workloads": { body: { ...fleet, clusters: [{ name: "prod" }] } } };
const what = "POST /v1/releases";
const view = {
  at: "2026-03-02T12:00:00.000Z",
  scope: "prod/shop",
  past: ["observe"],
  dryRun: false,
  released: [{ workload: key, seq: 3, wants: [image("app", "1.4.2")] }],
  observed: [],
};

const run = (words: readonly string[], body: object = view) =>
  lookout(["release", ...words], { ...listing, [what]: { body } });

describe("lookout release", () => {
  it.each([
    { words: ["prod"], scope: "prod" },
    { words: ["prod/shop"], scope: "prod/shop" },
    { words: ["shop/api"], scope: key },
    { words: [key], scope: key },
    { words: ["--all"], scope: "*" },
  ])("of $words releases the scope $scope", async ({ words, scope }) => {
    const { exitCode, stdout, asked } = await run(["--past", "observe", ...words]);

    expect(asked.filter((one) => one.what === what).map(({ body }) => body)).toEqual([
      { scope, past: ["observe"], by: "ana" },
    ]);
    expect([exitCode, stdout]).toEqual([
      0,
      lines("✓ 1 update released. Its other gates are asked now: lookout status.", `  ${key} → 1.4.2`),
    ]);
  });

  it("lists what it would release, and what stays observed", async () => {
    const { stdout, asked } = await run(["--past", "observe", "prod", "--dry-run"], {
      ...view,
      dryRun: true,
      observed: ["x"],
    });

    expect(asked.at(-1)?.body).toEqual({ scope: "prod", past: ["observe"], by: "ana", dryRun: true });
    expect(stdout).toBe(
      lines(
        "⏸ 1 update would be released. To release: the same command without --dry-run.",
        `  ${key} → 1.4.2`,
        "⏸ 1 more stay held: Lookout still observes them.",
      ),
    );
  });

  it.each([
    { words: ["prod"], says: "--past" },
    { words: ["--past", "freeze", "prod"], says: "--past" },
    { words: ["--past", "observe"], says: "A scope is missing." },
    { words: ["--past", "observe", "*"], says: "For everything:  --all" },
    { words: ["--past", "observe", "prod", "--all"], says: "--all releases everything: remove the scope, or --all." },
    { words: ["--past", "observe", "shop/nobody"], says: 'No workload "shop/nobody" is tracked.' },
  ])("refuses $words", async ({ words, says }) => {
    const { exitCode, stderr, asked } = await run(words);

    expect([exitCode === 0, asked.some((one) => one.what === what)]).toEqual([false, false]);
    expect(stderr).toContain(says);
  });

  it("says why the server refuses it", async () => {
    const refusal = problemOf("still-observes", "Lookout still observes prod: first remove it");
    const { exitCode, stderr } = await lookout(["release", "--past", "observe", "prod"], {
      ...listing,
      [what]: { status: 409, body: refusal },
    });
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain("Lookout still observes prod");
  });
});

describe("lookout status of observed workloads", () => {
  it("shows what would change, and that nothing is patched", async () => {
    const rule = "mode: observe of cluster prod";
    const held = workload(key, {
      state: "held",
      runs: [image("app", "1.4.0")],
      wants: [image("app", "1.4.2")],
      reasons: [reason("observe")],
      observes: rule,
    });
    const { stdout } = await lookout(["status"], {
      "GET /v1/workloads": { body: { ...fleet, workloads: [held], clusters: [] } },
      "GET /v1/freezes": { body: { at: view.at, freezes: [], planned: [], inFlight: [] } },
      "GET /v1/repositories": { body: { at: view.at, repositories: [] } },
    });

    expect(stdout).toContain("would update 1.4.0 → 1.4.2 (observe)");
    expect(stdout).toContain(`Lookout observes every workload, and patches none of them; 1 would change (${rule})`);
  });
});
