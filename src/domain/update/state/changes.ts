import { approvalWait, mergedApprovalWait } from "../effects/approval-index.ts";
import { mergedBudgetChange, budgetChange } from "../effects/budget.ts";
import { correlationOf } from "./correlation.ts";
import { dueOf } from "../effects/commands.ts";
import type { EpochMs } from "../../shared/time.ts";
import type { ActiveUpdate, EndedUpdate, Transition, SelectionFailure, WorkloadRecord } from "./workload.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import type { ImageChange } from "../../workload/patch.ts";

/** The message or request that writes a version of a record, and the instant. */
export interface Step {
  /** Identity of the message or request. */
  readonly cause: string;
  readonly now: EpochMs;
}

/** The parts of a record that a new version may change; undefined removes a part. */
export type RecordChanges = {
  readonly [
    Part in
      | "pending"
      | "active"
      | "last"
      | "hold"
      | "restored"
      | "limited"
      | "observed"
      | "blocked"
      | "selectionFailures"
      | "seq"
      | "updates"
      | "uid"
      | "tracked"
      | "needsEvaluation"
      | "landed"
      | "pause"
      | "failedEvaluations"
      | "vote"
      | "readApprovals"
  ]?: WorkloadRecord[Part] | undefined;
};

/**
 * Returns the next version of a record: applies the changes, and derives `dueAt`, the budget and
 * the wait for an approval. The pause, the vote and the number of failed evaluations are valid for
 * one version, so they are dropped unless the changes contain them.
 *
 * @param transitions - at most one transition per update, and at most one for the workload, with
 *   the number 0.
 */
export function advance(
  record: WorkloadRecord,
  step: Step,
  changes: RecordChanges,
  transitions: readonly Transition[],
): WorkloadRecord {
  const { dueAt, pause, failedEvaluations, budget, vote, approvalWait: _, ...rest } = record;
  const after = { ...rest, ...changes };
  const next = dropUndefined({
    ...after,
    budget: budgetChange(record, after),
    approvalWait: approvalWait(record, after),
    version: record.version + 1,
    cause: step.cause,
    changedAt: step.now,
    transitions,
  });
  const due = dueOf(next);
  return due === undefined ? next : { ...next, dueAt: due };
}

/**
 * Merges two versions that follow each other, before either is stored. The result has the
 * transitions of both.
 */
export function squash(
  first: WorkloadRecord | undefined,
  second: WorkloadRecord | undefined,
): WorkloadRecord | undefined {
  if (first === undefined || second === undefined) return second ?? first;
  const workload = [...first.transitions, ...second.transitions].filter(({ seq }) => seq === 0);
  const [of0] = workload;
  const updates = [
    ...first.transitions.filter(({ seq }) => second.transitions.every((later) => later.seq !== seq)),
    ...second.transitions,
  ];
  const merged = of0 === undefined ? [] : [{ ...of0, reasons: workload.flatMap(({ reasons }) => reasons) }];
  const { budget, approvalWait: wait, ...rest } = second;
  const change = mergedBudgetChange(first.budget, budget);
  const merging = mergedApprovalWait(first.approvalWait, wait);
  return {
    ...rest,
    ...(change === undefined ? {} : { budget: change }),
    ...(merging === undefined ? {} : { approvalWait: merging }),
    ...(first.vote !== undefined && second.vote === undefined ? { vote: first.vote } : {}),
    version: first.version,
    transitions: [...merged, ...updates.filter(({ seq }) => seq !== 0)],
  };
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

/**
 * Returns a version in which an update only continues. The new version is due later, and makes
 * commands for the earlier version stale.
 */
export function renewRecord(record: WorkloadRecord, active: ActiveUpdate, step: Step): WorkloadRecord {
  return advance(record, step, {}, [waitingOf(active)]);
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

function dropUndefined(record: {
  readonly [Key in keyof WorkloadRecord]: WorkloadRecord[Key] | undefined;
}): WorkloadRecord {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== undefined),
  ) as unknown as WorkloadRecord;
}
