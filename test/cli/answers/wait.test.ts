import { describe, expect, it } from "vitest";
import { movedDigest, nextUpdate, outlookOf, type Seen, standingOf, waitExitCode, worstOf } from "#cli/answers/wait";
import type { DecisionView, WorkloadView } from "#contracts/api/workloads";
import { blockedView, digests, image, reason, update, workload } from "../views.ts";

const api = "prod/shop/deployment/api";
const wanted = image("api", "1.5.0", digests.new);
const old = image("api", "1.4.2", digests.old);
const newer = image("api", "1.6.0", digests.other);
const goal = { kind: "version", text: "1.5.0" } as const;
const at = "2026-11-21T08:13:00.000Z";

function row(fact: DecisionView["fact"], more: Partial<DecisionView> = {}): DecisionView {
  return { at, seq: 17, version: 7, what: "x", fact, images: [wanted], reasons: [], cause: "c", ...more };
}

const seen = (view: Partial<WorkloadView>, ...decisions: readonly DecisionView[]): Seen => ({
  view: workload(api, { runs: [old], ...view }),
  decisions,
});

describe("the wait for a version", () => {
  const last = (more: Parameters<typeof update>[1]) => ({ last: update(api, { endedAt: at, ...more }) });
  it.each([
    { because: "its update waits", seen: seen({ pending: update(api) }), is: { kind: "open" } },
    {
      because: "its update is rolled back now",
      seen: seen({ active: update(api, { status: "rolling-back" }) }),
      is: { kind: "open" },
    },
    {
      because: "it is tried again after a failure",
      seen: seen({ pending: update(api, { seq: 18 }), ...last({ status: "rolled-back" }) }),
      is: { kind: "open", update: { seq: 18 } },
    },
    {
      because: "its update succeeded",
      seen: seen({ runs: [wanted], ...last({ status: "succeeded" }) }),
      is: { result: "succeeded", seq: 17, endedAt: at },
    },
    {
      because: "it runs without an update",
      seen: seen({ runs: [wanted] }),
      is: { result: "succeeded", images: [wanted] },
    },
    {
      because: "it runs since an earlier update",
      seen: seen(
        { runs: [wanted], active: update(api, { seq: 18, wants: [newer], status: "rolling-out" }) },
        row("RolloutSucceeded"),
      ),
      is: { result: "succeeded", seq: 17, endedAt: at },
    },
    {
      because: "it runs, and its update was therefore superseded",
      seen: seen({ runs: [wanted], ...last({ status: "superseded", reasons: [reason("already-runs")] }) }),
      is: { result: "succeeded" },
    },
    {
      because: "it ran before a newer version",
      seen: seen(
        { runs: [newer], ...last({ seq: 18, status: "succeeded", wants: [newer] }) },
        row("RolloutSucceeded", { seq: 18, images: [newer] }),
        row("RolloutSucceeded"),
      ),
      is: { result: "succeeded", newer: [newer] },
    },
    {
      because: "it was superseded before it ran",
      seen: seen({ pending: update(api, { seq: 18, wants: [newer] }) }, row("UpdateSuperseded")),
      is: { result: "superseded", newer: [newer] },
    },
    { because: "it was rolled back", seen: seen(last({ status: "rolled-back" })), is: { result: "rolled-back" } },
    {
      because: "it was rolled back, and unblocked since",
      seen: seen(last({ status: "rolled-back" }), row("DigestsUnblocked", { seq: 0 }), row("RolledBack")),
      is: { kind: "no-update" },
    },
    { because: "a user reverted it", seen: seen(last({ status: "reverted" })), is: { result: "reverted" } },
    { because: "a person rejected it", seen: seen(last({ status: "rejected" })), is: { result: "rejected" } },
    {
      because: "its digest is blocked",
      seen: seen({ blocked: [blockedView("api", "1.5.0", digests.new)] }),
      is: { result: "blocked", seq: 16, why: "failed here (rollout failed)" },
    },
    {
      because: "an annotation is invalid",
      seen: seen({ problems: [{ key: "lookout.dev/policy", value: "x", message: "unknown", closes: true }] }),
      is: { result: "paused", why: 'lookout.dev/policy "x": unknown' },
    },
    { because: "nothing is known about it", seen: seen({}), is: { kind: "no-update" } },
    {
      because: "only an untracked container has the tag",
      seen: seen({ runs: [old, { container: "proxy", image: "p:1.5.0", imageName: "p", tag: "1.5.0" }] }),
      is: { kind: "no-update" },
    },
  ])("sees that $because", ({ seen, is }) => {
    expect(standingOf(goal, seen)).toMatchObject(is);
  });

  it.each([
    { text: digests.new, is: "succeeded" },
    { text: "4d5e6f708192", is: "succeeded" },
    { text: "sha256:4d5e6f708192", is: "succeeded" },
    { text: "4d5e6f70819", is: undefined },
    { text: "4d5e6f708193", is: undefined },
    { text: "1.5", is: undefined },
  ])("finds a running image by $text: $is", ({ text, is }) => {
    const standing = standingOf({ kind: "version", text }, seen({ runs: [wanted] }));

    expect("result" in standing ? standing.result : undefined).toBe(is);
  });

  it("tells two digests of one tag apart, if the digest is known", () => {
    const pushed = { ...goal, digest: digests.other };

    expect(standingOf(pushed, seen({ runs: [wanted] }))).toEqual({ kind: "no-update" });
  });
});

