import { untrack, propose } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import {
  aContainer,
  aLive,
  aLiveContainer,
  anEnded,
  annotated,
  anObserved,
  aPatched,
  aPatching,
  aPending,
  api,
  aRecord,
  aReleased,
  aRolling,
  aRollingBack,
  at,
  digest,
  image,
  noon,
  openFacts,
  reordered,
  settingsOf,
} from "../builders.ts";
import { look } from "./looking.ts";
import { sideChange, sideLive } from "./planning.ts";
import { side } from "./proposing.ts";

describe("the first sight of a workload", () => {
  it("tracks it with the images of its pods, and asks its registries, but changes nothing", () => {
    const record = look(undefined, aLive(), { app: [digest("0"), digest("9")] });

    expect(record).toStrictEqual({
      workload: api,
      uid: "uid-1",
      version: 1,
      seq: 0,
      cause: "test",
      changedAt: noon,
      observed: {
        containers: [
          {
            list: "containers",
            name: "app",
            image: image("1.0.0"),
            digest: digest("0"),
            digests: [digest("0"), digest("9")],
            seenAt: noon,
            applied: image("1.0.0"),
          },
        ],
        annotations: { "lookout.dev/enabled": "true" },
        sourceMarks: {},
      },
      blocked: [],
      selectionFailures: [],
      transitions: [{ seq: 0, what: "tracked", reasons: [], changes: [] }],
      needsEvaluation: true,
      tracked: true,
      effects: { dueAt: at("2026-03-02T12:01:00Z") },
    });
  });

  it("ignores a workload that is not tracked", () => {
    expect(look(undefined, aLive({ annotations: {} }))).toBeUndefined();
    expect(look(undefined, aLive({ annotations: { "lookout.dev/enabled": "false" } }))).toBeUndefined();
  });
});

describe("another observation of a workload", () => {
  it("changes nothing if nothing changed", () => {
    expect(look(aRecord(), aLive())).toBeUndefined();
  });

  it("changes nothing for fields that no decision uses", () => {
    expect(
      look(aRecord(), aLive({ generation: 99, annotations: { "lookout.dev/enabled": "true", note: "x" } })),
    ).toBeUndefined();
  });

  it("stores the labels without Lookout's own", () => {
    const labels = { team: "shop", "lookout.dev/update": "abc123-1" };

    expect(look(aRecord(), aLive({ labels }))?.observed.labels).toEqual({ team: "shop" });
  });

  it("changes nothing when the table returns the record's keys in another order", () => {
    const live = aLive({ annotations: annotated({ policy: "semver" }) });

    expect(look(reordered(aRecord({ observed: anObserved({ annotations: live.annotations }) })), live)).toBeUndefined();
  });

  it("changes nothing after the registry was asked about an owned image", () => {
    const live = aLive({ containers: [aLiveContainer({ imageOwner: { manager: "kubectl", operation: "Update" } })] });
    const tracked = look(undefined, live, { app: [digest("0")] });
    const asked =
      tracked &&
      propose(
        tracked,
        {
          desiredImages: [{ kind: "satisfied", container: "app", baseline: digest("0") }],
          settings: settingsOf(tracked),
          facts: openFacts,
          detectedAt: noon,
          source: "sync",
          allContainers: true,
        },
        noon,
      );

    expect(asked?.observed.containers[0]?.baseline).toBe(digest("0"));
    expect(look(asked, live)).toBeUndefined();
  });

  it("adopts a user's image, and evaluates the workload again", () => {
    const record = look(
      aRecord({ pending: aPending() }),
      aLive({ containers: [aLiveContainer({ image: image("3.0.0") })] }),
    );

    expect(record).toMatchObject({
      version: 6,
      needsEvaluation: true,
      observed: { containers: [{ list: "containers", name: "app", image: image("3.0.0") }] },
      transitions: [{ seq: 0, what: "observed", detail: `container app has ${image("3.0.0")}` }],
    });
    expect(record?.observed.containers[0]).toEqual({
      ...{ list: "containers", name: "app", image: image("3.0.0") },
      seenAt: noon,
    });
  });

  it("reports every container that has another image now", () => {
    const record = aRecord({ observed: anObserved({ containers: [aContainer(), side] }) });
    const containers = [aLiveContainer({ image: image("3.0.0") }), { ...sideLive, image: sideChange.to }];

    expect(look(record, aLive({ containers }))?.transitions).toEqual([
      {
        ...{ seq: 0, what: "observed", reasons: [], changes: [] },
        detail: `container app has ${image("3.0.0")}, container side has ${sideChange.to}`,
      },
    ]);
    expect(look(record, aLive({ containers: [containers[0]!, sideLive] }))?.transitions).toMatchObject([
      { detail: `container app has ${image("3.0.0")}` },
    ]);
  });

  it("reports a new container", () => {
    expect(look(aRecord(), aLive({ containers: [aLiveContainer(), sideLive] }))?.transitions).toMatchObject([
      { detail: `container side has ${sideLive.image}` },
    ]);
  });

  it("does not report newly read digests", () => {
    const { digest: _, ...unknown } = aContainer();
    const record = aRecord({ observed: anObserved({ containers: [unknown] }) });

    expect(look(record, aLive(), { app: [digest("5")] })?.transitions).toStrictEqual([
      { seq: 0, what: "observed", reasons: [], changes: [] },
    ]);
  });

  it("stores changed annotations and evaluates again", () => {
    expect(look(aRecord(), aLive({ annotations: annotated({ suspend: "true" }) }))).toMatchObject({
      needsEvaluation: true,
      observed: { annotations: annotated({ suspend: "true" }) },
      transitions: [{ seq: 0, what: "observed", detail: "the annotations changed" }],
    });
  });
});

