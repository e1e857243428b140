import { describe, expect, it } from "vitest";
import type { ExplanationView, GateView } from "#contracts/api/workloads";
import { gates } from "#domain/gates/index";
import { blockedView, digests, image, reason, update, windowClosed, workload } from "../views.ts";
import { lines, lookout } from "../world.ts";

const api = "prod/shop/deployment/api";

/** All gates open, but for those that are given. */
const gatesWith = (...told: readonly GateView[]): readonly GateView[] =>
  gates.map((gate) => told.find((one) => one.gate === gate) ?? { gate, open: true });

/** The text of the row of open gates, without the given gates. */
const openExcept = (...others: readonly string[]): string =>
  gates
    .filter((gate) => !others.includes(gate))
    .map((gate) => gate.replaceAll("-", " "))
    .join(", ");

const blockedImage = blockedView("api", "1.4.9", digests.other);

const held: ExplanationView = {
  at: "2026-11-21T18:45:53.000Z",
  workload: workload(api, {
    state: "held",
    runs: [image("api", "1.4.2", digests.old)],
    wants: [image("api", "1.5.0", digests.new)],
    blocked: [blockedImage],
    reasons: [windowClosed],
    pending: update(api),
    last: update(api, {
      seq: 16,
      status: "rolled-back",
      endedAt: "2026-11-20T16:45:53.000Z",
      detail: "CrashLoopBackOff in api-7d9f",
    }),
  }),
  selections: [
    {
      container: "api",
      policy: "semver >=1 <4",
      outcome: "selected",
      tag: "1.5.0",
      tags: 9,
      rejected: [
        { tag: "2026", reason: "outside-range" },
        { tag: "main", reason: "not-a-version" },
        { tag: "edge", reason: "not-a-version" },
        { tag: "20261120", reason: "not-a-version" },
        { tag: "nightly", reason: "not-a-version" },
        { tag: "1.6.0-rc.1", reason: "pre-release" },
      ],
    },
  ],
  gates: gatesWith(
    { gate: "window", open: false, why: windowClosed },
    { gate: "quarantine", open: false, why: reason("quarantined", { detail: `${digests.new}: CVE-2026-1234` }) },
    { gate: "declared-source", open: true, detail: "argocd, allowed by lookout.dev/allow-declared-source" },
  ),
  notices: ["The image of container api is applied server-side by kubectl."],
};

const answers = (view: ExplanationView) => ({ [`GET /v1/workloads/${api}/explanation`]: { body: view } });

const heldText = {
  head: `${api} wants registry.example.com/shop/api:1.5.0 @ 4d5e6f708192 (update 17, selected 09:12 CET by semver >=1 <4)`,
  rest: [
    "  ✗ last              update 16: rolled back 26 h ago: CrashLoopBackOff in api-7d9f",
    "  ! note              The image of container api is applied server-side by kubectl.",
    "  ✓ policy            semver >=1 <4 selects 1.5.0 of 9 tags; rejected: 4 not a version (main, edge, 20261120, …); 1 outside the range (2026); 1 pre-release (1.6.0-rc.1)",
    "  ⏸ quarantine        This digest is in quarantine. 4d5e6f708192: CVE-2026-1234.",
    "  ✓ declared source   argocd, allowed by lookout.dev/allow-declared-source",
    "  ⏸ window            The maintenance window is closed. Sat 22:00–02:00 Europe/Berlin. Opens in 2 h 14 m, 22:00 CET.",
    `  ✓ open              ${openExcept("quarantine", "declared-source", "window")}`,
    "",
    "Blocked until a higher version runs:",
    "  ✗ 1.4.9 @ 77aa0c12f3b9   update 16, 26 h ago: failed here (rollout failed)",
    "",
    "To do:",
    "  Lift the quarantine: lookout quarantine lift 4d5e6f708192.",
    `  Push a corrected image, or unblock the digest: lookout unblock ${api} --digest 77aa0c12f3b9.`,
    "",
    `Next check at 22:00:07 CET. History: lookout history ${api}`,
  ],
};