describe("the wait without a version", () => {
  it("is for the newest open update, or the next one", () => {
    const open = { active: update(api), pending: update(api, { seq: 18 }) };

    expect([open, { last: update(api) }, {}].map((view) => nextUpdate(workload(api, view)))).toEqual([18, 18, 1]);
  });

  it.each([
    {
      because: "the next update has not come",
      seen: seen({ last: update(api, { seq: 16 }) }),
      is: { kind: "no-update" },
    },
    { because: "the update is open", seen: seen({ active: update(api) }), is: { kind: "open" } },
    {
      because: "the update that superseded it is open",
      seen: seen({ pending: update(api, { seq: 18 }) }, row("UpdateSuperseded")),
      is: { kind: "open", update: { seq: 18 } },
    },
    {
      because: "the update ended, and a later one is open",
      seen: seen({ pending: update(api, { seq: 18 }) }, row("RolledBack")),
      is: { result: "rolled-back", seq: 17 },
    },
  ])("sees that $because", ({ seen, is }) => {
    expect(standingOf({ kind: "update", seq: 17 }, seen)).toMatchObject(is);
  });
});

describe("the outlook of a tag", () => {
  const selection = {
    container: "api",
    policy: "semver ^1",
    outcome: "unchanged",
    tag: "1.4.2",
    rejected: [],
  } as const;
  const explanation = (...selections: Parameters<typeof outlookOf>[0]["selections"]) => ({
    ...{ at, gates: [], notices: [], workload: workload(api, { runs: [old] }) },
    selections,
  });
  const knows = () => ({ known: true, words: "the policy's words" });
  const absent = () => ({ known: false, words: "the policy's words" });

  it.each([
    { because: "nobody pushed it", verdict: absent, selections: [selection], mayCome: true },
    { because: "the policy knows why not", verdict: knows, selections: [selection], mayCome: false },
    { because: "it is selected", verdict: knows, selections: [{ ...selection, tag: "1.5.0" }], mayCome: true },
    {
      because: "it is too young",
      verdict: knows,
      selections: [{ ...selection, rejected: [{ tag: "1.5.0", reason: "too-new" as const }] }],
      mayCome: true,
    },
    {
      because: "the registry gives no answer",
      verdict: knows,
      selections: [{ ...selection, outcome: "none" as const, why: reason("registry-unreachable") }],
      mayCome: true,
    },
    { because: "no container has a policy", verdict: knows, selections: [], mayCome: false },
  ])("is right if $because", ({ verdict, selections, mayCome }) => {
    expect(outlookOf(explanation(...selections), "1.5.0", verdict).mayCome).toBe(mayCome);
  });
});

describe("a tag that moved", () => {
  const selection = { container: "api", policy: "semver", outcome: "unchanged", tag: "1.5.0", rejected: [] } as const;

  it.each([
    { because: "the workload gets another digest", digest: digests.other, is: digests.other },
    { because: "the workload has its digest", digest: digests.new, is: undefined },
    { because: "the workload gets nothing", digest: undefined, is: undefined },
  ])("is waited for only if it leads to another image: $because", ({ digest, is }) => {
    const selections = [{ ...selection, ...(digest === undefined ? {} : { digest }) }];

    expect(movedDigest({ selections }, "1.5.0", [wanted])).toBe(is);
    expect(movedDigest({ selections }, "1.6.0", [wanted])).toBe(undefined);
  });
});

describe("the exit code of a wait", () => {
  it.each([
    ["succeeded", 0, 0],
    ["rolled-back", 1, 0],
    ["superseded", 4, 0],
    ["rejected", 4, 0],
    ["not-wanted", 4, 4],
    ["paused", 1, 1],
    ["untracked", 1, 1],
    ["timed-out", 5, 5],
  ] as const)("after %s is %i, and %i if any end will do", (result, succeeded, settled) => {
    expect([waitExitCode(result, "succeeded"), waitExitCode(result, "settled")]).toEqual([succeeded, settled]);
  });

  it("is the worst of several: failed, then timed out, then not wanted", () => {
    expect([worstOf([]), worstOf([0, 4]), worstOf([4, 5, 0]), worstOf([5, 1, 4])]).toEqual([0, 4, 5, 1]);
  });
});
