import { describe, expect, it } from "vitest";
import type { FreezesView } from "#contracts/api/freezes";
import { problemOf } from "#contracts/problem";
import { epochMs } from "#domain/shared/time";
import { frozen, frozenView, noRows } from "../views.ts";
import { type Answers, lines, lookout, now } from "../world.ts";

const path = "/v1/freezes";
const { shop, fleet } = frozen;
const api = "prod/shop/deployment/api";
const web = "prod/shop/deployment/web";
const ledger = "prod/pay/deployment/ledger";

const clusters = (...names: readonly string[]): Answers => ({
  "GET /v1/workloads": { body: { at: "", ...noRows, workloads: [], clusters: names.map((name) => ({ name })) } },
});
/** What the server answers when a freeze is put, and each time it is asked afterwards. */
function freezing(first: FreezesView, ...later: readonly FreezesView[]): { answers: Answers; asked: () => number } {
  let looks = 0;
  const answers: Answers = {
    ...clusters("prod", "stage"),
    [`POST ${path}`]: { body: first },
    get [`GET ${path}`]() {
      looks += 1;
      return { body: later[Math.min(looks, later.length) - 1] ?? first };
    },
  };
  return { answers, asked: () => looks };
}

describe("lookout freeze", () => {
  const typed = ["freeze", "prod/shop", "--why", "flash sale"];
  const untilLifted = "The whole fleet is frozen: no patch starts until lookout unfreeze.";

  it("freezes a namespace in the name of the current user, until it is ended", async () => {
    expect(await lookout(typed, freezing(frozenView([shop])).answers)).toEqual({
      exitCode: 0,
      stdout: "✓ prod/shop is frozen: no patch starts until lookout unfreeze.\n",
      stderr: "",
      asked: [
        {
          what: `POST ${path}`,
          authorization: "Bearer secret",
          body: { scope: "prod/shop", why: "flash sale", by: "ana" },
        },
      ],
    });
  });

  it.each([
    {
      scope: [],
      body: { scope: "*" },
      says: untilLifted,
    },
    {
      scope: ["*", "--by", "bo"],
      body: { scope: "*", by: "bo" },
      says: untilLifted,
    },
    {
      scope: ["prod", "--for", "1d2h"],
      body: { scope: "prod", until: "2026-11-22T20:45:53.000Z" },
      says: "prod is frozen: no patch starts until Sun 21:45 CET.",
    },
    {
      scope: ["stage", "--until", "2026-11-21T22:00:00+01:00"],
      body: { scope: "stage", until: "2026-11-21T21:00:00.000Z" },
      says: "stage is frozen: no patch starts until 22:00 CET.",
    },
  ])("sends $body for $scope", async ({ scope, body, says }) => {
    const { stdout, asked } = await lookout(
      ["freeze", ...scope, "--why", "audit"],
      freezing(frozenView([fleet])).answers,
    );

    expect(stdout).toBe(`✓ ${says}\n`);
    expect(asked.at(-1)?.body).toEqual({ why: "audit", by: "ana", ...body });
  });

  it("waits for an earlier patch in the scope, and not for patches elsewhere", async () => {
    const pauses: number[] = [];
    const { answers, asked } = freezing(
      frozenView([shop, fleet], api, ledger),
      frozenView([shop, fleet], api, ledger),
      frozenView([shop, fleet], ledger),
    );
    const { stdout } = await lookout(typed, answers, { pause: async (length) => void pauses.push(length) });

    expect(stdout).toBe("✓ prod/shop is frozen: no patch starts until lookout unfreeze.\n");
    expect({ pauses, asked: asked() }).toEqual({ pauses: [250, 250], asked: 2 });
  });

  it("stops waiting after ten seconds, names the patches that may still land, and succeeds", async () => {
    let passed = 0;
    const { answers, asked } = freezing(frozenView([shop], api, web, ledger));
    const outcome = await lookout(typed, answers, {
      now: () => epochMs(now + passed),
      pause: async (length) => void (passed += length),
    });

    expect(outcome).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: lines(
        "! prod/shop is frozen: no patch starts until lookout unfreeze. Patches from before the freeze may still land on:",
        `  ${api}`,
        `  ${web}`,
        "  To see their results:  lookout status",
      ),
    });
    expect({ passed, asked: asked() }).toEqual({ passed: 10_000, asked: 40 });
  });

  it("keeps the freeze when the server stops meanwhile, and names the patches that may still land", async () => {
    let passed = 0;
    const outcome = await lookout(
      typed,
      { ...freezing(frozenView([shop], api)).answers, [`GET ${path}`]: new DOMException("timed out", "TimeoutError") },
      { now: () => epochMs(now + passed), pause: async (length) => void (passed += length) },
    );

    expect(outcome).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: expect.stringContaining(`\n  ${api}\n`) as string,
    });
  });

  it("prints the resulting freezes as JSON, or only their scopes", async () => {
    const view = frozenView([fleet, shop]);

    expect((await lookout([...typed, "-o", "json"], freezing(view).answers)).stdout).toBe(
      `${JSON.stringify({ apiVersion: "lookout.dev/v1", kind: "FreezeList", ...view }, null, 2)}\n`,
    );
    expect((await lookout([...typed, "-o", "name"], freezing(view).answers)).stdout).toBe(lines("*", "prod/shop"));
  });

  it("refuses a scope that the server does not know, and names the nearest one", async () => {
    const detail =
      "no workload is tracked in prod/shp; did you mean prod/shop?; to freeze it all the same, set force (lookout freeze --force)";
    const refused = { [`POST ${path}`]: { status: 404, body: problemOf("not-found", detail) } };

    expect(await lookout(["freeze", "prod/shp", "--why", "x"], refused)).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: expect.stringContaining("did you mean prod/shop?") as string,
    });
  });

  it("sends --force, and tells what the freeze covers", async () => {
    const effect = { workloads: 12, inFlight: 1, holds: 3 };
    const { answers } = freezing({ ...frozenView([shop]), effect });
    const { stdout, asked } = await lookout([...typed, "--force"], answers);

    expect(stdout).toBe(
      lines(
        "✓ prod/shop is frozen: no patch starts until lookout unfreeze.",
        "  It covers 12 workloads, and holds 3 waiting updates. 1 rollout in flight goes on.",
      ),
    );
    expect(asked[0]?.body).toMatchObject({ scope: "prod/shop", force: true });
  });

  it.each(["prd", "eu/shop"])("leaves an unknown scope to the server, which refuses it: %s", async (text) => {
    const body = problemOf("not-found", `Lookout knows no scope ${text}; did you mean prod?`);
    const { exitCode, stderr, asked } = await lookout(["freeze", text, "--why", "x"], {
      ...clusters("prod", "stage"),
      [`POST ${path}`]: { status: 404, body },
    });

    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `✗ Lookout knows no scope ${text}; did you mean prod?\n`,
    });
    expect(asked.at(-1)?.body).toEqual({ scope: text, why: "x", by: "ana" });
  });

  it.each([
    {
      flags: ["Prod", "--why", "x"],
      says: lines(
        '✗ "Prod" is not a scope: expected CLUSTER, CLUSTER/NAMESPACE, or *.',
        "  For example: prod, prod/shop",
      ),
    },
    { flags: ["--why", " "], says: "✗ --why is empty: give the reason of the freeze.\n" },
    {
      flags: ["--why", "x", "--for", "soon"],
      says: '✗ --for "soon": not a duration: a number is missing (expected for example 10m, 1h30m or 2d).\n',
    },
    {
      flags: ["--why", "x", "--for", "99999d"],
      says: "✗ The end of the freeze, 2300-09-05T18:45:53.000Z, is more than a year ahead. Without an end, the freeze lasts until a user lifts it.\n",
    },
    {
      flags: ["--why", "x", "--for", "0s"],
      says: "✗ The end of the freeze, 2026-11-21T18:45:53.000Z, is in the past.\n",
    },
    {
      flags: ["--why", "x", "--until", "2026-12-27"],
      says: lines(
        '✗ --until "2026-12-27" is not a time with its zone.',
        "  For example: 2026-12-27T08:00:00+01:00, 2026-12-27T07:00:00Z",
      ),
    },
    {
      flags: ["--why", "x", "--for", "1h", "--until", "2026-12-27T07:00:00Z"],
      says: lines(
        "✗ Option '--for <duration>' cannot be used with option '--until <time>'.",
        "  To see all options:  lookout freeze --help",
      ),
    },
    {
      flags: [],
      says: lines("✗ Required option '--why <text>' not specified.", "  To see all options:  lookout freeze --help"),
    },
  ])("sends no request with invalid flags: $flags", async ({ flags, says }) => {
    expect(await lookout(["freeze", ...flags], freezing(frozenView([])).answers)).toEqual({
      exitCode: 2,
      stdout: "",
      stderr: says,
      asked: [],
    });
  });
});