describe("lookout explain", () => {
  it("shows the desired images, every gate, the rejected tags, blocked digests, and remedies", async () => {
    const { stdout, exitCode } = await lookout(["explain", api], answers(held));

    expect(exitCode).toBe(0);
    expect(stdout).toBe(lines(heldText.head, "", ...heldText.rest));
  });

  it("wraps its lines at the width of the terminal", async () => {
    const { stdout } = await lookout(["explain", api], answers(held), { columns: 72 });

    expect(stdout.split("\n").slice(0, 10)).toEqual([
      "prod/shop/deployment/api wants registry.example.com/shop/api:1.5.0 @",
      "4d5e6f708192 (update 17, selected 09:12 CET by semver >=1 <4)",
      "",
      "  ✗ last              update 16: rolled back 26 h ago: CrashLoopBackOff",
      "                      in api-7d9f",
      "  ! note              The image of container api is applied server-side",
      "                      by kubectl.",
      "  ✓ policy            semver >=1 <4 selects 1.5.0 of 9 tags; rejected: 4",
      "                      not a version (main, edge, 20261120, …); 1 outside",
      "                      the range (2026); 1 pre-release (1.6.0-rc.1)",
    ]);
  });

  it("shows base images with their digests, or why they can't be read", async () => {
    const baseImages = [
      { image: "docker.io/library/node:22", digest: digests.new },
      { image: "docker.io/library/node:23", problem: "the registry has no such tag" },
    ];
    const { stdout } = await lookout(["explain", api], answers({ ...held, baseImages }));

    expect(stdout.split("\n").filter((line) => line.includes(" base "))).toEqual([
      "  ✓ base              docker.io/library/node:22 @ 4d5e6f708192",
      "  ! base              docker.io/library/node:23: the registry has no such tag",
    ]);
  });

  it("prints the API's answer as JSON", async () => {
    const { stdout } = await lookout(["explain", api, "-o", "json"], answers(held));

    expect(stdout).toBe(`${JSON.stringify({ apiVersion: "lookout.dev/v1", kind: "Explanation", ...held }, null, 2)}\n`);
  });

  it("shows a user's rollback, and how to continue", async () => {
    const hold = { seq: 16, at: "2026-11-21T17:45:53.000Z", detail: "by kubectl-rollout" };
    const why = reason("reverted-by-user", { detail: "update 16, by kubectl-rollout" });
    const view: ExplanationView = {
      ...held,
      workload: workload(api, { state: "reverted", runs: [image("api", "1.4.2", digests.old)], reasons: [why] }),
      selections: [
        { container: "api", policy: "digest", outcome: "unchanged", tag: "1.4.2", tags: 1, rejected: [] },
        {
          container: "job",
          policy: "semver",
          outcome: "none",
          why: reason("registry-denied", { detail: "no login" }),
          rejected: [],
        },
      ],
      gates: gatesWith({ gate: "hold", open: false, why }),
      hold,
      notices: [],
    };

    expect((await lookout(["explain", api], answers(view))).stdout).toBe(
      lines(
        `${api} runs registry.example.com/shop/api:1.4.2 @ 9b2c41d0e7aa (by semver >=1 <4) and wants no other image`,
        "",
        "  ✓ policy api   digest selects 1.4.2 of 1 tag, which runs",
        "  ✗ policy job   semver selects nothing: The registry denies access to Lookout. no login",
        "  ⏸ hold         update 16 was reverted by a user at 18:45 CET (1 h ago): by kubectl-rollout",
        `  ✓ open         ${openExcept("hold")}`,
        "",
        "To do:",
        "  Correct the named credential in lookout.yaml, or Docker's login (config.json or the credential helper).",
        `  Continue updates: lookout unblock ${api} --hold.`,
        "",
        `History: lookout history ${api}`,
      ),
    );
  });

  it("shows invalid settings once", async () => {
    const why = reason("problem-in-settings", { detail: 'lookout.dev/semver-range ">>1": not a range' });
    const view: ExplanationView = {
      ...held,
      workload: workload(api, {
        state: "problem",
        runs: [image("api", "latest")],
        problems: [
          { key: "lookout.dev/semver-range", value: ">>1", message: "not a range", closes: true },
          {
            key: "lookout.dev/interval",
            value: "5m",
            message: "is not used by this version of Lookout",
            closes: false,
          },
        ],
      }),
      selections: [],
      gates: gatesWith({ gate: "settings", open: false, why }),
      notices: [],
    };

    expect((await lookout(["explain", api], answers(view))).stdout).toBe(
      lines(
        `${api} runs registry.example.com/shop/api:latest (by semver >=1 <4) and wants no other image`,
        "",
        '  ! problem   lookout.dev/semver-range ">>1": not a range',
        '  ! note      lookout.dev/interval "5m": is not used by this version of Lookout',
        `  ✓ open      ${openExcept("settings")}`,
        "",
        "To do:",
        "  Correct the named annotation or object, or apply the object that it says is missing.",
        "",
        `History: lookout history ${api}`,
      ),
    );
  });

  it("shows the active and the pending update", async () => {
    const view: ExplanationView = {
      ...held,
      workload: workload(api, {
        state: "rolling-out",
        runs: [image("api", "1.4.2", digests.old)],
        wants: [image("api", "1.5.0", digests.new), image("job", "2.0.0", digests.other)],
        active: update(api, {
          status: "rolling-out",
          patchedAt: "2026-11-21T18:45:45.000Z",
          detail: "2 of 3 pods run",
        }),
        pending: update(api, { seq: 18, wants: [image("api", "1.6.0", digests.old)] }),
      }),
      selections: [],
      gates: gatesWith(),
      notices: [],
    };

    expect((await lookout(["explain", api], answers(view))).stdout).toBe(
      lines(
        `${api} wants (update 17, selected 09:12 CET)`,
        "  api   registry.example.com/shop/api:1.5.0 @ 4d5e6f708192   by semver >=1 <4",
        "  job   registry.example.com/shop/job:2.0.0 @ 77aa0c12f3b9   by semver >=1 <4",
        "",
        "  ↻ now    update 17: rolling out, 2 of 3 pods run, 8 s",
        "  ⏸ next   update 18: registry.example.com/shop/api:1.6.0 @ 9b2c41d0e7aa",
        `  ✓ open   ${openExcept()}`,
        "",
        `History: lookout history ${api}`,
      ),
    );
  });

  it("shows that the selected digest is blocked on the workload", async () => {
    const view: ExplanationView = {
      ...held,
      notices: [],
      workload: workload(api, {
        state: "blocked",
        runs: [image("api", "1.4.2", digests.old)],
        blocked: [blockedImage],
      }),
      selections: [{ container: "api", policy: "semver ^1", outcome: "selected", tag: "1.4.9", tags: 2, rejected: [] }],
      gates: [],
    };

    const shown = (await lookout(["explain", api], answers(view))).stdout.split("\n");

    expect(shown[0]).toBe(
      `${api} runs registry.example.com/shop/api:1.4.2 @ 9b2c41d0e7aa (by semver >=1 <4) and wants no other image: 1.4.9 is blocked`,
    );
    expect(shown[2]).toBe("  ✗ policy   semver ^1 selects 1.4.9 of 2 tags, and is blocked on this workload");
  });
});

