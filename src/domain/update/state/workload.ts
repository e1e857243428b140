import type { ImageName } from "../../image/reference.ts";
import type { ReadApproval } from "../../approval/annotation.ts";
import type { RequestedApproval } from "../../approval/state.ts";
import type { Vote } from "../../approval/votes.ts";
import type { RolloutWait } from "../../workload/health.ts";
import type { Reason } from "../../shared/reasons.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import type { DurationMs, EpochMs } from "../../shared/time.ts";
import type { LimitedDigest } from "../../workload/pull-limit.ts";
import type { RestoredDigest } from "../../workload/appliers.ts";
import type { Observed } from "../../workload/observed.ts";
import type { BaseImageMove, SeenBaseImage } from "../../workload/base-image.ts";
import type { RanImage, StoredTierPlace, TierChange } from "../../tiers/member.ts";
import type { ImageChange, LabelChange } from "../../workload/patch.ts";
import type { RepositoryDigest } from "../../workload/repository-digest.ts";
import type { WorkloadName } from "../../workload/workload.ts";
import type { Action } from "./action.ts";
import type {
  KeptImage,
  LeftTags,
  Pass,
  RequestedVersion,
  SkippedByPerson,
  Suspension,
} from "../../workload/control.ts";

/** The members that every state of an update has. */
export interface UpdateCore {
  /**
   * The number of the update in its workload. The first update has the number 1, and the numbers
   * never restart.
   */
  readonly seq: number;
  /** The changes, at least one, in the order of the workload's containers. */
  readonly changes: readonly ImageChange[];
  /**
   * The instant at which Lookout learned of the change: at the webhook's arrival, or at the sync
   * that found it.
   */
  readonly detectedAt: EpochMs;
  /**
   * The instant at which Lookout learned of the images in an earlier tier, of the last one. Absent if it learned
   * of an image by this update.
   */
  readonly foundAt?: EpochMs;
  /** The source of the change: `webhook distribution`, `sync`, … */
  readonly source: string;
  /**
   * The id of the push that led to the update. Absent if a sync, a policy or a start of Lookout led
   * to the update.
   */
  readonly correlationId?: string;
  readonly selectedAt: EpochMs;
  /** The request for approval. Absent if the update has needed no approval so far. */
  readonly approval?: RequestedApproval;
  /** The request of the person who named the images. Absent if the policies selected them. */
  readonly requested?: RequestedVersion;
}

/** The members of every state before the end. */
interface OpenCore extends UpdateCore {
  /**
   * The number of dead-lettered commands of the update. Each dead-lettered command doubles the
   * pause. Absent if no command was dead-lettered.
   */
  readonly timesDeadLettered?: number;
  /**
   * The number of failures in a row to reach the cluster or get access. Each failure doubles the
   * pause. Absent if the last try did not fail.
   */
  readonly clusterFailures?: number;
  /** The gates that people let the update pass. Absent if it has to pass all. */
  readonly passes?: readonly Pass[];
}

/** An update that waits for its gates. */
export interface PendingUpdate extends OpenCore {
  readonly status: "held";
  /**
   * The reasons why the update waits: closed gates, failed patches and changed settings. Never
   * empty.
   */
  readonly waits: readonly WaitReason[];
  /**
   * The instant since when this update, or the update that it superseded, waits for a slot. Absent
   * if the update has waited since its selection.
   */
  readonly queuedAt?: EpochMs;
  /**
   * The next instant at which the policy may prefer another image, because that image is then old
   * enough. Absent if no preferred image waits for its age.
   */
  readonly reselectAt?: EpochMs;
  /**
   * True if Lookout decided about the update while it observed. The update is held until a user
   * releases it. Absent after the release.
   */
  readonly observed?: true;
}

/** The members of every state from the release on. */
interface ReleasedCore extends OpenCore {
  readonly releasedAt: EpochMs;
  /**
   * The update's slot of the cluster's budget. Absent if the update gave the slot back while its
   * rollout waits, or another workload had the slot at an import.
   */
  readonly slot?: number;
}

/** The members of every state from the release to the end of the rollout. */
interface ForwardCore extends ReleasedCore {
  /**
   * True if an evaluation during the rollout selected an image that this update replaces, or if a
   * preferred image waits for its age. Lookout evaluates the workload again after the success of
   * this update.
   */
  readonly reevaluate?: true;
}

