import type { RolloutWait } from "../workload/health.ts";
import type { Reason } from "../shared/reasons.ts";
import type { ClosedGate } from "../gates/closed-gate.ts";
import type { DurationMs, EpochMs } from "../shared/time.ts";
import type { Observed } from "../workload/observed.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { WorkloadName } from "../workload/workload.ts";

/** What every state of an update knows. */
export interface UpdateCore {
  /** Counts the updates of a workload, from 1; never starts again. */
  readonly seq: number;
  /** At least one, in the order of the workload's containers. */
  readonly changes: readonly ImageChange[];
  /** When Lookout heard of it: the webhook's arrival, or the sync that found it. */
  readonly detectedAt: EpochMs;
  /** Who told Lookout: `webhook distribution`, `sync`, … */
  readonly source: string;
  /** The id of the push that led to it. Absent: a sync, a policy or a start of Lookout did. */
  readonly correlationId?: string;
  readonly selectedAt: EpochMs;
  /** How often its commands ended in the dead-letter queue; absent: never. Each time doubles the pause. */
  readonly timesDeadLettered?: number;
  /** How often in a row the cluster did not answer or denied it; absent: never. Each time doubles the pause. */
  readonly clusterFailures?: number;
}

/** An update that waits for its gates. */
export interface PendingUpdate extends UpdateCore {
  readonly status: "held";
  /** Why it waits; never empty. */
  readonly waits: readonly ClosedGate[];
  /** Since when it, or the update that it superseded, waits for a slot; absent: since it was selected. */
  readonly queuedAt?: EpochMs;
}

/** What the states of an update have in common from its release on. */
interface ReleasedCore extends UpdateCore {
  readonly releasedAt: EpochMs;
  /** Its slot of the cluster's budget. Absent: it gave the slot back when it began to wait, or an import found it taken. */
  readonly slot?: number;
  /** The registries were asked meanwhile and named the images that it replaces: they are asked again after success. */
  readonly reevaluate?: true;
}

/** What the states of an update have in common from its stored intent on. */
interface PatchedCore extends ReleasedCore {
  /** Absent: none of its changes is a restart. */
  readonly restart?: Restart;
}

/** Text of `restartedAt` before an update, and the one that it writes. */
export interface Restart {
  /** Absent: there was none. */
  readonly from?: string;
  readonly to: string;
}

/** All gates are open, and nothing was sent. */
export interface ReleasedUpdate extends ReleasedCore {
  readonly status: "released";
}

/** The intent is stored, and the patch may have landed. */
export interface PatchingUpdate extends PatchedCore {
  readonly status: "patching";
}

/** The patch was seen to have landed. */
export interface RollingOutUpdate extends PatchedCore {
  readonly status: "rolling-out";
  readonly patchedAt: EpochMs;
  readonly progress: Progress;
}

/** How the pods of a rollout do, as the last check found them. */
export type Progress =
  /** They are being replaced; the update fails at the deadline. */
  | { readonly kind: "progressing"; readonly deadlineAt: EpochMs }
  /** Nothing moves although nothing is wrong. No deadline runs. */
  | { readonly kind: "waiting"; readonly why: RolloutWait; readonly running?: Running }
  /** All of them run. The deadline is absent when the rollout waited before. */
  | { readonly kind: "running"; readonly running: Running; readonly deadlineAt?: EpochMs };

/** The first check that found all pods running. */
export interface Running {
  readonly seenAt: EpochMs;
  /** When a second check that finds no further restart makes the update a success. */
  readonly settlesAt: EpochMs;
  readonly since: EpochMs;
  /** How often the pods had restarted by then. */
  readonly restarts: number;
  readonly pods: number;
}

/** The rollout failed, and Lookout restores the previous images. */
export interface RollingBackUpdate extends PatchedCore {
  readonly status: "rolling-back";
  readonly patchedAt: EpochMs;
  readonly failure: { readonly at: EpochMs; readonly reason: Reason; readonly cause: string };
  readonly rollback: Rollback;
}

/** How far a rollback is. */
export type Rollback =
  /** Its patch may have landed. */
  | { readonly kind: "patching" }
  /** Its patch was seen to have landed. */
  | { readonly kind: "patched"; readonly at: EpochMs; readonly deadlineAt: EpochMs };

