import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { FreezesView } from "#contracts/api/freezes";
import {
  blockedView,
  digests,
  fleet,
  image,
  noRows,
  reason,
  unchecked,
  update,
  windowClosed,
  workload,
} from "../views.ts";
import { listed } from "../listed.ts";
import { lines, lookout } from "../world.ts";

const frozen = (...freezes: FreezesView["freezes"]) => ({
  "GET /v1/freezes": { body: { at: fleet.at, freezes, planned: [], inFlight: [] } },
  "GET /v1/repositories": { body: { at: fleet.at, repositories: [] } },
});
const answers = { "GET /v1/workloads": { body: fleet }, ...frozen() };
const server = "Lookout at http://127.0.0.1:4040, named by LOOKOUT_SERVER";

/** The answer to one workload alone. */
const of = (...workloads: readonly ReturnType<typeof workload>[]) => ({
  "GET /v1/workloads": { body: { at: fleet.at, ...noRows, workloads, clusters: [] } },
  ...frozen(),
});

describe("lookout status", () => {
  it("shows running images, waits and reasons, then a summary, the clusters with a problem, and the server", async () => {
    const { stdout, exitCode } = await lookout(["status"], answers);

    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      lines(
        "WORKLOAD                     RUNS                   WANTS   STATE",
        'dev/lab/deployment/tool      latest (no digest)     ?       ! lookout.dev/semver-range ">>1": not a range (character 2)',
        "prod/pay/deployment/ledger   3.1.0 @ 77aa0c12f3b9   –       ✗ 3.2.0 is blocked, rolled back 12 m ago: CrashLoopBackOff in ledger-7d9f",
        "prod/shop/deployment/api     1.4.2 @ 9b2c41d0e7aa   1.5.0   ⏸ held 10 h 33 m: window opens in 2 h 14 m · another program owns the image: argocd",
        "prod/shop/deployment/web     2.0.1 @ 77aa0c12f3b9   –       ✓ up to date, checked 40 s ago",
        "stage/shop/cronjob/report    1.0.9 @ 9b2c41d0e7aa   1.1.0   ↻ rolling out, 2 of 3 pods run, 8 s",
        "",
        "5 workloads, 1 held, 1 rolling out, 1 with a blocked version, 1 with a problem.",
        "! cluster stage: connect ETIMEDOUT, since 19:34 CET (11 m ago), last synced 12 m ago",
        "",
        server,
      ),
    );
  });

  it("shows a workload whose record can't be read, and never says that all is well", async () => {
    const web = workload("prod/shop/deployment/web", { runs: [image("web", "2.0.1", digests.other)] });
    const api = {
      kind: "record of a workload",
      workload: "prod/shop/deployment/api",
      why: 'is damaged: its member "uid" is missing',
    };
    const other = { kind: "state of a repository", why: "has the form 2 of a newer Lookout: run that version" };
    const view = { at: fleet.at, ...noRows, workloads: [web], clusters: [] };
    const both = { ...frozen(), "GET /v1/workloads": { body: { ...view, unreadable: [api, other] } } };
    const one = { ...frozen(), "GET /v1/workloads": { body: { ...view, unreadable: [other] } } };

    expect((await lookout(["status"], both)).stdout).toBe(
      lines(
        "WORKLOAD              RUNS                   WANTS   STATE",
        'shop/deployment/api   ?                      ?       ✗ unreadable: its record is damaged: its member "uid" is missing',
        "shop/deployment/web   2.0.1 @ 77aa0c12f3b9   –       ✓ up to date, checked 40 s ago",
        "",
        "2 workloads, 1 unreadable.",
        "✗ 2 stored items can't be read: look at lookout doctor",
        "",
        server,
      ),
    );
    expect((await lookout(["status", "shop/api"], both)).stdout).toContain("1 workload, 1 unreadable.");
    expect((await lookout(["status", "--output", "name"], both)).stdout.split("\n").toSorted()).toEqual([
      "",
      "prod/shop/deployment/api",
      "prod/shop/deployment/web",
    ]);
    expect((await lookout(["status"], one)).stdout).toContain(
      "1 workload.\n✗ 1 stored item can't be read: look at lookout doctor\n",
    );
  });

  it("takes two lines for a workload on a narrow terminal, and breaks no word", async () => {
    const { stdout } = await lookout(["status", "prod/shop/api"], answers, {
      isTerminal: true,
      columns: 90,
      environment: { LOOKOUT_SERVER: "http://127.0.0.1:4040", NO_COLOR: "1" },
    });

    expect(stdout).toBe(
      lines(
        "WORKLOAD                   RUNS                   WANTS",
        "prod/shop/deployment/api   1.4.2 @ 9b2c41d0e7aa   1.5.0",
        "    ⏸ held 10 h 33 m: window opens in 2 h 14 m · another program owns the image: argocd",
        "",
        "1 workload, 1 held.",
        "! cluster stage: connect ETIMEDOUT, since 19:34 CET (11 m ago), last synced 12 m ago",
        "",
        server,
      ),
    );
  });

  it("prints the state below its row if the row is full", async () => {
    const { stdout } = await lookout(["status", "--wide", "prod/shop/api"], answers, { columns: 100 });

    expect(stdout.split("\n").slice(0, 5)).toEqual([
      "WORKLOAD                   RUNS   WANTS",
      "prod/shop/deployment/api          1.5.0",
      `    1.4.2 @ ${digests.old}`,
      "    ⏸ held 10 h 33 m: window opens in 2 h 14 m · another program owns the image: argocd",
      "",
    ]);
  });

  it("colours marks and headings only on a terminal", async () => {
    const web = of(workload("prod/shop/deployment/web", { runs: [image("web", "2.0.1", digests.other)] }));
    const environment = { LOOKOUT_SERVER: "http://127.0.0.1:4040" };

    const onTerminal = await lookout(["status"], web, { isTerminal: true, columns: 120, environment });
    const plain = await lookout(["status"], web, {
      isTerminal: true,
      columns: 120,
      environment: { ...environment, NO_COLOR: "1" },
    });

    expect(onTerminal.stdout.split("\n")[1]).toBe(
      "shop/deployment/web   2.0.1 @ 77aa0c12f3b9   –       \u001b[32m✓\u001b[39m up to date, checked 40 s ago",
    );
    expect(plain.stdout).not.toContain("\u001b");
  });

  it("prints a line for each tracked container, with the workload's name once", async () => {
    const sidecar = { container: "log", image: "log:1", imageName: "docker.io/library/log", tag: "1" };
    const both = workload("prod/shop/deployment/api", {
      state: "held",
      runs: [image("api", "1.4.2", digests.old), image("job", undefined, digests.other), sidecar],
      wants: [image("job", "1.1.0", digests.new)],
      reasons: [reason("suspended")],
    });

    const { stdout } = await lookout(["status"], of(both));

    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "WORKLOAD              RUNS                        WANTS   STATE",
      "shop/deployment/api   api: 1.4.2 @ 9b2c41d0e7aa   –       ⏸ held: suspended",
      "                      job: @ 77aa0c12f3b9         1.1.0",
    ]);
  });

  it.each([
    {
      because: "a person's rollback says that it waits for a person",
      view: workload("a/b/deployment/c", {
        state: "reverted",
        reasons: [reason("reverted-by-user", { detail: "by kubectl" })],
        last: update("a/b/deployment/c", { status: "reverted", endedAt: "2026-11-21T16:45:53.000Z" }),
      }),
      state: "⏸ reverted by a user 2 h ago, waiting for lookout unblock",
    },
    {
      because: "a version that failed before a later success stays visible",
      view: workload("a/b/deployment/c", {
        state: "blocked",
        blocked: [blockedView("c", "1.4.66", digests.new)],
        last: update("a/b/deployment/c", { status: "succeeded", endedAt: "2026-11-21T16:45:53.000Z" }),
      }),
      state: "✗ 1.4.66 is blocked: failed here (rollout failed) 26 h ago, checked 40 s ago",
    },
    {
      because: "a version that a person replaced or rejected is no failure",
      view: workload("a/b/deployment/c", {
        state: "blocked",
        blocked: [
          blockedView("c", "1.5.0", digests.new, {
            cause: "rejected by ana at 2026-11-20T16:45:53.000Z",
            why: reason("digest-rejected"),
          }),
          blockedView("c", "1.4.9", digests.other),
        ],
      }),
      state: "⏸ 1.5.0 is blocked: rejected by ana 26 h ago, checked 40 s ago · 1 more blocked",
    },
    {
      because: "the last failure comes first, and earlier blocked versions follow",
      view: workload("a/b/deployment/c", {
        state: "blocked",
        blocked: [blockedView("c", "1.5.0", digests.new, { seq: 17 }), blockedView("c", "1.4.9", digests.other)],
        last: update("a/b/deployment/c", {
          status: "rolled-back",
          endedAt: "2026-11-21T16:45:53.000Z",
          detail: "ImagePullBackOff",
        }),
      }),
      state:
        "✗ 1.5.0 is blocked, rolled back 2 h ago: ImagePullBackOff · 1.4.9 is blocked: failed here (rollout failed) 26 h ago",
    },
    {
      because: "an open update does not hide a blocked version",
      view: workload("a/b/deployment/c", {
        state: "held",
        blocked: [blockedView("c", "1.5.0", digests.new)],
        reasons: [reason("suspended")],
      }),
      state: "⏸ held: suspended · 1.5.0 is blocked: failed here (rollout failed) 26 h ago",
    },
    {
      because: "a person's rollback of a success is no failure of that update",
      view: workload("a/b/deployment/c", {
        state: "reverted",
        reasons: [reason("reverted-by-user", { detail: "by kubectl" })],
        last: update("a/b/deployment/c", { status: "succeeded", endedAt: "2026-11-21T16:45:53.000Z" }),
      }),
      state: "⏸ reverted by a user, waiting for lookout unblock",
    },
    {
      because: "a registry that can't be asked is a problem",
      view: workload("a/b/deployment/c", {
        state: "problem",
        reasons: [reason("registry-unreachable", { detail: "container c" })],
      }),
      state: "! registry can't be reached: container c",
    },
    {
      because: "a workload of a removed cluster says when it ends",
      view: workload("a/b/deployment/c", {
        state: "removed",
        reasons: [
          reason("cluster-removed", { detail: "cluster a is not in lookout.yaml", until: "2026-11-21T18:50:53.000Z" }),
        ],
      }),
      state: "⏸ removed: cluster a is not in lookout.yaml, ends in 5 m",
    },
    {
      because: "a wait that ends by itself says when",
      view: workload("a/b/deployment/c", {
        state: "held",
        reasons: [reason("internal-error", { until: "2026-11-21T19:45:53.000Z" })],
      }),
      state: "⏸ held: Lookout failed, next try in 1 h",
    },
    {
      because: "a cluster or repository may not have been read yet",
      view: workload("a/b/deployment/c", { checkedAt: undefined } as never),
      state: "✓ up to date, not checked yet",
    },
    {
      because: "the time is the last whole check, not the last sync",
      view: workload("a/b/deployment/c", { checkedAt: "2026-11-21T18:41:53.000Z" }),
      state: "✓ up to date, checked 4 m ago",
    },
    {
      because: "a registry that can't be reached leaves the workload unchecked",
      view: workload("a/b/deployment/c", { state: "problem", unchecked: [unchecked("registry-unreachable")] }),
      state: "! not checked since 19:40 CET: registry dead.test can't be reached",
    },
    {
      because: "a repository may never have been read",
      view: workload("a/b/deployment/c", {
        state: "problem",
        unchecked: [{ ...unchecked("registry-denied"), checkedAt: undefined as never }],
      }),
      state: "! not checked yet: registry dead.test rejects the credential",
    },
    {
      because: "a limit pauses the checks",
      view: workload("a/b/deployment/c", {
        state: "problem",
        unchecked: [unchecked("registry-throttled", { until: "2026-11-21T18:50:00.000Z" })],
      }),
      state: "! not checked since 19:40 CET: registry dead.test allows no more requests, paused until 19:50 CET",
    },
    {
      because: "a repository may be gone",
      view: workload("a/b/deployment/c", { state: "problem", unchecked: [unchecked("repository-not-found")] }),
      state: "! not checked since 19:40 CET: dead.test/shop/app is not found",
    },
    {
      because: "containers of one registry share a text with the oldest check",
      view: workload("a/b/deployment/c", {
        state: "problem",
        unchecked: [
          unchecked("registry-unreachable"),
          { ...unchecked("registry-unreachable"), container: "job", checkedAt: "2026-11-21T18:38:00.000Z" },
          { ...unchecked("registry-denied"), container: "web", registry: "other.test" },
        ],
      }),
      state:
        "! not checked since 19:38 CET: registry dead.test can't be reached · not checked since 19:40 CET: registry other.test rejects the credential",
    },
    {
      because: "a reason of the record is not told twice",
      view: workload("a/b/deployment/c", {
        state: "held",
        reasons: [windowClosed, reason("registry-unreachable", { detail: "container app: dead.test" })],
        unchecked: [unchecked("registry-unreachable")],
      }),
      state: "⏸ held: window opens in 2 h 14 m · not checked since 19:40 CET: registry dead.test can't be reached",
    },
    {
      because: "a rollback under way says what went wrong",
      view: workload("a/b/deployment/c", {
        state: "rolling-back",
        blocked: [blockedView("c", "1.5.0", digests.new, { seq: 17 })],
        active: update("a/b/deployment/c", { status: "rolling-back", detail: "ImagePullBackOff" }),
      }),
      state: "↻ rolling back, ImagePullBackOff",
    },
    {
      because: "a newer server's reason is told in its own sentence",
      view: workload("a/b/deployment/c", {
        state: "held",
        reasons: [{ reason: "too-young" as never, sentence: "The image is too young.", remedy: "Wait." }],
      }),
      state: "⏸ held: The image is too young",
    },
  ])("$because", async ({ view, state }) => {
    const { stdout } = await lookout(["status"], of(view));

    expect(stdout.split("\n")[1]?.replace(/^\S+ +– +[–?] +/, "")).toBe(state);
  });

  it("prints no control characters of untrusted texts", async () => {
    const hostile = workload("a/b/deployment/c", {
      state: "problem",
      problems: [{ key: "lookout.dev/policy", value: "\u001b[2J\u202e", message: "two\nlines", closes: true }],
    });

    const { stdout } = await lookout(["status"], of(hostile));

    expect(stdout.split("\n")[1]).toBe(
      'b/deployment/c   –      ?       ! lookout.dev/policy "�[2J\\u{202e}": two lines',
    );
  });

  it("shows how to track a workload if no workload is tracked", async () => {
    const { stdout } = await lookout(["status"], of());

    expect(stdout).toBe(
      lines(
        "No workload is tracked yet. To track a workload:",
        "",
        "    kubectl annotate deployment NAME lookout.dev/enabled=true",
        "",
        server,
      ),
    );
  });

  it("says as of when all is up to date if a cluster has a problem", async () => {
    const fine = {
      at: fleet.at,
      ...noRows,
      workloads: [workload("prod/shop/deployment/api", { state: "up-to-date" })],
    };
    const summaryOf = async (clusters: readonly object[]) => {
      const body = { ...fine, clusters };
      const { stdout } = await lookout(["status"], { ...answers, "GET /v1/workloads": { body } });
      return stdout.split("\n").find((line) => line.startsWith("1 workload,"));
    };
    const [prod = {}, stage = {}] = fleet.clusters;

    expect(await summaryOf([prod])).toBe("1 workload, all up to date.");
    expect(await summaryOf([prod, stage])).toBe(
      "1 workload, all up to date at the last sync of cluster stage, 12 m ago.",
    );
    expect(await summaryOf([stage, { ...stage, name: "test" }])).toBe(
      "1 workload, all up to date at the last syncs (2 clusters with a problem).",
    );
  });

  it("does not report an empty list if no cluster could be synced", async () => {
    const body = { ...fleet, workloads: [], clusters: fleet.clusters.slice(1) };
    const { stdout } = await lookout(["status"], { ...answers, "GET /v1/workloads": { body } });

    expect(stdout.split("\n").slice(0, 2)).toEqual([
      "No cluster can be reached.",
      "! cluster stage: connect ETIMEDOUT, since 19:34 CET (11 m ago), last synced 12 m ago",
    ]);
  });

  it("tells of definitions that don't count, with the next command", async () => {
    const problem = { kind: "ImagePolicy", reason: "list-denied", detail: "no right", since: fleet.at };
    const remedy = "To give the rights: lookout cluster manifests --definitions | kubectl apply -f -";
    const clusters = [{ name: "prod", lastSyncAt: fleet.at, definitionProblems: [{ ...problem, remedy }] }];
    const { stdout, exitCode } = await lookout(["status"], {
      ...answers,
      "GET /v1/workloads": { body: { ...fleet, clusters } },
    });

    expect(exitCode).toBe(0);
    expect(stdout.split("\n").slice(-5)).toEqual([
      "! cluster prod: no right, since 19:45 CET (0 s ago)",
      `  ${remedy}`,
      "",
      server,
      "",
    ]);
  });

  it("lists freezes with author, reason and end before the clusters with a problem", async () => {
    const audit = { scope: "*", by: "bo", why: "audit", at: fleet.at };
    const christmas = { scope: "prod/shop", by: "alice", why: "Christmas\u001b[2J", at: fleet.at };
    const until = "2026-12-27T07:00:00.000Z";
    const { stdout } = await lookout(["status"], { ...answers, ...frozen(audit, { ...christmas, until }) });

    expect(stdout.split("\n").slice(-7)).toEqual([
      "5 workloads, 1 held, 1 rolling out, 1 with a blocked version, 1 with a problem.",
      "⏸ frozen: the whole fleet by bo: audit",
      "⏸ frozen: prod/shop by alice: Christmas�[2J, until 2026-12-27 08:00 CET",
      "! cluster stage: connect ETIMEDOUT, since 19:34 CET (11 m ago), last synced 12 m ago",
      "",
      server,
      "",
    ]);
  });

  it("prints the API's answer as JSON and YAML, or only names", async () => {
    const json = await lookout(["status", "--output", "json"], answers);
    const yaml = await lookout(["status", "-o", "yaml", "prod/shop/web"], answers);
    const names = await lookout(["status", "-o", "name"], answers);

    const { rows: _rows, ...view } = fleet;
    const labelled = view.workloads.map((one) =>
      one.workload.endsWith("/web") ? { ...one, labels: { app: "web" } } : one,
    );
    const object = { apiVersion: "lookout.dev/v1", kind: "WorkloadList" };
    const { counts } = listed(fleet, new URLSearchParams());
    expect(JSON.parse(json.stdout)).toEqual({ ...object, ...view, workloads: labelled, total: 5, counts });
    expect(parse(yaml.stdout)).toEqual({
      ...object,
      ...view,
      workloads: [labelled[3]],
      total: 1,
      counts: { "up-to-date": 1 },
    });
    expect(names.stdout).toBe(lines(...fleet.workloads.map((one) => one.workload)));
  });
});