/** The members of every state from the stored intent on. */
interface PatchedCore extends ReleasedCore {
  /** The restart of the pods. Absent if no change of the update is a restart. */
  readonly restart?: Restart;
  /** The change of the pods' labels with attributes. Absent if they do not change. */
  readonly attributeLabels?: LabelChange;
}

/** The text of `restartedAt` before an update, and the new text. */
export interface Restart {
  /** The replaced text. Absent if the object had no text. */
  readonly from?: string;
  readonly to: string;
}

/** A released update: all gates are open, and nothing was sent. */
export interface ReleasedUpdate extends ForwardCore {
  readonly status: "released";
}

/** An update whose intent is stored, and whose patch may have landed. */
export interface PatchingUpdate extends ForwardCore, PatchedCore {
  readonly status: "patching";
}

/** A patched update: a read of the object proved that the patch landed. */
export interface RollingOutUpdate extends ForwardCore, PatchedCore {
  readonly status: "rolling-out";
  readonly patchedAt: EpochMs;
  readonly progress: Progress;
}

/** The state of a rollout's pods at the last check. */
export type Progress =
  /** Pods are being replaced; the update fails at the deadline. */
  | Progressing
  /** No pod changes, and nothing is wrong. No deadline runs. */
  | { readonly kind: "waiting"; readonly why: RolloutWait; readonly running?: Running }
  /** All pods run. The deadline is absent when the rollout waited before. `bake`: checks judge the settled pods. */
  | { readonly kind: "running"; readonly running: Running; readonly deadlineAt?: EpochMs; readonly bake?: Bake };

/** The wait for the checks that judge settled pods. */
export interface Bake {
  readonly since: EpochMs;
  readonly wait: WaitReason;
}

/** The state of a rollout whose pods are being replaced. */
export interface Progressing {
  readonly kind: "progressing";
  readonly deadlineAt: EpochMs;
  /** The fault that the last checks found. Absent if they found none. */
  readonly fault?: SeenFault;
  /** True if a registry limited pulls of the rollout. */
  readonly wasLimited?: true;
}

/** A fault of pods that may end by itself. */
export interface SeenFault {
  readonly detail: string;
  /** The most ready pods since the fault began. One more starts the grace anew. */
  readonly ready: number;
  /** The end of the grace. Absent for a limit or a quota, so only the deadline ends the rollout. */
  readonly failsAt?: EpochMs;
}

/** The first check that found all pods running. */
export interface Running {
  readonly seenAt: EpochMs;
  /** After this instant, the update succeeds at a check that finds no new restart. */
  readonly settlesAt: EpochMs;
  readonly since: EpochMs;
  /** The restarts of the pods at the first check. */
  readonly restarts: number;
  readonly pods: number;
}

/** A failed update whose previous images Lookout restores. */
export interface RollingBackUpdate extends PatchedCore {
  readonly status: "rolling-back";
  readonly patchedAt: EpochMs;
  readonly failure: { readonly at: EpochMs; readonly reason: Reason; readonly detail: string };
  readonly rollback: Rollback;
}

/** The progress of a rollback. */
export type Rollback =
  /** The rollback's patch may have landed. */
  | { readonly kind: "patching" }
  /** A read of the object proved that the rollback's patch landed. */
  | { readonly kind: "patched"; readonly at: EpochMs; readonly deadlineAt: EpochMs };

/** A released update whose patch is not proved to have landed. */
export type UnpatchedUpdate = ReleasedUpdate | PatchingUpdate;
/** An update whose patch landed. */
export type PatchedUpdate = RollingOutUpdate | RollingBackUpdate;
/** An update from its release to its end. A workload has at most one active update. */
export type ActiveUpdate = UnpatchedUpdate | PatchedUpdate;

/** The ways in which an update can end. */
export const endings = [
  "succeeded",
  "rolled-back",
  "rollback-failed",
  "failed",
  "reverted",
  "superseded",
  "rejected",
] as const;
/** One of {@link endings}. */
export type Ending = (typeof endings)[number];

interface EndedCore extends UpdateCore {
  readonly endedAt: EpochMs;
  readonly restart?: Restart;
  /**
   * The instant at which the last new pod became ready, by the pods themselves. Absent if no check
   * found them running.
   */
  readonly runningSince?: EpochMs;
}

