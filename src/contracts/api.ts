import type { FactName } from "#domain/events";
import type { Gate } from "#domain/gate";
import type { Reason } from "#domain/reasons";
import type { TagRejection } from "#domain/tag-policy";
import type { Ending } from "#domain/update";

/**
 * The answers of the `/v1` API. Instants are RFC 3339 in UTC, digests are whole, workloads are named `cluster/namespace/kind/name`.
 *
 * | method and path | answer |
 * |---|---|
 * | `GET /v1/workloads` | {@link WorkloadsView} |
 * | `GET /v1/workloads/<cluster>/<namespace>/<kind>/<name>` | {@link WorkloadView} |
 * | `GET /v1/workloads/…/explanation` | {@link ExplanationView} |
 * | `GET /v1/workloads/…/decisions?limit=100` | {@link DecisionsView} |
 * | `POST /v1/workloads/…/lift` | {@link LiftView} |
 * | `GET /v1/updates` | {@link UpdatesView} |
 * | `GET /v1/repositories` | `RepositoriesView` of `sweep-api.ts` |
 * | `POST /v1/sweep`, if you like with `SweepRequest` | `SweepView` of `sweep-api.ts` |
 * | `GET /v1/quarantine` | {@link QuarantineView} |
 * | `POST /v1/quarantine` with {@link QuarantineRequest} | {@link QuarantineView} |
 * | `DELETE /v1/quarantine/<digest>` | {@link QuarantineView} |
 * | `GET /v1/freezes` | {@link FreezesView} |
 * | `POST /v1/freezes` with {@link FreezeRequest} | {@link FreezesView} |
 * | `DELETE /v1/freezes/<scope>`, the scope encoded as one part of the path | {@link FreezesView} |
 * | `POST /v1/demo/push` with {@link DemoPushRequest}, in the demo alone | {@link DemoPushView} |
 *
 * Errors are {@link ErrorView} with 400 (not understood), 401 (no or wrong token), 404 (not found), 409 (refused by what is so now).
 */
export const apiVersion = "v1";

/** Why something does not happen, for people. */
export interface ReasonView {
  readonly reason: Reason;
  readonly sentence: string;
  /** What a person can do about it. */
  readonly remedy: string;
  readonly detail?: string;
  readonly until?: string;
}

/** An image that runs or is wanted. */
export interface ImageView {
  readonly container: string;
  /** The text in the manifest, or the one to write. */
  readonly image: string;
  /** `registry/path`. */
  readonly repository: string;
  readonly tag?: string;
  readonly digest?: string;
  /** The policy that elects for it; absent for a container that does not take part. */
  readonly policy?: string;
}

/** The state of a workload in one word. */
export type WorkloadState =
  | "up-to-date"
  /** Something is wanted, and waits. */
  | "held"
  | "released"
  | "rolling-out"
  | "rolling-back"
  /** The last update was taken back: by Lookout because it failed, or by a person. */
  | "taken-back"
  /** Settings that can't be understood, or a registry that can't be asked. */
  | "problem";

/** An update that is open, or the last that ended. */
export interface UpdateView {
  readonly workload: string;
  readonly seq: number;
  readonly status: "held" | "released" | "rolling-out" | "rolling-back" | Ending;
  readonly wants: readonly ImageView[];
  readonly source: string;
  readonly detectedAt: string;
  readonly electedAt: string;
  readonly patchedAt?: string;
  readonly runningSince?: string;
  readonly endedAt?: string;
  readonly reasons: readonly ReasonView[];
  /** How far it is, or what was found: `2 of 3 pods`, a cause of failure. */
  readonly detail?: string;
}

/** A workload, as Lookout last saw it. */
export interface WorkloadView {
  readonly workload: string;
  readonly uid: string;
  readonly version: number;
  readonly state: WorkloadState;
  readonly runs: readonly ImageView[];
  /** What is wanted and does not run yet; empty when nothing is. */
  readonly wants: readonly ImageView[];
  /** All that stands in the way now. */
  readonly reasons: readonly ReasonView[];
  readonly problems: readonly {
    readonly key: string;
    readonly value: string;
    readonly message: string;
    readonly closes: boolean;
  }[];
  readonly active?: UpdateView;
  readonly pending?: UpdateView;
  readonly last?: UpdateView;
  readonly changedAt: string;
  /** When its cluster was looked at last; absent before the first look. */
  readonly lookedAt?: string;
}

