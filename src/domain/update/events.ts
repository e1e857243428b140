import type { EpochMs } from "../shared/time.ts";
import type { ClosedGate } from "../gates/closed-gate.ts";
import type { ImagePushed } from "../image/push.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { WorkloadName } from "../workload/workload.ts";

/** The names of facts about updates, in the order of the flow. A fact starts no command. */
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

/** An event about an update of a workload, derived from one version of its record. */
export interface Fact {
  readonly name: FactName;
  /** `uid/seq/version/name`: the same fact published twice has the same id. */
  readonly id: string;
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly seq: number;
  readonly version: number;
  readonly at: EpochMs;
  /** When Lookout received the push; absent for facts about the workload. */
  readonly detectedAt?: EpochMs;
  readonly source?: string;
  /** The id of the push, which each log line has; absent: no push led to it. */
  readonly correlationId?: string;
  readonly changes: readonly ImageChange[];
  readonly reasons: readonly ClosedGate[];
  /** True in the first fact of an update: this version selected it. */
  readonly selected?: true;
  readonly detail?: string;
}

/** Every event on the bus. */
export type DomainEvent = ImagePushed | Fact;
