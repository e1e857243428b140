import { noCheckFacts } from "#domain/checks/facts";
import { judged } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import { judgeRestart } from "#domain/update/decide/restart-proof";
import { judgeRollout } from "#domain/update/decide/verify";
import type { RunningImages } from "#domain/workload/health";
import type { ImageChange } from "#domain/workload/patch";
import {
  decided,
  aChange,
  aContainer,
  aLiveContainer,
  anObserved,
  aPatched,
  aRecord,
  aRolling,
  aRunning,
  at,
  digest,
  image,
  imageName,
  installation,
  limits,
  noon,
  settingsOf,
} from "../builders.ts";

/** The restart of `app`: the tag 1.0.0 moved from digest 0 to digest 1, an index of the digests a and b. */
const restarted = (given: Partial<ImageChange> = {}): ImageChange =>
  aChange({
    tag: "1.0.0",
    apply: "restart",
    to: image("1.0.0"),
    platformDigests: [digest("a"), digest("b")],
    ...given,
  });
const live = aPatched(image("1.0.0"));
const proofOf = (running: RunningImages | undefined, changes: readonly ImageChange[] = [restarted()], shown = live) =>
  judgeRestart({ changes }, shown, running);
const always = "the tag may have moved again, or a mirror has the old image";
const ifNotPresent = "with imagePullPolicy IfNotPresent, nodes keep the old image: set imagePullPolicy: Always";

describe("a restart is proved", () => {
  it.each([
    { how: "report the digest of the index", running: { app: [digest("1")] } },
    { how: "report a platform of the index", running: { app: [digest("b")] } },
    { how: "of two platforms report theirs", running: { app: [digest("a"), digest("b")] } },
    { how: "report the index and a platform", running: { app: [digest("1"), digest("a")] } },
    { how: "run another digest in an unchanged container", running: { app: [digest("1")], side: [digest("9")] } },
  ])("if the pods $how", ({ running }) => {
    expect(proofOf(running)).toEqual({ kind: "proved" });
  });

  it("if the pods report the digest of a single image, or of an index with too many platforms", () => {
    const { platformDigests: _, ...unknown } = restarted();

    expect(proofOf({ app: [digest("1")] }, [restarted({ platformDigests: [] })])).toEqual({ kind: "proved" });
    expect(proofOf({ app: [digest("1")] }, [unknown])).toEqual({ kind: "proved" });
  });

  it("without a look at the pods if the update writes each image", () => {
    expect(proofOf({ app: [digest("9")] }, [aChange(), aChange({ name: "side", apply: "tag" })])).toEqual({
      kind: "proved",
    });
    expect(proofOf(undefined, [aChange()])).toEqual({ kind: "proved" });
  });
});

describe("a restart is not proved", () => {
  it.each([undefined, {}, { app: [] }, { side: [digest("1")] }])("if the pods report %j", (running) => {
    expect(proofOf(running)).toEqual({
      kind: "unproved",
      detail: "not proved that they run the new digest: container app reports no digest",
    });
  });

  it("by another digest if the platforms of the index are unknown", () => {
    const { platformDigests: _, ...unknown } = restarted();

    expect(proofOf({ app: [digest("0"), digest("1")] }, [unknown])).toEqual({
      kind: "unproved",
      detail: `not proved that they run the new digest: container app reports ${digest("0")}, and the platforms of ${digest("1")} are unknown`,
    });
  });

  it("for each of several containers, of which it names three", () => {
    const changes = ["a", "b", "c", "d", "e"].map((name) => restarted({ name }));

    expect(proofOf({ b: [digest("1")] }, changes)).toEqual({
      kind: "unproved",
      detail:
        "not proved that they run the new digest: container a reports no digest; container c reports no digest; container d reports no digest; and 1 more",
    });
    expect(proofOf({ a: [digest("1")], b: [digest("1")] }, changes)).toEqual({
      kind: "unproved",
      detail:
        "not proved that they run the new digest: container c reports no digest; container d reports no digest; container e reports no digest",
    });
  });
});

describe("a restart is refuted", () => {
  it.each([
    { how: "the earlier digest", running: [digest("0")], pods: "the pods run", other: digest("0") },
    { how: "a platform of another index", running: [digest("c")], pods: "the pods run", other: digest("c") },
    { how: "two other digests", running: [digest("0"), digest("c")], pods: "the pods run", other: digest("0") },
    { how: "both digests", running: [digest("0"), digest("1")], pods: "some pods run", other: digest("0") },
    { how: "a platform, or another", running: [digest("a"), digest("c")], pods: "some pods run", other: digest("c") },
  ])("if the pods report $how", ({ running, pods, other }) => {
    expect(proofOf({ app: running })).toEqual({
      kind: "refuted",
      changes: [restarted()],
      runs: { app: other },
      detail: `${pods} ${other} in container app instead of ${digest("1")}; ${ifNotPresent}`,
    });
  });

  it.each([
    { pullPolicy: "Always", why: always },
    { pullPolicy: "IfNotPresent", why: ifNotPresent },
    { pullPolicy: "Never", why: ifNotPresent.replace("IfNotPresent", "Never") },
  ] as const)("and says what to do with the pull policy $pullPolicy", ({ pullPolicy, why }) => {
    const shown = aPatched(undefined, { containers: [aLiveContainer({ pullPolicy })] });

    expect(proofOf({ app: [digest("0")] }, [restarted()], shown)).toMatchObject({
      detail: `the pods run ${digest("0")} in container app instead of ${digest("1")}; ${why}`,
    });
  });

  it("by one of two containers, of which only that one is at fault", () => {
    const init = restarted({ list: "initContainers", name: "init" });

    expect(proofOf({ app: [digest("1")], init: [digest("0")] }, [restarted(), init])).toEqual({
      kind: "refuted",
      changes: [init],
      runs: { init: digest("0") },
      detail: `the pods run ${digest("0")} in container init instead of ${digest("1")}; ${ifNotPresent}`,
    });
  });

  it("although another container reports no digest", () => {
    expect(proofOf({ app: [digest("0")] }, [restarted({ name: "side" }), restarted()])).toMatchObject({
      kind: "refuted",
      changes: [restarted()],
    });
  });
});

