import type { Vote } from "../../approval/votes.ts";
import { epochMs } from "../../shared/time.ts";
import { withoutUndefined } from "../../shared/without-undefined.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import type { ImageChange } from "../../workload/patch.ts";
import type { WorkloadName } from "../../workload/workload.ts";
import { correlationOf } from "./correlation.ts";
import {
  type ActiveUpdate,
  type EndedUpdate,
  type PendingUpdate,
  type Retry,
  type SelectionFailure,
  type Transition,
  type WorkloadRecord,
  type WorkloadState,
} from "./workload.ts";

/** The parts of a state that a decision changes; undefined removes a part. */
export type StateChanges = {
  readonly [Part in Exclude<keyof WorkloadState, "workload">]?: WorkloadState[Part] | undefined;
};

/**
 * What a rule decides about a workload. Each rule is a pure function of the record, of facts and of
 * the present instant, and returns undefined if nothing changes.
 */
export interface Decision {
  readonly changes: StateChanges;
  /** At most one transition per update, and at most one for the workload, with the number 0. */
  readonly transitions: readonly Transition[];
  /** The vote to store with the version. */
  readonly vote?: Vote | undefined;
  /** The wait before the next command of the version. Absent if the command waits as usual. */
  readonly retry?: Retry | undefined;
}

/** Returns the record of a workload that was never tracked. It is not stored. */
export function neverTracked(workload: WorkloadName): WorkloadRecord {
  return {
    workload,
    uid: "",
    version: 0,
    seq: 0,
    cause: "",
    changedAt: epochMs(0),
    observed: { containers: [], annotations: {}, sourceMarks: {} },
    blocked: [],
    selectionFailures: [],
    transitions: [],
    effects: {},
    tracked: false,
  };
}

/** Returns a record with the state after a decision, for a further decision. No version is made. */
export function afterDecision(record: WorkloadRecord, decision: Decision | undefined): WorkloadRecord {
  return decision === undefined ? record : withChanges(record, decision.changes);
}

/** Returns a record with changed parts of its state. */
export function withChanges(record: WorkloadRecord, changes: StateChanges): WorkloadRecord {
  return withoutUndefined<WorkloadRecord>({ ...record, ...changes });
}

/**
 * Folds decisions that follow each other into one. The later ones decide about the state after the
 * earlier ones. Of two transitions of one update, the later one stays, with the act of a person of
 * either. Transitions of the workload
 * become one, with the reasons of all.
 */
export function folded(decisions: readonly (Decision | undefined)[]): Decision | undefined {
  return decisions.reduce<Decision | undefined>((first, second) => {
    if (first === undefined || second === undefined) return second ?? first;
    return {
      changes: { ...first.changes, ...second.changes },
      transitions: foldedTransitions(first.transitions, second.transitions),
      vote: second.vote ?? first.vote,
      retry: second.retry ?? first.retry,
    };
  }, undefined);
}

function foldedTransitions(first: readonly Transition[], second: readonly Transition[]): readonly Transition[] {
  const later = second.map((one) => {
    const action = one.action ?? first.find(({ seq }) => seq === one.seq)?.action;
    return action === undefined ? one : { ...one, action };
  });
  const both = [...first.filter(({ seq }) => second.every((one) => one.seq !== seq)), ...later];
  const ofWorkload = [...first, ...second].filter(({ seq }) => seq === 0);
  const [one] = ofWorkload;
  const action = ofWorkload.find((transition) => transition.action !== undefined)?.action;
  const acted = action === undefined ? {} : { action };
  const workload =
    one === undefined ? [] : [{ ...one, ...acted, reasons: ofWorkload.flatMap(({ reasons }) => reasons) }];
  return [...workload, ...both.filter(({ seq }) => seq !== 0)];
}

/** Returns changes in the order of the workload's containers. */
export function inOrder(record: WorkloadRecord, changes: readonly ImageChange[]): readonly ImageChange[] {
  const order = record.observed.containers.map(({ name }) => name);
  return changes.toSorted((left, right) => order.indexOf(left.name) - order.indexOf(right.name));
}

/** Returns selection failures as reasons, each with its container. */
export function selectionFailureReasons(selectionFailures: readonly SelectionFailure[]): readonly WaitReason[] {
  return selectionFailures.map(({ container, reason, detail }) => ({
    reason,
    detail: detail === undefined ? `container ${container}` : `container ${container}: ${detail}`,
  }));
}

/** Returns the transition of an active update that waits or continues. */
export function waitingOf(
  { seq, changes }: ActiveUpdate,
  { reasons = [], detail }: Partial<Pick<Transition, "reasons" | "detail">> = {},
): Transition {
  return { seq, what: "waiting", reasons, ...(detail === undefined ? {} : { detail }), changes };
}

/** Lets a held update wait on. The new version is due later. */
export function waitsOn({ seq, waits: reasons, changes }: PendingUpdate): Decision {
  return { changes: {}, transitions: [{ seq, what: "still-waiting", reasons, changes }] };
}

/**
 * Lets an update only continue. The new version is due later, and makes commands for the earlier
 * version stale.
 */
export function renewal(active: ActiveUpdate): Decision {
  return { changes: {}, transitions: [waitingOf(active)] };
}

/** Returns the transition of an ended update. */
export function endingOf(ended: EndedUpdate): Transition {
  const { detail, approval } = ended;
  const isUnused = ended.status === "superseded" && ended.patchedAt === undefined;
  const voided = isUnused ? (approval?.approvedBy ?? []) : [];
  return {
    seq: ended.seq,
    what: ended.status,
    reasons:
      ended.status === "succeeded" ? [] : [{ reason: ended.reason, ...(detail === undefined ? {} : { detail }) }],
    ...(detail === undefined ? {} : { detail }),
    changes: ended.changes,
    ...(voided.length === 0 ? {} : { approval: [{ what: "voided", people: voided }] }),
    detectedAt: ended.detectedAt,
    source: ended.source,
    ...correlationOf(ended),
  };
}