/** A released update whose patch is not known to have landed. */
export type UnpatchedUpdate = ReleasedUpdate | PatchingUpdate;
/** An update whose patch landed. */
export type PatchedUpdate = RollingOutUpdate | RollingBackUpdate;
/** An update from its release to its end. One at most per workload. */
export type ActiveUpdate = UnpatchedUpdate | PatchedUpdate;

/** How an update can end. */
export const endings = [
  "succeeded",
  "rolled-back",
  "rollback-failed",
  "failed",
  "reverted",
  "superseded",
  "blocked",
] as const;
/** One of {@link endings}. */
export type Ending = (typeof endings)[number];

interface EndedCore extends UpdateCore {
  readonly endedAt: EpochMs;
  readonly restart?: Restart;
  /** Absent: its pods were not seen to run. */
  readonly runningSince?: EpochMs;
}

/** Its pods run, or nothing can be asked of them. */
export interface SucceededUpdate extends EndedCore {
  readonly status: "succeeded";
  readonly patchedAt: EpochMs;
  readonly detail: string;
}

/** Its pods did not run. */
export interface FailedUpdate extends EndedCore {
  readonly status: "rolled-back" | "rollback-failed" | "failed";
  readonly patchedAt: EpochMs;
  readonly reason: Reason;
  readonly detail?: string;
}

/** It ended because of something else than its own pods, before its patch or after. */
export interface OvertakenUpdate extends EndedCore {
  readonly status: "reverted" | "superseded" | "blocked";
  readonly reason: Reason;
  readonly detail?: string;
  /** Absent: its patch is not known to have landed. */
  readonly patchedAt?: EpochMs;
}

/** An update that ended. */
export type EndedUpdate = SucceededUpdate | FailedUpdate | OvertakenUpdate;

/** Copies what every state of an update knows. */
export function coreOf(update: UpdateCore): UpdateCore {
  const { seq, changes, detectedAt, source, correlationId, selectedAt, timesDeadLettered, clusterFailures } = update;
  return {
    seq,
    changes,
    detectedAt,
    source,
    selectedAt,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(timesDeadLettered === undefined ? {} : { timesDeadLettered }),
    ...(clusterFailures === undefined ? {} : { clusterFailures }),
  };
}