describe("an observation during an update", () => {
  it.each([
    { active: aReleased(), because: "it is released" },
    { active: aPatching(), because: "its intent is stored" },
  ])("changes nothing before the patch: $because", ({ active }) => {
    expect(look(aRecord({ seq: 1, active }), aLive({ annotations: annotated({ suspend: "true" }) }))).toBeUndefined();
  });

  it("ends a released update when a user set another image, unless its patch may be in flight", () => {
    const live = aLive({ containers: [aLiveContainer({ image: image("3.0.0") })] });

    expect(look(aRecord({ seq: 1, active: aReleased() }), live)).toMatchObject({
      last: { seq: 1, status: "superseded", reason: "changed-by-hand" },
    });
    expect(look(aRecord({ seq: 1, active: aPatching() }), live)).toBeUndefined();
  });

  it("ends a released update when a user set another image of another container", () => {
    const observed = anObserved({ containers: [aContainer(), side] });
    const live = aLive({ containers: [aLiveContainer(), { ...sideLive, image: sideChange.to }] });

    expect(look(aRecord({ seq: 1, active: aReleased(), observed }), live)?.last).toMatchObject({
      seq: 1,
      status: "superseded",
    });
  });

  it("stores the marks of a declared source", () => {
    const labels = { "kustomize.toolkit.fluxcd.io/name": "apps" };

    expect(look(aRecord({ seq: 1, active: aRolling() }), aPatched(image("9.9.9"), { labels }))).toMatchObject({
      observed: { ...anObserved(), sourceMarks: labels },
      transitions: [{ seq: 0, what: "observed", reasons: [] }],
    });
  });

  it.each([
    { active: aRolling(), because: "it rolls out" },
    { active: aRollingBack(), because: "it is rolled back" },
  ])("stores only changed settings when $because", ({ active }) => {
    const record = aRecord({ seq: 1, active });

    expect(look(record, aPatched(image("9.9.9")))).toBeUndefined();
    expect(look(record, aPatched(image("9.9.9"), { annotations: annotated({ suspend: "true" }) }))).toMatchObject({
      needsEvaluation: true,
      active,
      observed: { ...record.observed, annotations: annotated({ suspend: "true" }) },
      transitions: [{ seq: 0, what: "observed", detail: "the annotations changed" }],
    });
  });
});

describe("a deleted object", () => {
  const open = aRecord({
    seq: 2,
    active: aRolling(),
    pending: aPending({ seq: 2 }),
    selectionFailures: [{ container: "app", reason: "tag-not-found" }],
    needsEvaluation: true,
  });

  it("ends open updates, and keeps numbers, blocked digests and holds", () => {
    const record = untrack(open, noon);

    expect(record).toMatchObject({
      version: 6,
      seq: 2,
      tracked: false,
      selectionFailures: [],
      transitions: [
        { seq: 0, what: "untracked" },
        { seq: 1, what: "superseded", reasons: [{ reason: "workload-gone" }] },
        { seq: 2, what: "superseded", reasons: [{ reason: "workload-gone" }] },
      ],
    });
    expect(record).not.toHaveProperty("active");
    expect(record).not.toHaveProperty("pending");
    expect(record).not.toHaveProperty("needsEvaluation");
    expect(record).not.toHaveProperty("dueAt");
    expect(untrack(record!, noon)).toBeUndefined();
  });

  it("is handled like an object that is no longer tracked", () => {
    const off = aLive({ annotations: {} });

    expect(look(open, off)).toMatchObject({
      tracked: false,
      last: { seq: 2, status: "superseded", reason: "not-tracked" },
    });
    expect(look(look(open, off), off)).toBeUndefined();
  });

  it("keeps the images that may be written, so that a user's rollback is recognized", () => {
    expect(untrack(open, noon)?.landed).toMatchObject({ seq: 1, status: "superseded" });
    expect(untrack(aRecord({ seq: 1, active: aReleased() }), noon)).not.toHaveProperty("landed");
    expect(untrack(aRecord({ seq: 1, active: aReleased() }), noon)?.last).toMatchObject({ seq: 1 });
    expect(untrack(aRecord({ seq: 1, pending: aPending() }), noon)).not.toHaveProperty("landed");
  });

  it("keeps counting when another object has its name", () => {
    const hold = { reason: "reverted-by-user", at: noon, seq: 1, detail: "x" } as const;
    const record = look({ ...open, hold, landed: anEnded() }, aLive({ uid: "uid-2" }));

    expect(record).toMatchObject({ uid: "uid-2", version: 6, seq: 2, tracked: true, needsEvaluation: true, hold });
    expect(record?.transitions.map(({ seq, what }) => [seq, what])).toEqual([
      [0, "tracked"],
      [1, "superseded"],
      [2, "superseded"],
    ]);
    expect(record).not.toHaveProperty("active");
    expect(record).not.toHaveProperty("pending");
    expect(record).not.toHaveProperty("landed");
    expect(record).toMatchObject({ selectionFailures: [], last: { seq: 2, reason: "object-recreated" } });
    expect(record?.observed.containers).toEqual([
      { list: "containers", name: "app", image: image("1.0.0"), seenAt: noon, applied: image("1.0.0") },
    ]);
  });
});
