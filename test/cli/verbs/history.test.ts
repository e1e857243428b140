import { describe, expect, it } from "vitest";
import type { HistoryView } from "#contracts/api/history";
import type { DecisionsView, DecisionView } from "#contracts/api/workloads";
import { digests, image, reason, windowClosed, workload, noRows } from "../views.ts";
import { lines, lookout } from "../world.ts";

const api = "prod/shop/deployment/api";
const told = "CrashLoopBackOff in api-7d9f";
const decision = {
  fact: "UpdateHeld",
  images: [image("api", "1.5.0", digests.new)],
  reasons: [],
  cause: "m-1",
} as const;

const view: DecisionsView = {
  workload: api,
  decisions: [
    {
      ...decision,
      at: "2026-11-21T08:14:00.000Z",
      seq: 17,
      version: 45,
      what: "rolled-back",
      reasons: [reason("rollout-failed", { detail: told })],
      detail: told,
    },
    { ...decision, at: "2026-11-20T21:00:00.000Z", seq: 17, version: 42, what: "held", reasons: [windowClosed] },
    {
      ...decision,
      at: "2026-11-20T08:12:00.000Z",
      seq: 0,
      version: 1,
      what: "tracked",
      images: [],
      detail: "first seen",
    },
  ],
};

describe("lookout history", () => {
  it("marks decisions that an import brought", async () => {
    const imported = { workload: api, decisions: view.decisions.map((one) => ({ ...one, isImported: true })) };
    const answers = {
      "GET /v1/workloads": { body: { at: view.decisions[0]!.at, ...noRows, workloads: [workload(api)], clusters: [] } },
      [`GET /v1/workloads/${api}/decisions?limit=3`]: { body: imported },
    };
    const { stdout } = await lookout(["history", "shop/api", "--limit", "3"], answers);

    expect(stdout.match(/rolled-back \(imported\)|held \(imported\)|tracked \(imported\)/g)).toHaveLength(3);
  });

  it("shows the decisions, with local times", async () => {
    const answers = {
      "GET /v1/workloads": { body: { at: view.decisions[0]!.at, ...noRows, workloads: [workload(api)], clusters: [] } },
      [`GET /v1/workloads/${api}/decisions?limit=3`]: { body: view },
    };

    expect((await lookout(["history", "shop/api", "--limit", "3"], answers)).stdout).toBe(
      lines(
        "prod/shop/deployment/api, times in Europe/Berlin",
        "",
        "WHEN                  UPDATE   WHAT          IMAGE                      WHY",
        "2026-11-21 09:14:00   17       rolled-back   api 1.5.0 @ 4d5e6f708192   rollout failed: CrashLoopBackOff in api-7d9f",
        "2026-11-20 22:00:00   17       held          api 1.5.0 @ 4d5e6f708192   window closed: Sat 22:00–02:00 Europe/Berlin, until 22:00 CET",
        "2026-11-20 09:12:00   –        tracked       –                          first seen",
        "",
        "These are the last 3 decisions. For more: --limit 30",
      ),
    );
  });

  it("links what changed below the table, each update once, and shows other commits with --output wide", async () => {
    const url = "https://github.com/acme/api/compare/1111111...2222222";
    const from = { revision: "1".repeat(40) };
    const to = { revision: "2".repeat(40) };
    const changed = (whatChanged: object) => ({ ...image("api", "1.5.0", digests.new), whatChanged });
    const [latest, before, tracked] = view.decisions as [DecisionView, DecisionView, DecisionView];
    const decisions = [
      { ...latest, images: [changed({ url, from, to })] },
      { ...before, images: [changed({ url, from, to })] },
      { ...before, seq: 16, images: [changed({ from, to })] },
      { ...before, seq: 15, images: [changed({ from, to }), { ...changed({ to }), container: "job" }] },
      { ...before, seq: 14, images: [changed({ to: { version: "1.0" } })] },
      tracked,
    ];
    const answers = { [`GET /v1/workloads/${api}/decisions?limit=20`]: { body: { workload: api, decisions } } };
    const told = async (...more: readonly string[]) =>
      (await lookout(["history", "prod/shop/deploy/api", ...more], answers)).stdout.split("What changed:\n")[1];

    expect(await told()).toBe(
      lines(
        `  update 17   ${url}`,
        "  update 16   commit 111111111111 → 222222222222",
        "  update 15   api commit 111111111111 → 222222222222, job commit 222222222222",
      ),
    );
    expect(await told("-o", "wide")).toContain(`  update 16   commit ${from.revision} → ${to.revision}\n`);
  });

  it("names decisions by update and version, and asks for twenty", async () => {
    const answers = { [`GET /v1/workloads/${api}/decisions?limit=20`]: { body: view } };

    expect((await lookout(["history", "prod/shop/deploy/api", "-o", "name"], answers)).stdout).toBe(
      lines(`${api}/17/45`, `${api}/17/42`, `${api}/0/1`),
    );
  });

  it.each([
    { since: "2h", instant: "2026-11-21T16:45:53.000Z" },
    { since: "7d", instant: "2026-11-14T18:45:53.000Z" },
    { since: "2026-11-21T09:00:00+01:00", instant: "2026-11-21T08:00:00.000Z" },
  ])("asks for decisions since $since", async ({ since, instant }) => {
    const { asked } = await lookout(["history", api, "--since", since], {});

    expect(asked.map(({ what }) => what)).toEqual([
      `GET /v1/workloads/${api}/decisions?limit=20&since=${encodeURIComponent(instant)}`,
    ]);
  });

  it("requires a duration or an instant", async () => {
    expect(await lookout(["history", api, "--since", "yesterday"], {})).toMatchObject({
      exitCode: 2,
      stderr: lines(
        '✗ --since "yesterday" is neither a duration nor an instant.',
        "  For example: 2h, 7d, 2026-11-21T09:00:00Z",
      ),
    });
  });

  it("reports that there is no newer decision, and names the last decision", async () => {
    const answers = {
      [`GET /v1/workloads/${api}/decisions?limit=20&since=2026-11-21T18%3A44%3A53.000Z`]: {
        body: { workload: api, decisions: [] },
      },
      [`GET /v1/workloads/${api}/decisions?limit=1`]: {
        body: { workload: api, decisions: view.decisions.slice(0, 1) },
      },
    };

    expect((await lookout(["history", api, "--since", "1m"], answers)).stdout).toBe(
      `${api}: no decision since 19:44 CET. The last decision was rolled-back, 10 h 31 m ago.\n`,
    );
  });

  it("reports that there is no decision yet", async () => {
    const answers = { [`GET /v1/workloads/${api}/decisions?limit=20`]: { body: { workload: api, decisions: [] } } };

    expect((await lookout(["history", api], answers)).stdout).toBe(`${api}: Lookout has not made a decision yet.\n`);
  });
});