describe("lookout explain of skipped tags", () => {
  const helm = "a Helm chart (application/vnd.cncf.helm.config.v1+json)";
  const view: ExplanationView = {
    ...held,
    notices: [],
    selections: [
      {
        ...{ container: "api", policy: "semver ^1", outcome: "selected", tag: "1.5.0", tags: 4 },
        rejected: [
          { tag: "1.8.0", reason: "not-an-image", detail: helm },
          { tag: "1.6.0", reason: "too-new", until: "2026-11-21T19:30:00.000Z" },
          { tag: "1.7.0", reason: "too-new", until: "2026-11-21T20:30:00.000Z" },
        ],
      },
    ],
    gates: [],
  };

  it("names younger tags with their times, and artifacts", async () => {
    expect((await lookout(["explain", api], answers(view))).stdout).toContain(
      `semver ^1 selects 1.5.0 of 4 tags; rejected: 2 not old enough (1.6.0 in 44 m, 1.7.0 in 1 h 44 m); 1 no image (1.8.0: ${helm})`,
    );
  });

  it.each([
    { tag: "1.6.0", says: "it is younger than the minimum age, old enough in 44 m." },
    { tag: "1.8.0", says: `it holds no image that a container can run: ${helm}.` },
  ])("says why $tag is not selected", async ({ tag, says }) => {
    const { stdout } = await lookout(["explain", api, tag], answers(view));
    expect(stdout).toContain(`semver ^1 does not select ${tag}: ${says}`);
  });
});

