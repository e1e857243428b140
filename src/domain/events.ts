import type { EpochMs } from "./time.ts";
import type { ClosedGate, ImageChange } from "./update.ts";
import type { WorkloadName } from "./workload.ts";

/** A registry has, or is said to have, something new. A hint: digest and tag are asked of the registry. */
export interface ImagePushed {
  readonly name: "ImagePushed";
  /** The sender's own identity of the push where there is one; the same push has the same id when it is told twice. */
  readonly id: string;
  readonly registry: string;
  readonly repository: string;
  /** Absent for a push by digest alone. */
  readonly tag?: string;
  readonly digest?: string;
  /** Who told: `webhook distribution`, `webhook generic`, … */
  readonly source: string;
  readonly at: EpochMs;
  /** Where the last evaluation of this push stopped: subscribers after this key are still to be looked at. */
  readonly after?: string;
}

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
  "UpdateTakenBack",
  "UpdateSuperseded",
  "UpdateRefused",
  "HoldLifted",
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
  /** With the first fact of an update: it was elected in this very version. */
  readonly elected?: true;
  readonly detail?: string;
}

/** Everything that goes on the bus. */
export type DomainEvent = ImagePushed | Fact;
