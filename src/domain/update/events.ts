import type { EpochMs } from "../shared/time.ts";
import type { ClosedGate } from "../gates/closed-gate.ts";
import type { ImagePushed } from "../image/push.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { WorkloadName } from "../workload/workload.ts";

/** The names of facts about updates, in the order of the flow. Facts start none of our work. */
export const factNames = [
  "WorkloadTracked",
  "WorkloadChanged",
  "WorkloadUntracked",
  "UpdateHeld",
  "UpdateReleased",
  "RolloutPrepared",
  "RolloutStarted",
  "RolloutWaiting",
  "WorkloadRunning",
  "RolloutSucceeded",
  "RolloutFailed",
  "RollbackStarted",
  "RolledBack",
  "RollbackFailed",
  "RevertedByUser",
  "UpdateSuperseded",
  "DigestBlocked",
  "HoldEnded",
] as const;
/** One of {@link factNames}. */
export type FactName = (typeof factNames)[number];

/** Something that became true of a workload's update, derived from one version of its record. */
export interface Fact {
  readonly name: FactName;
  /** `uid/seq/version/name`: the same fact published twice has the same id. */
  readonly id: string;
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly seq: number;
  readonly version: number;
  readonly at: EpochMs;
  /** When Lookout heard of the push behind it; absent for facts about the workload. */
  readonly detectedAt?: EpochMs;
  readonly source?: string;
  /** The id of that push, which every step on its way logs; absent where no push led to it. */
  readonly correlationId?: string;
  readonly changes: readonly ImageChange[];
  readonly reasons: readonly ClosedGate[];
  /** With the first fact of an update: it was selected in this very version. */
  readonly selected?: true;
  readonly detail?: string;
}

/** Everything that goes on the bus. */
export type DomainEvent = ImagePushed | Fact;