/** Ends a rollout whose pods run, or of which nothing can be asked. */
export function succeeded(update: RollingOutUpdate, detail: string, endedAt: EpochMs): SucceededUpdate {
  return { ...endedCore(update, endedAt), status: "succeeded", patchedAt: update.patchedAt, detail };
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

/** Ends an update because of something else than its own pods. */
export function overtaken(
  update: PendingUpdate | ActiveUpdate,
  status: OvertakenUpdate["status"],
  why: Why,
  endedAt: EpochMs,
): OvertakenUpdate {
  const patched = "patchedAt" in update ? { patchedAt: update.patchedAt } : {};
  return { ...endedCore(update, endedAt), ...why, status, ...patched };
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

/** The first check that found all pods running; undefined: none did, or pods stopped running since. */
export function runningOf(progress: Progress): Running | undefined {
  return progress.kind === "progressing" ? undefined : progress.running;
}

/** A digest that this workload will not be given again before it is lifted. */
export interface BlockedDigest {
  readonly repository: string;
  readonly digest: string;
  readonly tag: string;
  readonly reason: Reason;
  readonly seq: number;
  readonly at: EpochMs;
}

/** A stop to all updates of a workload that a person's rollback put. */
export interface Hold {
  readonly reason: Extract<Reason, "reverted-by-user">;
  readonly at: EpochMs;
  readonly seq: number;
  /** Who, by the object's field managers, and when. */
  readonly detail: string;
}

/** What became true of one update, or of the workload, with one version of the record. */
export interface Transition {
  /** 0: of the workload, before any update. */
  readonly seq: number;
  readonly what:
    | "tracked"
    | "observed"
    | "untracked"
    | "held"
    | "released"
    | "patching"
    | "patched"
    | "running"
    | "failing"
    | "rolling-back"
    | "still-waiting"
    | "waiting"
    | "unblocked"
    | Ending;
  readonly reasons: readonly ClosedGate[];
  readonly detail?: string;
  readonly changes: readonly ImageChange[];
  /** When Lookout heard of the update, and from whom; absent where the record still holds the update. */
  readonly detectedAt?: EpochMs;
  readonly source?: string;
  /** The id of the push that led to the update; absent as well where no push did. */
  readonly correlationId?: string;
  /** True with the first transition of an update: it was selected in this very version. */
  readonly selected?: boolean;
}

/**
 * What one version of a record does to the budget of its cluster: how many updates may be on their way there at once.
 *
 * It is stored in the record's own transaction, so that no slot is without its update and no waiter is forgotten.
 */
export interface BudgetMove {
  /** The number of the slot that the update takes; the write fails if another has it. */
  readonly takes?: number;
  /** The number of the slot that is free from here on. */
  readonly frees?: number;
  /** Waits for a slot from here on, in the order of these instants. */
  readonly joins?: EpochMs;
  /** Waits no longer; the instant with which it joined. */
  readonly leaves?: EpochMs;
}

/** The version of the form in which records are stored. A Lookout reads this one alone. */
export const recordSchema = 6;

/**
 * All that is stored about the updates of one workload: the aggregate, written as one item under a condition on its version.
 *
 * `version` and `seq` never start again, not even for a new uid.
 */
export interface WorkloadRecord {
  readonly schemaVersion: typeof recordSchema;
  readonly workload: WorkloadName;
  readonly uid: string;
  /** 1 for the first write; each write adds one. */
  readonly version: number;
  /** Of the newest update; 0 before the first. */
  readonly seq: number;
  /** The identity of the message or request that wrote this version. */
  readonly cause: string;
  readonly changedAt: EpochMs;
  readonly observed: Observed;
  readonly pending?: PendingUpdate;
  readonly active?: ActiveUpdate;
  readonly last?: EndedUpdate;
  /**
   * The last update that succeeded: what Lookout put on the object, and what it replaced. It stays until another lands or a person takes it
   * back, whatever becomes of later updates, because it tells whose image stands there.
   */
  readonly landed?: EndedUpdate;
  /** Why and until when nobody works on the active update. Holds for this version alone. */
  readonly pause?: Pause;
  readonly blocked: readonly BlockedDigest[];
  readonly hold?: Hold;
  /** Why the last look at the registry proposed nothing, by container; empty when all is well. */
  readonly selectionFailures: readonly SelectionFailure[];
  /** What this version made true; empty never. */
  readonly transitions: readonly Transition[];
  /**
   * The object or its settings changed since the registries were asked: nothing that was selected before is released until they are asked
   * anew.
   */
  readonly needsEvaluation?: true;
  /** How many questions in a row came to nothing; each doubles the pause before the next. Holds for this version alone. */
  readonly failedEvaluations?: number;
  /** False: the object is gone or no longer enabled; the record stays, so that `seq` and `version` go on. */
  readonly tracked: boolean;
  /** What this version does to the budget of its cluster. Holds for this version alone. */
  readonly budget?: BudgetMove;
  /** When someone must have worked on it again; absent when nothing is open. */
  readonly dueAt?: EpochMs;
}

/** Why an active update is left alone: its commands were dead-lettered, or no cluster of its name is configured. */
export interface Pause {
  readonly reason: Extract<Reason, "internal-error" | "cluster-unreachable">;
  readonly until: EpochMs;
  readonly detail: string;
}

/** Why nothing was selected for a container. */
export interface SelectionFailure {
  readonly container: string;
  readonly reason: Reason;
  readonly detail?: string;
}

/** Limits that the owner of an installation may set in `lookout.yaml`. */
export interface Limits {
  /** How long pods have to stay well after the first healthy look before an update counts as succeeded. */
  readonly settle: DurationMs;
  /** Over how long the workloads that wait for one instant are spread, so that they do not all start at once. */
  readonly windowSpread: DurationMs;
  /** How many updates of one cluster may be on their way at once. */
  readonly maxConcurrentRollouts: number;
}
