import type { Reason } from "./reasons.ts";
import type { EpochMs } from "./time.ts";

/**
 * The reason why an update waits: a closed gate, a pause after a failed patch, or a selection
 * failure.
 */
export interface WaitReason {
  readonly reason: Reason;
  /** The instant at which the wait ends by itself; absent when the update waits for a fact. */
  readonly until?: EpochMs;
  /** The window, program, annotation or answer that causes the wait. */
  readonly detail?: string;
  /** The member of an earlier tier that the update waits for, or that decides. Absent if there is none. */
  readonly member?: {
    readonly tier: string;
    /** The key of the workload. */
    readonly workload: string;
  };
}
