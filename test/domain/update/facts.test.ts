import { untrack, propose } from "./decisions.ts";
import { describe, expect, it } from "vitest";
import { factNames } from "#domain/update/events";
import { factNameOf, factsOf } from "#domain/update/effects/facts";
import type { Transition } from "#domain/update/state/workload";
import {
  aChange,
  aNewerChange,
  annotated,
  anObserved,
  aPending,
  api,
  aRecord,
  aReleased,
  aRolling,
  aWaiting,
  at,
  noon,
  openFacts,
  settingsOf,
} from "../builders.ts";

const names: Readonly<Record<Transition["what"], string>> = {
  tracked: "WorkloadTracked",
  observed: "WorkloadChanged",
  untracked: "WorkloadUntracked",
  held: "UpdateHeld",
  released: "UpdateReleased",
  patching: "RolloutPrepared",
  patched: "RolloutStarted",
  running: "WorkloadRunning",
  failing: "RolloutFailed",
  "rolling-back": "RollbackStarted",
  "still-waiting": "UpdateHeld",
  waiting: "RolloutWaiting",
  approved: "ApprovalGiven",
  rejected: "ApprovalRejected",
  unblocked: "HoldEnded",
  "digests-unblocked": "DigestsUnblocked",
  suspended: "WorkloadSuspended",
  resumed: "WorkloadResumed",
  "version-kept": "VersionKept",
  "tag-skipped": "TagSkipped",
  "base-image-moved": "BaseImageMoved",
  "evidence-imported": "EvidenceImported",
  succeeded: "RolloutSucceeded",
  "rolled-back": "RolledBack",
  "rollback-failed": "RollbackFailed",
  failed: "RolloutFailed",
  reverted: "RevertedByUser",
  superseded: "UpdateSuperseded",
};

describe("the facts of a transition", () => {
  it.each(Object.entries(names))("%s: %s", (what, name) => {
    expect(factNameOf({ what: what as Transition["what"] })).toBe(name);
    expect(factNames).toContain(name);
  });

  it("have no name without a transition", () => {
    const besides = ["ApprovalRequested", "ApprovalExpired", "ApprovalVoided", "TierCompleted", "TierHalted"];
    expect(factNames.filter((name) => ![...Object.values(names), ...besides].includes(name))).toEqual([]);
  });
});

describe("the facts of a version", () => {
  it("cover every transition, with the same ids each time", () => {
    const reasons = [{ reason: "suspended" }] as const;
    const record = aRecord({
      seq: 1,
      changedAt: noon,
      pending: aPending(),
      transitions: [
        { seq: 0, what: "tracked", reasons: [], changes: [], detail: "x" },
        { seq: 1, what: "held", reasons, changes: [aChange()], selected: true },
      ],
    });
    const told = { workload: api, uid: "uid-1", version: 5, at: noon };
    const ofUpdate = {
      ...told,
      seq: 1,
      changes: [aChange()],
      reasons,
      detectedAt: at("2026-03-02T11:59:00Z"),
      source: "webhook distribution",
    };

    expect(factsOf(record)).toStrictEqual([
      {
        ...told,
        name: "WorkloadTracked",
        id: "uid-1/0/5/WorkloadTracked",
        seq: 0,
        changes: [],
        reasons: [],
        detail: "x",
      },
      { ...ofUpdate, name: "UpdateHeld", id: "uid-1/1/5/UpdateHeld", selected: true },
    ]);
    expect(factsOf(record)).toEqual(factsOf(record));
  });

  it("repeat a wait for the same reasons, but no change of its approval", () => {
    const approval = [{ what: "voided", people: ["ana"] }] as const;
    const reasons = [{ reason: "needs-approval" }] as const;
    const record = aRecord({
      pending: aPending(),
      transitions: [{ seq: 1, what: "held", reasons, changes: [aChange()], approval, again: true }],
    });

    expect(factsOf(record).map(({ name, again, detail }) => ({ name, again, detail }))).toEqual([
      { name: "UpdateHeld", again: true, detail: undefined },
      { name: "ApprovalVoided", again: undefined, detail: "ana" },
    ]);
  });

  it("have the detection time of every update, also of superseded ones", () => {
    const suspended = aRecord({
      seq: 1,
      pending: aPending(),
      observed: anObserved({ annotations: annotated({ suspend: "true" }) }),
    });
    const next = propose(
      suspended,
      {
        desiredImages: [{ kind: "change", change: aNewerChange() }],
        settings: settingsOf(suspended),
        facts: openFacts,
        detectedAt: noon,
        source: "sync",
        allContainers: true,
      },
      noon,
    );
    const gone = untrack(aRecord({ seq: 2, active: aRolling(), pending: aPending({ seq: 2 }) }), noon);
    const heard = [...factsOf(next!), ...factsOf(gone!)]
      .filter(({ seq }) => seq > 0)
      .map(({ name, source }) => [name, source !== undefined]);

    expect(heard).toEqual([
      ["UpdateSuperseded", true],
      ["UpdateHeld", true],
      ["UpdateSuperseded", true],
      ["UpdateSuperseded", true],
    ]);
  });

  it("never report a held update while it rolls out", () => {
    const record = aRecord({
      seq: 1,
      active: aWaiting("paused"),
      transitions: [{ seq: 1, what: "waiting", reasons: [], detail: "paused", changes: [aChange()] }],
    });

    expect(factsOf(record).map(({ name }) => name)).not.toContain("UpdateHeld");
  });

  it("are at least one for each transition", () => {
    const transitions = Object.keys(names).map((what, seq) => ({
      seq,
      what: what as Transition["what"],
      reasons: [],
      changes: [],
    }));
    const facts = factsOf(aRecord({ active: aReleased(), transitions }));

    expect(facts.map(({ seq }) => seq)).toEqual(transitions.map(({ seq }) => seq));
    expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length);
  });
});
