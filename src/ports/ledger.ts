import { type EpochMs, hours } from "#domain/shared/time";
import type { Transition } from "#domain/update/state/workload";

/** The shortest time for which a row is kept: 400 days. */
export const keptInLedger = hours(400 * 24);

/** One row of a workload's history. */
export interface LedgerRow {
  /** The key of the workload. */
  readonly workload: string;
  readonly uid: string;
  readonly seq: number;
  readonly version: number;
  readonly at: EpochMs;
  readonly cause: string;
  /** The id of the push that started the update; absent for other causes. */
  readonly correlationId?: string;
  readonly transition: Transition;
  /** True if an import brought the row, so nothing proves it. */
  readonly isImported?: true;
}

/**
 * The history of every workload, with the reasons and inputs of each transition. Rows never change.
 */
export interface Ledger {
  /**
   * Stores rows that do not exist yet (by workload, seq and version). Returns false if all rows
   * existed.
   */
  append(rows: readonly LedgerRow[]): Promise<boolean>;
  /** Returns at most `limit` rows of a workload, the newest first. Imported rows follow all others. */
  read(workload: string, limit: number): Promise<readonly LedgerRow[]>;
}
