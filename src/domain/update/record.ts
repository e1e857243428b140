import { bothMoves, budgetMove } from "./slots.ts";
import { correlationOf } from "./correlation.ts";
import { dueOf } from "./next-commands.ts";
import type { EpochMs } from "../shared/time.ts";
import type { ActiveUpdate, EndedUpdate, Transition, SelectionFailure, WorkloadRecord } from "./states.ts";
import type { ClosedGate } from "../gates/closed-gate.ts";
import type { ImageChange } from "../workload/patch.ts";

/** Who writes a version of a record, and when. */
export interface Step {
  /** Identity of the message or request. */
  readonly cause: string;
  readonly now: EpochMs;
}

/** The parts of a record that a move may change; undefined takes a part away, a missing one stays. */
export type Moves = {
  readonly [
    Part in
      | "pending"
      | "active"
      | "last"
      | "hold"
      | "observed"
      | "blocked"
      | "selectionFailures"
      | "seq"
      | "uid"
      | "tracked"
      | "needsEvaluation"
      | "landed"
      | "pause"
      | "failedEvaluations"
  ]?: WorkloadRecord[Part] | undefined;
};

/**
 * Makes the next version of a record: the moves applied, `version` raised by one, `dueAt` set to what is open now, and what it does to
 * the budget of its cluster.
 *
 * @param transitions - what this version makes true: one entry per update at most, and one of number 0 for the workload.
 */
export function advance(
  record: WorkloadRecord,
  step: Step,
  moves: Moves,
  transitions: readonly Transition[],
): WorkloadRecord {
  const { dueAt, pause, failedEvaluations, budget, ...rest } = record;
  const after = { ...rest, ...moves };
  const next = dropUndefined({
    ...after,
    budget: budgetMove(record, after),
    version: record.version + 1,
    cause: step.cause,
    changedAt: step.now,
    transitions,
  });
  const due = dueOf(next);
  return due === undefined ? next : { ...next, dueAt: due };
}

/**
 * Makes one version of two that follow each other and of which neither is stored: what the second says holds, and both have happened.
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
  const { budget, ...rest } = second;
  const move = bothMoves(first.budget, budget);
  return {
    ...rest,
    ...(move === undefined ? {} : { budget: move }),
    version: first.version,
    transitions: [...merged, ...updates.filter(({ seq }) => seq !== 0)],
  };
}

/** Puts the changes of one update in the order of the workload's containers. */
export function inOrder(record: WorkloadRecord, changes: readonly ImageChange[]): readonly ImageChange[] {
  const order = record.observed.containers.map(({ name }) => name);
  return changes.toSorted((left, right) => order.indexOf(left.name) - order.indexOf(right.name));
}

/** Writes selection failures as reasons, each with its container. */
export function selectionFailureReasons(selectionFailures: readonly SelectionFailure[]): readonly ClosedGate[] {
  return selectionFailures.map(({ container, reason, detail }) => ({
    reason,
    detail: detail === undefined ? `container ${container}` : `container ${container}: ${detail}`,
  }));
}

/** Makes the entry that says that an update that is on its way waits, or only goes on. */
export function waitingOf(
  { seq, changes }: ActiveUpdate,
  { reasons = [], detail }: Partial<Pick<Transition, "reasons" | "detail">> = {},
): Transition {
  return { seq, what: "waiting", reasons, ...(detail === undefined ? {} : { detail }), changes };
}

/** Makes a version in which an update only goes on: it is due anew, and whoever holds the version before can write nothing any more. */
export function renewed(record: WorkloadRecord, active: ActiveUpdate, step: Step): WorkloadRecord {
  return advance(record, step, {}, [waitingOf(active)]);
}

/** Makes the entry that says what an ended update came to. */
export function endingOf(ended: EndedUpdate): Transition {
  const { detail } = ended;
  return {
    seq: ended.seq,
    what: ended.status,
    reasons:
      ended.status === "succeeded" ? [] : [{ reason: ended.reason, ...(detail === undefined ? {} : { detail }) }],
    ...(detail === undefined ? {} : { detail }),
    changes: ended.changes,
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