describe("a workload's name", () => {
  const named = (...keys: readonly string[]) => of(...keys.map((key) => workload(key)));
  const two = named("prod/shop/deployment/api", "stage/shop/deployment/api", "prod/shop/statefulset/db");

  it.each([
    {
      because: "namespace and name are enough when they are unambiguous",
      text: "shop/db",
      key: "prod/shop/statefulset/db",
    },
    { because: "a cluster may be named", text: "stage/shop/api", key: "stage/shop/deployment/api" },
    { because: "a kind may be named", text: "shop/sts/db", key: "prod/shop/statefulset/db" },
    {
      because: "a kind may be named in full, in any case",
      text: "stage/shop/Deployment/api",
      key: "stage/shop/deployment/api",
    },
  ])("$because", async ({ text, key }) => {
    expect(await lookout(["status", text, "-o", "name"], two)).toMatchObject({ stdout: `${key}\n`, exitCode: 0 });
  });

  it("lists the candidates when it is ambiguous", async () => {
    expect(await lookout(["status", "shop/api"], two)).toMatchObject({
      exitCode: 2,
      stdout: "",
      stderr: lines(
        '✗ "shop/api" names 2 workloads. Use one of these names:',
        "  prod/shop/deployment/api",
        "  stage/shop/deployment/api",
      ),
    });
  });

  it("accepts a namespace with the name of a kind", async () => {
    const odd = named("prod/deploy/deployment/api");

    expect(await lookout(["status", "prod/deploy/api", "-o", "name"], odd)).toMatchObject({
      stdout: "prod/deploy/deployment/api\n",
    });
  });

  it("suggests workloads with the same name for an unknown workload", async () => {
    expect(await lookout(["status", "pay/db"], two)).toMatchObject({
      exitCode: 2,
      stderr: lines(
        '✗ No workload "pay/db" is tracked.',
        "  Workloads with the same name: prod/shop/statefulset/db",
        "  To see all tracked workloads:  lookout status",
      ),
    });
  });

  it.each(["a//b", "a/b/c/d/e", ""])("is rejected in an invalid form: %j", async (text) => {
    expect(await lookout(["status", text], two)).toMatchObject({
      exitCode: 2,
      stderr: lines(
        `✗ "${text}" is not a workload: expected [cluster/]namespace/[kind/]name.`,
        "  For example: shop/api, prod/shop/api, prod/shop/deployment/api",
      ),
    });
  });
});

