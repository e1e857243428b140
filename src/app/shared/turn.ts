import type { EpochMs } from "#domain/shared/time";
import type { Decision } from "#domain/update/state/changes";
import type { WorkloadRecord } from "#domain/update/state/workload";

/** What a use case does with a loaded record. */
export type Turn<Outcome> =
  /** Stores nothing. */
  | { readonly kind: "leave"; readonly outcome: Outcome }
  /**
   * Stores nothing. If an earlier delivery wrote the record, its commands are sent again, because that
   * delivery may have ended before it sent them.
   */
  | { readonly kind: "resume"; readonly outcome: Outcome }
  | StoreTurn<Outcome>;

/** Stores the next version, and sends its commands. */
interface StoreTurn<Outcome> {
  readonly kind: "store";
  /** The version that the decision is about: the loaded one, or a later one that this run wrote. */
  readonly record: WorkloadRecord;
  readonly decision: Decision;
  readonly now: EpochMs;
  /** What follows the write. */
  readonly afterwards: (stored: WorkloadRecord) => Outcome | Promise<Outcome>;
}

/** The outcome of a stored decision. */
export interface Stored {
  readonly kind: "stored";
  readonly version: number;
}

/** Returns the turn that stores nothing. */
export function leave<Outcome>(outcome: Outcome): Turn<Outcome> {
  return { kind: "leave", outcome };
}

/** Returns the turn that stores nothing, and sends the commands of an earlier delivery again. */
export function resume<Outcome>(outcome: Outcome): Turn<Outcome> {
  return { kind: "resume", outcome };
}

/** Returns the turn that stores a decision, with its version as the outcome. */
export function store(record: WorkloadRecord, decision: Decision, now: EpochMs): StoreTurn<Stored> {
  return storeThen(record, decision, now, ({ version }) => ({ kind: "stored", version }));
}

/** Returns the turn that stores a decision and goes on with `afterwards`. */
export function storeThen<Outcome>(
  record: WorkloadRecord,
  decision: Decision,
  now: EpochMs,
  afterwards: StoreTurn<Outcome>["afterwards"],
): StoreTurn<Outcome> {
  return { kind: "store", record, decision, now, afterwards };
}