describe("lookout unfreeze", () => {
  it.each([
    { typed: ["prod/shop"], path: "prod/shop", place: "prod/shop" },
    { typed: [], path: "%2A", place: "the whole fleet" },
  ])("ends the freeze of $place", async ({ typed, path: part, place }) => {
    const what = `DELETE ${path}/${part}?by=ana`;
    const { asked, ...outcome } = await lookout(["unfreeze", ...typed], { [what]: { body: frozenView([]) } });

    expect(outcome).toEqual({
      exitCode: 0,
      stdout: `✓ The freeze of ${place} has ended. The updates that it held continue.\n`,
      stderr: "",
    });
    expect(asked.map((one) => one.what)).toEqual([what]);
  });

  it("names the wider freezes that remain", async () => {
    const stay = [fleet, { ...shop, scope: "prod", why: "Christmas" }, { ...shop, scope: "prod/pay" }];
    const answers = { [`DELETE ${path}/prod/shop?by=ana`]: { body: frozenView(stay) } };

    expect((await lookout(["unfreeze", "prod/shop"], answers)).stdout).toBe(
      lines(
        "✓ The freeze of prod/shop has ended. Wider freezes remain:",
        "  the whole fleet by bo: audit, until Sun 08:00 CET",
        "  prod by ana: Christmas",
      ),
    );
  });

  it("ends the freeze of a namespace by the namespace alone", async () => {
    const answers = {
      [`GET ${path}`]: { body: frozenView([shop]) },
      [`DELETE ${path}/prod/shop?by=ana`]: { body: frozenView([]) },
    };

    for (const typed of [["shop"], ["-n", "shop"], ["--cluster", "prod", "-n", "shop"]])
      expect(await lookout(["unfreeze", ...typed], answers)).toMatchObject({
        exitCode: 0,
        stdout: "✓ The freeze of prod/shop has ended. The updates that it held continue.\n",
      });
  });

  it("reports a scope without a freeze", async () => {
    const body = problemOf("not-found", "no freeze has the scope prod");
    const none = { [`GET ${path}`]: { body: frozenView([]) } };

    expect(
      await lookout(["unfreeze", "prod"], { ...none, [`DELETE ${path}/prod?by=ana`]: { status: 404, body } }),
    ).toMatchObject({
      exitCode: 1,
      stdout: "",
      stderr: "✗ no freeze has the scope prod\n",
    });
  });
});