/** A cluster, as the last look left it. */
export interface ClusterView {
  readonly name: string;
  readonly lookedAt?: string;
  readonly problem?: { readonly reason: string; readonly detail: string; readonly since: string };
}

/** All workloads that take part, sorted by name, and the clusters they are in. */
export interface WorkloadsView {
  readonly at: string;
  readonly workloads: readonly WorkloadView[];
  readonly clusters: readonly ClusterView[];
}

/** What a gate says now. */
export interface GateView {
  readonly gate: Gate;
  readonly open: boolean;
  readonly detail?: string;
  readonly why?: ReasonView;
}

/** What a policy makes of a repository's tags now. */
export interface ElectionView {
  readonly container: string;
  readonly policy: string;
  readonly outcome: "elected" | "unchanged" | "none";
  readonly tag?: string;
  readonly why?: ReasonView;
  /** How many tags the repository has; absent when it was not listed. */
  readonly tags?: number;
  readonly rejected: readonly { readonly tag: string; readonly reason: TagRejection }[];
}

/** Why a workload runs what it runs, and what would have to be so for it to run something else. */
export interface ExplanationView {
  readonly at: string;
  readonly workload: WorkloadView;
  readonly elections: readonly ElectionView[];
  /** The gates for what is wanted now, in their order, or for any update when nothing is. */
  readonly gates: readonly GateView[];
  /** What is worth knowing before the next update, in sentences. */
  readonly notices: readonly string[];
  readonly hold?: { readonly seq: number; readonly at: string; readonly detail: string };
  readonly refusals: readonly {
    readonly tag: string;
    readonly digest: string;
    readonly seq: number;
    readonly at: string;
    readonly why: ReasonView;
  }[];
}

/** One row of a workload's history. */
export interface DecisionView {
  readonly at: string;
  readonly seq: number;
  readonly version: number;
  readonly what: string;
  readonly facts: readonly FactName[];
  readonly images: readonly ImageView[];
  readonly reasons: readonly ReasonView[];
  readonly detail?: string;
  readonly cause: string;
}

/** The history of a workload, the newest first. */
export interface DecisionsView {
  readonly workload: string;
  readonly decisions: readonly DecisionView[];
}

/** Every update that is open, and the last that ended of each workload, the newest first. */
export interface UpdatesView {
  readonly at: string;
  readonly updates: readonly UpdateView[];
}

/** What lifting took away. */
export interface LiftView {
  readonly workload: string;
  readonly hold: boolean;
  readonly refusals: number;
}

/** The digests in quarantine, sorted. */
export interface QuarantineView {
  readonly quarantined: readonly {
    readonly digest: string;
    readonly by: string;
    readonly why: string;
    readonly at: string;
  }[];
}

/** Puts a digest in quarantine. */
export interface QuarantineRequest {
  readonly digest: string;
  readonly why: string;
  readonly by: string;
}

/** The freezes that hold something now, sorted by scope. */
export interface FreezesView {
  readonly at: string;
  readonly freezes: readonly {
    /** `*` for the whole fleet, `CLUSTER`, or `CLUSTER/NAMESPACE`. */
    readonly scope: string;
    readonly by: string;
    readonly why: string;
    readonly at: string;
    readonly until?: string;
  }[];
  /** Frozen workloads whose patch was begun before and may still land; empty ten seconds after a freeze at the latest. */
  readonly inFlight: readonly string[];
}

/** Freezes a scope. */
export interface FreezeRequest {
  /** `*` for the whole fleet, `CLUSTER`, or `CLUSTER/NAMESPACE`. */
  readonly scope: string;
  readonly why: string;
  readonly by: string;
  /** When it ends by itself, RFC 3339; absent: when it is lifted. */
  readonly until?: string;
}

/** Pushes an image to the demo's registry. */
export interface DemoPushRequest {
  /** `shop/api:1.3.0`. */
  readonly image: string;
  /** An image that can't start. */
  readonly broken?: boolean;
}

/** What was pushed. */
export interface DemoPushView {
  readonly image: string;
  readonly digest: string;
}

/** Why a request was not done. */
export interface ErrorView {
  readonly error: { readonly code: string; readonly message: string };
}