const restart = { from: "2026-03-01T00:00:00.000Z", to: "2026-03-02T12:00:00.000Z" };
const rolling = aRolling({ changes: [restarted()], restart });
const shown = aPatched(image("1.0.0"), { restartedAt: restart.to });
const later = at("2026-03-02T12:01:00Z");
const record = aRecord({
  seq: 1,
  active: rolling,
  effects: { dueAt: at("2026-03-02T12:11:00Z") },
  observed: anObserved({ restartedAt: restart.from }),
});
const judge = (running: RunningImages | undefined, active = rolling, before = record) => {
  const health = { kind: "healthy", live: shown, pods: 3, restarts: 0 } as const;
  const inputs = {
    health,
    installation,
    ...(running === undefined ? {} : { running }),
    settings: settingsOf(before),
    limits,
    checks: noCheckFacts,
  };
  const verdict = judgeRollout({ ...before, active }, active, inputs, later);
  return verdict.kind === "decided" && verdict.decision
    ? decided({ ...before, active }, verdict.decision, later)
    : undefined;
};
const settled = aRunning(
  { seenAt: noon, settlesAt: at("2026-03-02T12:00:10Z"), since: noon, restarts: 0, pods: 3 },
  { changes: [restarted()], restart },
);

describe("a rollout by restart", () => {
  it.each([
    { when: "at the first check", active: rolling },
    { when: "after the pods ran for a while", active: settled },
  ])("fails without a rollback if the pods run another digest, $when", ({ active }) => {
    const detail = `the pods run ${digest("0")} in container app instead of ${digest("1")}; ${ifNotPresent}`;
    const why = { reason: "pods-run-another-digest", detail };
    const next = judge({ app: [digest("0")] }, active);

    expect(next?.active).toBeUndefined();
    expect(next?.last).toMatchObject({ status: "failed", seq: 1, restart, ...why });
    expect(next?.blocked).toEqual([
      { imageName, digest: digest("1"), tag: "1.0.0", reason: why.reason, seq: 1, at: later },
    ]);
    expect(next?.needsEvaluation).toBe(true);
    expect(next?.transitions).toMatchObject([{ what: "failed", reasons: [why] }]);
    expect(next?.landed).toBeUndefined();
  });

  it("remembers the digest that the pods run, so that the new digest does not count as running", () => {
    const next = judge({ app: [digest("c")] });

    expect(next?.observed).toEqual({
      ...record.observed,
      updateLabel: "abc123-1",
      restartedAt: restart.to,
      containers: [aContainer({ digest: digest("c"), baseline: digest("0") })],
    });
  });

  it("takes the running digest as the baseline if there was none", () => {
    const { baseline: _, ...unknown } = aContainer();
    const before = { ...record, observed: { ...record.observed, containers: [unknown] } };

    expect(judge({ app: [digest("c")] }, rolling, before)?.observed.containers).toEqual([
      aContainer({ digest: digest("c"), baseline: digest("c") }),
    ]);
  });

  it("blocks and remembers only the container that runs another digest", () => {
    const side = restarted({ name: "side", imageName: "registry.test/shop/side", digest: digest("2") });
    const active = { ...rolling, changes: [restarted(), side] };
    const sides = [aContainer(), aContainer({ name: "side" })];
    const before = { ...record, observed: { ...record.observed, containers: sides } };
    const withSide = { ...before, active };
    const verdict = judgeRollout(
      withSide,
      active,
      {
        health: {
          kind: "healthy",
          live: { ...shown, containers: [aLiveContainer(), aLiveContainer({ name: "side", index: 1 })] },
          pods: 3,
          restarts: 0,
        },
        running: { app: [digest("1")], side: [digest("0")] },
        installation,
        settings: settingsOf(before),
        limits,
        checks: noCheckFacts,
      },
      later,
    );
    const next = judged(withSide, verdict, later);
    const { digest: _, baseline: __, ...unread } = aContainer();

    expect(next).toMatchObject({
      record: {
        blocked: [{ digest: digest("2"), imageName: "registry.test/shop/side" }],
        observed: { containers: [unread, aContainer({ name: "side", digest: digest("0"), baseline: digest("0") })] },
      },
    });
    expect(next.kind === "store" && next.record.blocked).toHaveLength(1);
    expect(next.kind === "store" && next.record.observed.containers[0]).toEqual(unread);
  });

  it("succeeds if the pods run the new digest", () => {
    expect(judge({ app: [digest("a")] }, settled)?.last).toMatchObject({ status: "succeeded", detail: "3 pods" });
  });

  it("succeeds, and says that it is not proved, if the pods report no digest", () => {
    expect(judge(undefined, settled)?.last).toMatchObject({
      status: "succeeded",
      detail: "3 pods; not proved that they run the new digest: container app reports no digest",
    });
  });

  it("waits until the pods have run for a while, also if it is proved", () => {
    expect(judge({ app: [digest("1")] })?.active).toMatchObject({ progress: { kind: "running" } });
  });
});
