import type { EpochMs } from "../shared/time.ts";
import type { WaitReason } from "../shared/wait-reason.ts";
import type { RegistryFact } from "../registry/outage.ts";
import type { ImagePushed } from "../image/push.ts";
import type { BaseImageMove } from "../workload/base-image.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { WorkloadName } from "../workload/workload.ts";

/** The names of facts about updates, in the order of the flow. A fact starts no command. */
export const factNames = [
  "WorkloadTracked",
  "WorkloadChanged",
  "WorkloadUntracked",
  "UpdateHeld",
  "ApprovalRequested",
  "ApprovalGiven",
  "ApprovalRejected",
  "ApprovalExpired",
  "ApprovalVoided",
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
  "TierCompleted",
  "TierHalted",
  "HoldEnded",
  "DigestsUnblocked",
  "WorkloadSuspended",
  "WorkloadResumed",
  "VersionKept",
  "TagSkipped",
  "BaseImageMoved",
  "EvidenceImported",
] as const;
/** One of {@link factNames}. */
export type FactName = (typeof factNames)[number];

/**
 * An event about an update of a workload. Lookout derives the event from one version of the
 * workload's record.
 */
export interface Fact {
  readonly name: FactName;
  /** `uid/seq/version/name`: the same fact published twice has the same id. */
  readonly id: string;
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly seq: number;
  readonly version: number;
  readonly at: EpochMs;
  /**
   * The instant at which Lookout received the push, or found the change. Absent for facts about the
   * workload.
   */
  readonly detectedAt?: EpochMs;
  readonly source?: string;
  /** The id of the push, for log lines. Absent if no push led to the update. */
  readonly correlationId?: string;
  readonly changes: readonly ImageChange[];
  readonly reasons: readonly WaitReason[];
  /** The base images whose digests moved. Absent for other facts. */
  readonly baseImages?: readonly BaseImageMove[];
  /** True in the first fact of an update: this version selected it. */
  readonly selected?: true;
  readonly detail?: string;
  /** True if the update waits for the same reasons as before. Channels do not tell it again. */
  readonly again?: true;
  /** The channels that the workload's annotations name. Absent if they name none. */
  readonly channels?: readonly string[];
}

/**
 * The fact that a registry disagrees with a notification of a push: the tag has another digest, or
 * does not exist.
 *
 * The tag may have moved since. The fact has no effect on updates.
 */
export interface PushDisputed {
  readonly name: "PushDisputed";
  /** `push/PushDisputed`: the same fact published twice has the same id. */
  readonly id: string;
  /** The id of the push. */
  readonly correlationId: string;
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  /** The digest of the notification. Absent if the notification has no digest. */
  readonly digest?: string;
  /** The digest in the registry. Absent if the registry has no such tag. */
  readonly registryDigest?: string;
  readonly source: string;
  readonly at: EpochMs;
}

/** A fact that channels may tell. */
export type AnyFact = Fact | PushDisputed | RegistryFact;

/** Every event on the bus. */
export type DomainEvent = ImagePushed | AnyFact;