/** An update whose pods run or can't be checked. */
export interface SucceededUpdate extends EndedCore {
  readonly status: "succeeded";
  readonly patchedAt: EpochMs;
  readonly detail: string;
  /** True if no pod showed that the images run, so that no later tier may rely on it. */
  readonly isUnproved?: true;
}

/** An update whose pods did not run. */
export interface FailedUpdate extends EndedCore {
  readonly status: "rolled-back" | "rollback-failed" | "failed";
  readonly patchedAt: EpochMs;
  readonly reason: Reason;
  readonly detail?: string;
}

/** An update that ended for another cause than its own pods, before or after its patch. */
export interface OvertakenUpdate extends EndedCore {
  readonly status: "reverted" | "superseded";
  readonly reason: Reason;
  readonly detail?: string;
  /** The instant of the patch. Absent if no read proves that the patch landed. */
  readonly patchedAt?: EpochMs;
}

/** An update that a person rejected before its patch. */
export interface RejectedUpdate extends UpdateCore {
  readonly status: "rejected";
  readonly endedAt: EpochMs;
  readonly reason: Reason;
  readonly detail?: string;
}

/** An update that ended. */
export type EndedUpdate = SucceededUpdate | FailedUpdate | OvertakenUpdate | RejectedUpdate;

/** Returns the members that every state of an update has. */
export function coreOf(update: UpdateCore): UpdateCore {
  const { seq, changes, detectedAt, foundAt, source, correlationId, selectedAt, approval, requested } = update;
  return {
    seq,
    changes,
    detectedAt,
    source,
    selectedAt,
    ...(foundAt === undefined ? {} : { foundAt }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(approval === undefined ? {} : { approval }),
    ...(requested === undefined ? {} : { requested }),
  };
}

/** Returns the members that every state before the end has. */
export function openCoreOf(update: OpenCore): OpenCore {
  const { timesDeadLettered, clusterFailures, passes } = update;
  return {
    ...coreOf(update),
    ...(timesDeadLettered === undefined ? {} : { timesDeadLettered }),
    ...(clusterFailures === undefined ? {} : { clusterFailures }),
    ...(passes === undefined ? {} : { passes }),
  };
}

/** Ends a rollout whose pods run or can't be checked. */
export function succeeded(update: RollingOutUpdate, detail: string, endedAt: EpochMs): SucceededUpdate {
  return { ...endedCore(update, endedAt), status: "succeeded", patchedAt: update.patchedAt, detail };
}

/** Ends a rollout whose pods can't be checked. */
export function succeededUnproved(update: RollingOutUpdate, detail: string, endedAt: EpochMs): SucceededUpdate {
  return { ...succeeded(update, detail, endedAt), isUnproved: true };
}

/** Ends an update whose pods did not run. */
export function failed(
  update: PatchedUpdate,
  status: FailedUpdate["status"],
  why: Why,
  endedAt: EpochMs,
): FailedUpdate {
  return { ...endedCore(update, endedAt), ...why, status, patchedAt: update.patchedAt };
}

/** Ends an update for another cause than its own pods. */
export function overtaken(
  update: PendingUpdate | ActiveUpdate,
  status: OvertakenUpdate["status"],
  why: Why,
  endedAt: EpochMs,
): OvertakenUpdate {
  const patched = "patchedAt" in update ? { patchedAt: update.patchedAt } : {};
  return { ...endedCore(update, endedAt), ...why, status, ...patched };
}

/** Ends an update that a person rejected. */
export function rejected(update: PendingUpdate | ReleasedUpdate, why: Why, endedAt: EpochMs): RejectedUpdate {
  return { ...coreOf(update), ...why, status: "rejected", endedAt };
}

interface Why {
  readonly reason: Reason;
  readonly detail?: string;
}

function endedCore(update: PendingUpdate | ActiveUpdate, endedAt: EpochMs): EndedCore {
  const running = update.status === "rolling-out" ? runningOf(update.progress) : undefined;
  return {
    ...coreOf(update),
    endedAt,
    ...("restart" in update ? { restart: update.restart } : {}),
    ...(running === undefined ? {} : { runningSince: running.since }),
  };
}

/**
 * Returns the first check that found all pods running. Returns undefined if no check did, or if
 * pods have stopped since.
 */
export function runningOf(progress: Progress): Running | undefined {
  return progress.kind === "progressing" ? undefined : progress.running;
}

/** Returns the bake of an update, or undefined if no check judges its pods now. */
export function bakeOf(active: ActiveUpdate | undefined): Bake | undefined {
  if (active?.status !== "rolling-out" || active.progress.kind !== "running") return undefined;
  return active.progress.bake;
}

/** A digest that this workload does not get again until the digest is unblocked. */
export interface BlockedDigest {
  readonly imageName: ImageName;
  readonly digest: string;
  readonly tag: string;
  readonly reason: Reason;
  /**
   * The field manager that replaced the digest, or the person who rejected it, and the instant.
   * Absent if nobody did, or it is unknown.
   */
  readonly by?: string;
  readonly seq: number;
  readonly at: EpochMs;
}

/** Returns whether a person's rejection blocked a digest. */
export function isRejection({ reason }: BlockedDigest): boolean {
  return reason === "approval-rejected";
}

/** A stop to all updates of a workload, because a user reverted an update. */
export interface Hold {
  readonly reason: Extract<Reason, "reverted-by-user">;
  readonly at: EpochMs;
  readonly seq: number;
  /** The field manager that reverted the update, and the instant. */
  readonly detail: string;
}

/** A change of an update's approval that comes with another transition. */
export interface ApprovalChange {
  readonly what: "requested" | "given" | "expired" | "voided";
  /** The people whose votes the change concerns. Empty if the change concerns no person. */
  readonly people: readonly string[];
}

/** A change of an update, or of the workload, that one version of the record stores. */
export interface Transition {
  /** 0: the transition concerns the workload, and no update. */
  readonly seq: number;
  readonly what:
    | "tracked"
    | "observed"
    | "untracked"
    | "evidence-imported"
    | "held"
    | "released"
    | "patching"
    | "patched"
    | "running"
    | "failing"
    | "rolling-back"
    | "still-waiting"
    | "waiting"
    | "approved"
    | "unblocked"
    | "digests-unblocked"
    | "suspended"
    | "resumed"
    | "version-kept"
    | "tag-skipped"
    | "base-image-moved"
    | Ending;
  readonly reasons: readonly WaitReason[];
  readonly detail?: string;
  readonly changes: readonly ImageChange[];
  /** The base images whose digests moved. Absent if none moved. */
  readonly baseImages?: readonly BaseImageMove[];
  /**
   * The instant and source of the update's detection; absent while the record contains the update.
   */
  readonly detectedAt?: EpochMs;
  readonly source?: string;
  /**
   * The id of the push that led to the update. Absent if no push led to the update, or if the
   * record holds the update.
   */
  readonly correlationId?: string;
  /** The changes of the update's approval. Absent if the approval does not change. */
  readonly approval?: readonly ApprovalChange[];
  /** True in the first transition of an update: this version selected it. */
  readonly selected?: boolean;
  /** The act of the person who caused the transition. Absent if no person did. */
  readonly action?: Action;
  /** True if the update waits for the same reasons as in the version before. */
  readonly again?: true;
}

/**
 * The change of a cluster's budget by one version of a record.
 *
 * The record's transaction stores this change, so that no slot is lost.
 */
export interface BudgetChange {
  /**
   * The number of the slot that the update takes. The write fails if another update has the slot.
   */
  readonly takes?: number;
  /** The number of the slot that becomes free. */
  readonly frees?: number;
  /** The instant since when the update waits for a slot. The queue is ordered by these instants. */
  readonly joins?: EpochMs;
  /** The instant at which the update joined the queue that it now leaves. */
  readonly leaves?: EpochMs;
}

/**
 * The change of the list of updates that wait for approval. The record's transaction stores this
 * change.
 */
export type ApprovalWait = "begins" | "ends";

/** The state of one workload. The rules decide about it, and each stored version has one. */
export interface WorkloadState {
  readonly workload: WorkloadName;
  readonly uid: string;
  /** The number of the newest update; 0 before the first. It never restarts, not even for a new uid. */
  readonly seq: number;
  /**
   * The number of updates that landed on the object, with any result. Absent if no update landed.
   */
  readonly updates?: number;
  readonly observed: Observed;
  readonly pending?: PendingUpdate;
  readonly active?: ActiveUpdate;
  readonly last?: EndedUpdate;
  /**
   * The last update that succeeded, or that ended without a read of its object after the patch. Its
   * images may still be on the object, and show which images are Lookout's.
   */
  readonly landed?: EndedUpdate;
  readonly blocked: readonly BlockedDigest[];
  readonly hold?: Hold;
  /** The stop to all updates by a person. Absent without one. */
  readonly suspension?: Suspension;
  /** The images that containers keep because people asked for them. Absent if there is none. */
  readonly kept?: readonly KeptImage[];
  /** The tags that containers left for requested versions. Absent if there is none. */
  readonly left?: readonly LeftTags[];
  /** The tags that people let the workload skip, the newest last. Absent if there is none. */
  readonly skips?: readonly SkippedByPerson[];
  /** The digests that applied manifests took off the object. Absent if there is none. */
  readonly restored?: readonly RestoredDigest[];
  /** The digests whose rollouts a limit of pulls or a quota ended. Absent if there is none. */
  readonly limited?: readonly LimitedDigest[];
  /**
   * The digests that Lookout found while it observed, and that nobody has released since, the newest last. An
   * update to one of them is held by the gate `observe`. Absent if there is none.
   */
  readonly unreleased?: readonly RepositoryDigest[];
  /** The digests of the base images. Absent if no annotation names one, or none was read. */
  readonly baseImages?: readonly SeenBaseImage[];
  /**
   * The reasons why the last evaluation proposed nothing, by container. Empty if every selection
   * worked.
   */
  readonly selectionFailures: readonly SelectionFailure[];
  /**
   * True if the object or its settings changed since the last evaluation. Nothing is released until
   * the next evaluation.
   */
  readonly needsEvaluation?: true;
  /**
   * False if the object is gone or not enabled. The record stays, so that `seq` and `version`
   * continue.
   */
  readonly tracked: boolean;
  /** The approval annotations that were read, the newest last. Absent if no annotation was read. */
  readonly readApprovals?: readonly ReadApproval[];
  /** The place of the workload among the tiers. Absent if it is no member of a tier. */
  readonly member?: StoredTierPlace;
  /** The images that ran while the workload was a member of a tier, the latest first. Absent if there is none. */
  readonly ran?: readonly RanImage[];
}

/**
 * One stored version of a workload's state: one item, written under a condition on its version. The
 * members beside the state belong to this version alone.
 */
export interface WorkloadRecord extends WorkloadState {
  /** The version is 1 after the first write, and each further write adds one. It never restarts. */
  readonly version: number;
  /** The identity of the message or request that wrote this version. */
  readonly cause: string;
  readonly changedAt: EpochMs;
  /** The transitions of this version; never empty. */
  readonly transitions: readonly Transition[];
  readonly effects: Effects;
  /** The wait before the next command of this version. Absent if the command waits as usual. */
  readonly retry?: Retry;
}

/** What the transaction of a version stores beside the record. */
export interface Effects {
  readonly budget?: BudgetChange;
  readonly approvalWait?: ApprovalWait;
  /** The change of what lower tiers read. Absent if nothing changes for them. */
  readonly tier?: TierChange;
  readonly vote?: Vote;
  /** The instant at which the reaper sends the next command again. Absent if no command is open. */
  readonly dueAt?: EpochMs;
}

/** How a version waits before a command is tried again. */
export interface Retry {
  /** The number of failed evaluations in a row. Each failed evaluation doubles the pause. */
  readonly failedEvaluations?: number;
  /** The reason and end of the active update's pause. */
  readonly pause?: Pause;
}

/**
 * The pause of an active update: its commands were dead-lettered, or its cluster is not configured.
 */
export interface Pause {
  readonly reason: Extract<Reason, "internal-error" | "cluster-unreachable">;
  readonly until: EpochMs;
  readonly detail: string;
}

/** The reason why nothing was selected for a container. */
export interface SelectionFailure {
  readonly container: string;
  readonly reason: Reason;
  readonly detail?: string;
  /** The blocked digest that was selected. Absent for another reason. */
  readonly digest?: string;
  /** The end of the pause that the registry asked for. Absent if there is no pause. */
  readonly until?: EpochMs;
}

/** The limits of all updates, from `lookout.yaml`. */
export interface Limits {
  /** The time that pods must run after the first healthy check before an update succeeds. */
  readonly settle: DurationMs;
  /** The period over which workloads that wait for the same instant are spread. */
  readonly windowSpread: DurationMs;
  /** The largest number of concurrent rollouts in one cluster. */
  readonly maxConcurrentRollouts: number;
}