describe("lookout history of the fleet", () => {
  const row = { images: [], reasons: [] } as const;
  const pushed = { container: "api", imageName: "registry.test/api", tag: "1.5.0", digest: digests.new };
  const fleetView: HistoryView = {
    at: "2026-11-21T18:45:53.000Z",
    rows: [
      {
        ...{
          ...row,
          id: "freeze/*/1",
          at: "2026-11-21T08:14:00.000Z",
          what: "freeze",
          by: "ana",
          why: "incident 4711",
        },
        ...{ scope: "*", detail: "until 2026-11-22T08:00:00.000Z" },
      },
      {
        ...{ id: "u/17/45/rolled-back", at: "2026-11-21T08:10:00.000Z", what: "rolled-back", ended: "rolled-back" },
        ...{ workload: api, update: 17, images: [pushed], reasons: [reason("rollout-failed", { detail: told })] },
      },
      {
        ...{ ...row, id: `quarantine/${digests.new}/1`, at: "2026-11-21T08:00:00.000Z", what: "quarantine", by: "bo" },
        ...{ subject: digests.new, why: "CVE-2026-1234" },
      },
    ],
  };

  it("shows who did what, where and why, and which updates ended", async () => {
    const since = "2026-11-20T18:45:53.000Z";
    const answers = { [`GET /v1/history?since=${encodeURIComponent(since)}&limit=20`]: { body: fleetView } };

    expect((await lookout(["history", "--since", "24h"], answers)).stdout).toBe(
      lines(
        "Times in Europe/Berlin",
        "",
        "WHEN                  WHO   WHAT          UPDATE   WHERE                      WHY",
        "2026-11-21 09:14:00   ana   freeze        –        * (the whole fleet)        incident 4711 · until 2026-11-22T08:00:00.000Z",
        "2026-11-21 09:10:00   –     rolled-back   17       prod/shop/deployment/api   1.5.0 @ 4d5e6f708192 · rollout failed: CrashLoopBackOff in api-7d9f",
        "2026-11-21 09:00:00   bo    quarantine    –        4d5e6f708192               CVE-2026-1234",
      ),
    );
  });

  it("reads short pages until there are enough rows", async () => {
    const [first, second, third] = fleetView.rows;
    const page = (rows: HistoryView["rows"], next?: string) => ({
      body: { at: fleetView.at, rows, ...(next === undefined ? {} : { next }) },
    });
    const answers = {
      "GET /v1/history?by=ana&limit=2": page([first!], "a.1"),
      "GET /v1/history?by=ana&limit=1&after=a.1": page([], "a.2"),
      "GET /v1/history?by=ana&limit=1&after=a.2": page([second!, third!].slice(0, 1)),
    };

    expect((await lookout(["history", "--by", "ana", "--limit", "2", "-o", "name"], answers)).stdout).toBe(
      lines(first!.id, second!.id),
    );
  });

  it.each([
    { typed: [], says: "No person acted and no update ended. To see what waits now: lookout status" },
    { typed: ["--by", "ana"], says: "ana did nothing yet. To see what waits now: lookout status" },
    {
      typed: ["--since", "2026-11-21T10:00:00Z"],
      says: "No person acted and no update ended since 11:00 CET. To look further back: --since 30d",
    },
  ])("says what to do if it is empty: $typed", async ({ typed, says }) => {
    const empty = Response.json({ at: fleetView.at, rows: [] });
    const { stdout } = await lookout(["history", ...typed], {}, { fetch: () => Promise.resolve(empty) });

    expect(stdout).toBe(`${says}\n`);
  });

  it("resolves the short name of a workload or an update, and no other id", async () => {
    const known = {
      "GET /v1/workloads": {
        body: { at: fleetView.at, workloads: [workload(api)], rows: [], total: 1, counts: {}, clusters: [] },
      },
    };
    const asked = async (of: string) => {
      const result = await lookout(["history", "--of", of], known);
      return decodeURIComponent(result.asked.at(-1)!.what.replace(/^.*of=|&.*$/g, ""));
    };

    expect(await asked("shop/api#17")).toBe(`${api}#17`);
    expect(await asked("shop/api")).toBe(api);
    expect(await asked("u-1/17/45/RolledBack")).toBe("u-1/17/45/RolledBack");
    expect(await asked("shop/api:1.1.0@sha256:00")).toBe("shop/api:1.1.0@sha256:00");
  });
});
