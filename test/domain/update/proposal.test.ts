import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wantsOtherImages } from "#domain/update/decide/propose";
import type { SelectionFailure, WorkloadRecord } from "#domain/update/state/workload";
import {
  aChange,
  aNewerChange,
  annotated,
  aPending,
  aRecord,
  aReleased,
  aRolling,
  at,
  digest,
  noon,
  openFacts,
  settingsOf,
} from "../builders.ts";
import { change, satisfied, selectionFailure, proposed, suspended, sideChange, both } from "./proposing.ts";

describe("a proposed update", () => {
  it("is released at once when every gate is open", () => {
    const next = proposed(aRecord({ seq: 6 }), [change()]);

    expect(next).toEqual({
      ...aRecord(),
      version: 6,
      seq: 7,
      cause: "test",
      changedAt: noon,
      active: aReleased({ seq: 7 }),
      transitions: [{ seq: 7, what: "released", reasons: [], changes: [aChange()], selected: true }],
      effects: { budget: { takes: 0 }, dueAt: at("2026-03-02T12:01:00Z") },
    });
  });

  it("is held by every closed gate", () => {
    const facts = { ...openFacts, quarantined: [{ digest: digest("1"), why: "CVE" }] };
    const next = proposed(suspended(), [change()], { facts });

    expect(next?.active).toBeUndefined();
    expect(next?.pending).toEqual(
      aPending({ waits: [{ reason: "suspended" }, { reason: "quarantined", detail: `${digest("1")}: CVE` }] }),
    );
    expect(next?.transitions).toEqual([
      { seq: 1, what: "held", reasons: next?.pending?.waits, changes: [aChange()], selected: true },
    ]);
  });

  it("waits for the active update", () => {
    const next = proposed(aRecord({ seq: 1, active: aRolling() }), [change(aNewerChange())]);

    expect(next?.active).toEqual(aRolling());
    expect(next?.pending).toMatchObject({
      seq: 2,
      waits: [{ reason: "rollout-in-progress", detail: "update 1 is rolling-out" }],
    });
  });

  it("is not stored when the same update is active", () => {
    expect(proposed(aRecord({ seq: 1, active: aRolling() }), [change()])).toBeUndefined();
  });

  it.each([
    { wanted: aChange({ tag: "1.1.1" }), because: "another tag of the same image" },
    { wanted: aChange({ digest: digest("9") }), because: "another image of the same tag" },
    { wanted: aChange({ name: "side" }), because: "the same image for another container" },
  ])("waits for the active update if it is $because", ({ wanted }) => {
    expect(proposed(both({ seq: 1, active: aRolling() }), [change(wanted)])?.pending?.changes).toEqual([wanted]);
  });

  it("replaces the pending update of its container, with a fact", () => {
    const next = proposed(suspended({ seq: 1, pending: aPending() }), [change(aNewerChange())]);

    expect(next?.pending).toMatchObject({ seq: 2, changes: [aNewerChange()] });
    expect(next?.transitions).toMatchObject([
      { seq: 1, what: "superseded", reasons: [{ reason: "superseded-by-a-newer-push", detail: "update 2" }] },
      { seq: 2, what: "held", selected: true },
    ]);
  });

  it("keeps the place of the replaced update in the queue for slots", () => {
    const waits = [{ reason: "cluster-budget" }] as const;
    const { slot, ...full } = openFacts;
    const record = aRecord({ seq: 1, pending: aPending({ waits }) });
    const later = (minute: number) => at(`2026-03-02T12:0${String(minute)}:00Z`);
    const second = proposed(record, [change(aNewerChange())], { facts: full }, later(1));
    const third = second && proposed(second, [change(aChange({ tag: "1.3.0" }))], { facts: full }, later(2));

    expect(slot).toBe(0);
    expect(second?.pending).toMatchObject({ waits, selectedAt: later(1), queuedAt: noon });
    expect(third?.pending).toMatchObject({ waits, selectedAt: later(2), queuedAt: noon });
  });

  it("keeps the pending images of other containers, in the order of the containers", () => {
    const record = both({ seq: 1, pending: aPending({ changes: [sideChange] }) }, { suspend: "true" });

    expect(proposed(record, [change()], { allContainers: false })?.pending).toMatchObject({
      seq: 2,
      changes: [aChange(), sideChange],
    });
    expect(proposed(record, [change(), satisfied("side")])?.pending?.changes).toEqual([aChange()]);
  });

  it("has the desired images of all containers", () => {
    expect(proposed(both(), [change(sideChange), change()])?.active?.changes).toEqual([aChange(), sideChange]);
  });

  it("drops the pending image of a container that is no longer tracked", () => {
    const record = both(
      { seq: 1, pending: aPending({ changes: [aChange(), sideChange] }), needsEvaluation: true },
      { "container.side.enabled": "false", suspend: "true" },
    );

    expect(proposed(record, [change()])?.pending?.changes).toEqual([aChange()]);
  });

  it("is not held by another update's quarantined digest", () => {
    const record = suspended({ seq: 1, pending: aPending() });

    const facts = { ...openFacts, quarantined: [{ digest: digest("1"), why: "CVE" }] };

    expect(proposed(record, [change(aNewerChange())], { facts })?.pending?.waits).toEqual([{ reason: "suspended" }]);
  });
});

