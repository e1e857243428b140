import type { StandStill } from "../workload/health.ts";
import type { Reason } from "../shared/reasons.ts";
import type { ClosedGate } from "../gates/closed-gate.ts";
import type { DurationMs, EpochMs } from "../shared/time.ts";
import type { Observed } from "../workload/observed.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { WorkloadName } from "../workload/workload.ts";

interface UpdateCore {
  /** Counts the updates of a workload, from 1; never starts again. */
  readonly seq: number;
  /** At least one, in the order of the workload's containers. */
  readonly changes: readonly ImageChange[];
  /** When Lookout heard of it: the webhook's arrival, or the look that found it. */
  readonly detectedAt: EpochMs;
  /** What Lookout heard: `webhook distribution`, `sync`, … */
  readonly source: string;
  /** The id of the push that led to it; absent for one that a sync, a policy or a restart of Lookout's began. */
  readonly correlationId?: string;
  readonly selectedAt: EpochMs;
  /** How often work on it ended in the dead-letter queue; absent: never. Each time doubles the pause. */
  readonly timesDeadLettered?: number;
  /** How often in a row the cluster was away or refused it; absent: never. Each time doubles the pause. */
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

/** Text of `restartedAt` before an update, and the one that it writes. */
export interface Restart {
  /** Absent: there was none. */
  readonly from?: string;
  readonly to: string;
}

/** An update that is on its way to the cluster, or back. One at most per workload. */
export interface ActiveUpdate extends UpdateCore {
  readonly status: "released" | "rolling-out" | "rolling-back";
  readonly releasedAt: EpochMs;
  /**
   * The number of the slot of the cluster's budget that it holds until it ends, is held again, or stands still of its own. Absent: it
   * stood still, or is of a Lookout that knew no budget.
   */
  readonly slot?: number;
  /** The registries were asked meanwhile and named what it replaces: they are asked anew when it has succeeded. */
  readonly askAfter?: true;
  /** Present from `rolling-out` on, for an update that has a restart among its changes. */
  readonly restart?: Restart;
  /** When the patch was seen to have landed. Absent in `rolling-out`: not sent, or not known. */
  readonly patchedAt?: EpochMs;
  /** When it fails if it does not run by then. Absent while nothing was patched, and while the workload stands still of its own. */
  readonly deadlineAt?: EpochMs;
  /** Why nothing moves although nothing is wrong, as the last look found it. */
  readonly standingStill?: StandStill;
  /** The first look that found all pods running, and how often they had restarted by then. */
  readonly running?: {
    readonly seenAt: EpochMs;
    /** When a second look that finds them still well makes it a success. */
    readonly settlesAt: EpochMs;
    readonly since: EpochMs;
    readonly restarts: number;
    readonly pods: number;
  };
  /** Why it is rolled back. Present in `rolling-back`. */
  readonly failure?: { readonly at: EpochMs; readonly reason: Reason; readonly cause: string };
  /** When the rollback's patch was seen to have landed. */
  readonly backAt?: EpochMs;
}

/** How an update can end. */
export const endings = [
  "succeeded",
  "rolled-back",
  "rollback-failed",
  "failed",
  "reverted",
  "superseded",
  "refused",
] as const;
/** One of {@link endings}. */
export type Ending = (typeof endings)[number];

/** The update that ended last, kept for people to see. */
export interface EndedUpdate extends UpdateCore {
  readonly status: Ending;
  readonly endedAt: EpochMs;
  readonly reason?: Reason;
  readonly detail?: string;
  readonly patchedAt?: EpochMs;
  readonly runningSince?: EpochMs;
  readonly restart?: Restart;
}

/** A digest that this workload will not be given again before it is lifted. */
export interface Refusal {
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
    | "put-back"
    | "still-waiting"
    | "waiting"
    | "lifted"
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
export const recordSchema = 5;

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
  /** Why and until when nobody works on the active update, after work on it failed every time. Holds for this version alone. */
  readonly pause?: ClosedGate & { readonly until: EpochMs };
  readonly refusals: readonly Refusal[];
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