describe("lookout explain with a tag", () => {
  const none = (name: Parameters<typeof reason>[0]): ExplanationView => ({
    ...held,
    selections: [{ container: "api", policy: "semver >=1 <4", outcome: "none", why: reason(name), rejected: [] }],
  });

  it.each([
    { tag: "1.5.0", view: held, exitCode: 0, says: "✓ semver >=1 <4 selects 1.5.0." },
    {
      tag: "1.6.0-rc.1",
      view: held,
      exitCode: 0,
      says: "✗ semver >=1 <4 does not select 1.6.0-rc.1: it is a pre-release. To allow the tag, set lookout.dev/allow-prerelease to true, or name a pre-release in the range.",
    },
    {
      tag: "main",
      view: held,
      exitCode: 0,
      says: "✗ semver >=1 <4 does not select main: it is not a version. To follow such tags, set lookout.dev/policy to regex or numerical, or extract a version with lookout.dev/tag-pattern and lookout.dev/filter-extract.",
    },
    {
      tag: "1.4.3",
      view: held,
      exitCode: 0,
      says: "✗ semver >=1 <4 does not select 1.4.3: the tag 1.5.0 fits too, and is higher.",
    },
    {
      tag: "9.9.9",
      view: held,
      exitCode: 1,
      says: "✗ semver >=1 <4 does not select 9.9.9: the repository does not have this tag.",
    },
    {
      tag: "1.0.0",
      view: none("would-downgrade"),
      exitCode: 0,
      says: "✗ semver >=1 <4 does not select 1.0.0: the running tag 1.4.2 is higher.",
    },
    {
      tag: "1.0.0",
      view: none("no-tag-fits"),
      exitCode: 1,
      says: "✗ semver >=1 <4 does not select 1.0.0: the repository does not have this tag.",
    },
    {
      tag: "1.0.0",
      view: none("registry-denied"),
      exitCode: 0,
      says: "✗ semver >=1 <4 does not select 1.0.0: The registry denies access to Lookout.",
    },
  ])("explains $tag: $says", async ({ tag, view, exitCode, says }) => {
    const outcome = await lookout(["explain", api, tag], answers(view));

    expect({ exitCode: outcome.exitCode, says: outcome.stdout.split("\n")[2] }).toEqual({ exitCode, says });
  });

  it("explains a rejected tag before the gates and remedies", async () => {
    const { stdout, exitCode } = await lookout(["explain", api, "1.4.9"], answers(held));

    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      lines(
        heldText.head,
        "",
        "✗ semver >=1 <4 does not select 1.4.9: the tag 1.5.0 fits too, and is higher.",
        "✗ 1.4.9 @ 77aa0c12f3b9 is blocked since update 16, 26 h ago: failed here (rollout failed).",
        "",
        ...heldText.rest,
      ),
    );
  });
});

describe("the votes on an update", () => {
  it("appear in the explanation with their reasons, their validity and the missing approvals", async () => {
    const view: ExplanationView = {
      ...held,
      approval: {
        update: 17,
        requestedAt: "2026-11-21T08:12:00.000Z",
        until: "2026-11-22T08:12:00.000Z",
        isExpired: false,
        votes: [
          {
            ...{ person: "ben", decision: "approve", provedBy: "iam", at: "2026-11-21T08:20:00.000Z" },
            ...{ why: "tested on stage", counts: false },
          },
          { person: "ana", decision: "approve", provedBy: "annotation", at: "2026-11-21T08:31:00.000Z", counts: true },
          { person: "eva", decision: "approve", provedBy: "annotation", at: "2026-11-21T08:32:00.000Z", counts: false },
        ],
        missing: [{ more: 1, people: ["ben", "eva"] }],
        deciders: ["ana", "ben", "eva"],
      },
    };

    expect((await lookout(["explain", api], answers(view))).stdout).toContain(
      lines(
        "Votes on update 17, expires Sun 09:12 CET (in 13 h 26 m):",
        "  ! ben approved, void, 09:20 CET (10 h 25 m ago): tested on stage",
        "  ✓ ana approved, by annotation, 09:31 CET (10 h 14 m ago)",
        "  ! eva approved, by annotation, does not count, 09:32 CET (10 h 13 m ago)",
        "  Missing: 1 more of ben, eva",
      ),
    );
  });
});
