import { type EpochMs, hours } from "#domain/shared/time";
import type { Transition } from "#domain/update/states";

/** How long a row is kept after its instant: 400 days. It may be deleted any time later. */
export const keptInLedger = hours(400 * 24);

/** One row of a workload's history. */
export interface LedgerRow {
  /** Key of the workload. */
  readonly workload: string;
  readonly uid: string;
  readonly seq: number;
  readonly version: number;
  readonly at: EpochMs;
  readonly cause: string;
  /** The id of the push that led to the update; absent where none did. */
  readonly correlationId?: string;
  readonly transition: Transition;
}

/** The history of every workload: each move, wait and refusal with its reasons and inputs. Rows are never changed. */
export interface Ledger {
  /** Stores rows; a row that is stored already (same workload, seq and version) stays as it is. False: all of them were there. */
  append(rows: readonly LedgerRow[]): Promise<boolean>;
  /** Answers a workload's rows, the newest first, at most `limit`. */
  read(workload: string, limit: number): Promise<readonly LedgerRow[]>;
}
