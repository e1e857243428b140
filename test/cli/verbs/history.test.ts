import { describe, expect, it } from "vitest";
import type { DecisionsView } from "#contracts/api/workloads";
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