describe("the same desired image again", () => {
  it("changes nothing while the same gates are closed", () => {
    const once = proposed(suspended(), [change()]);

    expect(proposed(once!, [change()])).toBeUndefined();
  });

  it("releases the update under the same number when the gates are open", () => {
    const next = proposed(aRecord({ seq: 1, pending: aPending({ timesDeadLettered: 2 }) }), [change()]);

    expect(next?.active).toEqual(aReleased({ timesDeadLettered: 2 }));
    expect(next?.seq).toBe(1);
    expect(next).not.toHaveProperty("pending");
    expect(next?.transitions).toEqual([{ seq: 1, what: "released", reasons: [], changes: [aChange()] }]);
  });

  it("is held by other gates that are closed now", () => {
    const next = proposed(suspended({ seq: 1, pending: aPending({ waits: [{ reason: "quarantined" }] }) }), [change()]);

    expect(next?.pending).toEqual(aPending());
    expect(next?.transitions).toMatchObject([{ seq: 1, what: "held", reasons: [{ reason: "suspended" }] }]);
  });

  it("is released with its count of failures", () => {
    const pending = aPending({ timesDeadLettered: 2, clusterFailures: 3 });

    expect(proposed(aRecord({ seq: 1, pending }), [change()])?.active).toEqual(
      aReleased({ timesDeadLettered: 2, clusterFailures: 3 }),
    );
  });

  it("waits until the pause after a failed try ends", () => {
    const until = at("2026-03-02T12:30:00Z");
    const record = aRecord({
      seq: 1,
      pending: aPending({ waits: [{ reason: "cluster-unreachable", until, detail: "x" }] }),
    });

    expect(proposed(record, [change()])).toBeUndefined();
    expect(proposed(record, [change()], {}, until)?.active).toMatchObject({ seq: 1, status: "released" });
  });
});

/** Returns a record whose containers run the images of its pending update. */
function thatRuns(record: WorkloadRecord): WorkloadRecord {
  const containers = record.observed.containers.map((one) => {
    const change = record.pending?.changes.find(({ name }) => name === one.name);
    return change === undefined ? one : { ...one, image: change.to, digest: change.digest };
  });
  return { ...record, observed: { ...record.observed, containers } };
}

describe("an image that is no longer desired", () => {
  it("does not run already because its container needs no other image", () => {
    const next = proposed(suspended({ seq: 1, pending: aPending() }), [satisfied()]);

    expect(next?.last).toMatchObject({ status: "superseded", reason: "no-longer-wanted" });
  });

  it.each([
    { desired: satisfied(), reason: "already-runs" },
    { desired: selectionFailure("no-tag-fits"), reason: "no-longer-wanted" },
    { desired: selectionFailure("digest-blocked"), reason: "no-longer-wanted" },
  ])("ends the pending update: $reason", ({ desired, reason }) => {
    const next = proposed(thatRuns(suspended({ seq: 1, pending: aPending() })), [desired]);

    expect(next).not.toHaveProperty("pending");
    const { detectedAt, source } = aPending();
    expect(next?.transitions).toEqual([
      { seq: 1, what: "superseded", reasons: [{ reason }], changes: [aChange()], detectedAt, source },
    ]);
  });

  it.each([
    { desiredImages: [satisfied(), satisfied("side")], reason: "already-runs" },
    { desiredImages: [satisfied(), selectionFailure("no-tag-fits", "side")], reason: "no-longer-wanted" },
    { desiredImages: [selectionFailure("no-tag-fits"), satisfied("side")], reason: "no-longer-wanted" },
  ])("of two containers ends the pending update: $reason", ({ desiredImages, reason }) => {
    const record = both({ seq: 1, pending: aPending({ changes: [aChange(), sideChange] }) }, { suspend: "true" });

    expect(proposed(thatRuns(record), desiredImages)?.last).toMatchObject({ seq: 1, status: "superseded", reason });
  });

  it.each(["registry-unreachable", "registry-denied"] as const)("is still desired after %s", (reason) => {
    const next = proposed(suspended({ seq: 1, pending: aPending() }), [selectionFailure(reason)]);

    expect(next?.pending).toEqual(aPending());
    expect(next?.selectionFailures).toEqual([{ container: "app", reason }]);
  });

  it("is dropped when its registry can't be asked and the settings changed", () => {
    const next = proposed(
      aRecord({ seq: 1, pending: aPending({ waits: [{ reason: "settings-changed" }] }), needsEvaluation: true }),
      [selectionFailure("registry-unreachable")],
    );

    expect(next).not.toHaveProperty("pending");
    expect(next).not.toHaveProperty("active");
  });
});

