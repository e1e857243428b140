import type { EpochMs } from "#domain/shared/time";

/** The scheduled copies of the state, which only a local Lookout makes. */
export interface StateCopies {
  /** Returns the outcome of the last copies. */
  readonly outcome: () => StateCopiesOutcome;
}

/** The outcome of the last copies. */
export interface StateCopiesOutcome {
  /** The instant of the newest copy. Absent if there is none. */
  readonly newestAt?: EpochMs;
  /** The failure of the last attempt. Absent if it succeeded, or if there was none. */
  readonly failure?: { readonly at: EpochMs; readonly detail: string };
}
