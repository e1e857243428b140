import type { Reason } from "../shared/reasons.ts";
import type { EpochMs } from "../shared/time.ts";

/** A closed gate, as it is stored and shown. */
export interface ClosedGate {
  readonly reason: Reason;
  /** When it opens by itself; absent when it waits for a fact. */
  readonly until?: EpochMs;
  /** The window, program or annotation that closes it. */
  readonly detail?: string;
}