describe("any sequence of desired images", () => {
  const desired = fc.oneof(
    fc.constantFrom(aChange(), aNewerChange()).map((wanted) => change(wanted)),
    fc.constant(satisfied()),
    fc
      .constantFrom("registry-unreachable", "no-tag-fits", "digest-blocked")
      .map((reason) => selectionFailure(reason as "no-tag-fits")),
  );
  const sideWish = fc.oneof(
    fc.constant(change(sideChange)),
    fc.constant(satisfied("side")),
    fc.constant(selectionFailure("tag-not-found", "side")),
  );
  const look = fc.tuple(fc.option(desired, { nil: undefined }), fc.option(sideWish, { nil: undefined }), fc.boolean());

  it("raises version by one and seq by at most one, and changes nothing when repeated", () => {
    fc.assert(
      fc.property(fc.array(look, { maxLength: 12 }), fc.boolean(), (looks, isRollingOut) => {
        let record = both(isRollingOut ? { seq: 1, active: aRolling() } : {});
        for (const [own, other, suspend] of looks) {
          record = {
            ...record,
            observed: { ...record.observed, annotations: annotated(suspend ? { suspend: "true" } : {}) },
          };
          const desiredImages = [own, other].filter((some) => some !== undefined);
          const next = proposed(record, desiredImages, { allContainers: desiredImages.length === 2 });
          if (next === undefined) continue;

          expect(next.version).toBe(record.version + 1);
          expect([record.seq, record.seq + 1]).toContain(next.seq);
          expect(next.transitions).not.toEqual([]);
          expect(next.pending?.waits).not.toEqual([]);
          if (next.pending !== undefined || next.active !== undefined) expect(next.effects.dueAt).toBeDefined();
          if (isRollingOut) expect({ ...next.active, reevaluate: true }).toEqual(aRolling({ reevaluate: true }));
          expect(proposed(next, desiredImages, { allContainers: desiredImages.length === 2 })).toBeUndefined();
          record = next;
        }
      }),
    );
  });
});

describe("an evaluation by a registry that still limits requests", () => {
  const limitedUntil = (until: string): SelectionFailure => {
    return { container: "app", reason: "registry-throttled", until: at(until) };
  };
  const [before, after] = [limitedUntil("2026-03-02T12:05:00Z"), limitedUntil("2026-03-02T13:00:00Z")];
  const next = (given: Partial<WorkloadRecord>) =>
    proposed(aRecord({ selectionFailures: [before], ...given }), [{ kind: "failure", selectionFailure: after }])?.retry;

  it("counts one more failed evaluation", () => {
    expect(next({})).toEqual({ failedEvaluations: 1 });
    expect(next({ retry: { failedEvaluations: 4 } })).toEqual({ failedEvaluations: 5 });
  });

  it("begins to count again when something else asked for it, or the registry had answered", () => {
    expect(next({ needsEvaluation: true, retry: { failedEvaluations: 4 } })).toBeUndefined();
    expect(next({ selectionFailures: [], retry: { failedEvaluations: 4 } })).toBeUndefined();
  });
});

describe("an evaluation", () => {
  const settings = settingsOf(aRecord());

  it.each([
    { because: "something for the first time", record: aRecord(), desiredImages: [change()] },
    {
      because: "a newer image than the one that waits",
      record: aRecord({ pending: aPending() }),
      desiredImages: [change(aNewerChange())],
    },
    {
      because: "another digest of the tag that waits",
      record: aRecord({ pending: aPending() }),
      desiredImages: [change(aChange({ digest: digest("9") }))],
    },
    {
      because: "a newer image than the one that rolls out",
      record: aRecord({ active: aRolling() }),
      desiredImages: [change(aNewerChange())],
    },
    { because: "no longer what waits", record: aRecord({ pending: aPending() }), desiredImages: [satisfied()] },
  ])("selects something else: $because", ({ record, desiredImages }) => {
    expect(wantsOtherImages(record, { settings, desiredImages })).toBe(true);
  });

  it.each([
    { because: "nothing", record: aRecord(), desiredImages: [satisfied()] },
    { because: "what waits", record: aRecord({ pending: aPending() }), desiredImages: [change()] },
    {
      because: "what waits, over an image that is written otherwise",
      record: aRecord({ pending: aPending() }),
      desiredImages: [change(aChange({ from: "app:1.0.0" }))],
    },
    { because: "what rolls out", record: aRecord({ active: aRolling() }), desiredImages: [change()] },
    {
      because: "nobody knows what: the registry can't be asked",
      record: aRecord({ pending: aPending() }),
      desiredImages: [selectionFailure("registry-unreachable")],
    },
    { because: "what was refused", record: aRecord(), desiredImages: [selectionFailure("digest-blocked")] },
  ])("selects nothing else: $because", ({ record, desiredImages }) => {
    expect(wantsOtherImages(record, { settings, desiredImages })).toBe(false);
  });
});