describe("lookout status of workloads whose policies skip newer tags", () => {
  const skipping = (name: string, count: number, suggestedAnnotations?: Readonly<Record<string, string>>) =>
    workload(`prod/shop/deployment/${name}`, {
      state: "newer-skipped",
      runs: [
        {
          ...image(name, "1.4.0", digests.old),
          newerSkipped: { count, reason: "other-flavour" },
          ...(suggestedAnnotations && { suggestedAnnotations }),
        },
      ],
    });

  it("says how many were skipped and why, and which annotations follow them", async () => {
    const pattern = { "lookout.dev/tag-pattern": "^it's-(\\d+)$", "lookout.dev/filter-extract": "$1" };
    const view = of(
      skipping("api", 3, { "lookout.dev/suffixes": "revision" }),
      skipping("web", 10, pattern),
      skipping("x", 1),
    );

    expect((await lookout(["status"], view)).stdout).toBe(
      lines(
        "WORKLOAD              RUNS                   WANTS   STATE",
        "shop/deployment/api   1.4.0 @ 9b2c41d0e7aa   –       ! 3 newer tags skipped: another flavour, checked 40 s ago",
        "shop/deployment/web   1.4.0 @ 9b2c41d0e7aa   –       ! 10 or more newer tags skipped: another flavour, checked 40 s ago",
        "shop/deployment/x     1.4.0 @ 9b2c41d0e7aa   –       ! 1 newer tag skipped: another flavour, checked 40 s ago",
        "",
        "3 workloads, 3 with newer tags skipped.",
        "! prod/shop/deployment/api   annotations that follow its tags: lookout.dev/suffixes: revision",
        "! prod/shop/deployment/web   annotations that follow its tags: lookout.dev/tag-pattern: '^it''s-(\\d+)$', lookout.dev/filter-extract: '$1'",
        "",
        server,
      ),
    );
  });

  it("shows the annotations of five workloads, and counts the others", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const { stdout } = await lookout(
      ["status"],
      of(...names.map((name) => skipping(name, 1, { "lookout.dev/suffixes": "semver" }))),
    );

    expect(stdout.split("\n").slice(10, -3)).toEqual([
      ...["a", "b", "c", "d", "e"].map(
        (name) => `! prod/shop/deployment/${name}   annotations that follow its tags: lookout.dev/suffixes: semver`,
      ),
      "  2 more: lookout explain WORKLOAD",
    ]);
  });
});
