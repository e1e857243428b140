import type { Health, RunningImages } from "#domain/workload/health";
import type { LiveWorkload, WorkloadName } from "#domain/workload/workload";
import type { WorkloadPatch } from "#domain/workload/patch";

/** What a read of one workload found. */
export type WorkloadRead =
  | { readonly kind: "found"; readonly live: LiveWorkload }
  /** No object of that name, or it is being deleted. */
  | { readonly kind: "gone" }
  | ClusterRefusal;

/** The cluster could not be asked, or would not answer. */
export type ClusterRefusal =
  /** No connection, a timeout, 429 or 5xx before anything was done. */
  | { readonly kind: "unreachable"; readonly detail: string }
  /** 401 or 403. Held like unreachable: an expired credential must not bar a good digest. */
  | { readonly kind: "denied"; readonly detail: string };

/** What became of a patch. `detail` never holds the server's message: a 422 can echo the whole object, environment values included. */
export type PatchOutcome =
  | { readonly kind: "written"; readonly live: LiveWorkload }
  /** A guard failed (422 without a cause, 409): nothing was written, read the object and decide again. */
  | { readonly kind: "read-again" }
  | { readonly kind: "gone" }
  /** Sent, and no answer came: it may have been written. The label tells at the next read. */
  | { readonly kind: "unknown"; readonly detail: string }
  /** A ValidatingAdmissionPolicy or an admission webhook said no; `detail` names it. */
  | { readonly kind: "denied-by-admission"; readonly detail: string }
  /** The API server found a field invalid; `detail` lists the field paths only. */
  | { readonly kind: "invalid"; readonly detail: string }
  | ClusterRefusal;

/** Where a list stood, to go on from: opaque, a `resourceVersion`. */
export type ListPosition = string;

/** One look at all workloads of a cluster, or at what changed since a position. */
export type WorkloadList =
  | {
      readonly kind: "workloads";
      /** True: everything there is, so what is missing is gone. False: only what changed. */
      readonly complete: boolean;
      readonly live: readonly LiveWorkload[];
      /** Names of workloads that were deleted since the position; empty when complete. */
      readonly deleted: readonly WorkloadName[];
      /** One per listed kind, to be handed back as it is. */
      readonly position: ListPosition;
    }
  | ClusterRefusal;

/** A hint that an object changed. It may come late, twice or not at all; nothing is decided from it. */
export interface WorkloadHint {
  readonly workload: WorkloadName;
  /** The object as the event showed it; absent when it was deleted, or when something of it (a Job, a pod) moved. */
  readonly live?: LiveWorkload;
  /** True: the event itself tells that not all pods of the present revision run yet; a look at its health would say no more than that. */
  readonly underway?: boolean;
}

/** The pods that were deleted so that an ordered StatefulSet can go on, or back. */
export type PodsDeleted = { readonly kind: "deleted"; readonly pods: number } | ClusterRefusal;

/**
 * One Kubernetes cluster. Reads are strongly consistent (never `resourceVersion=0`).
 *
 * Only {@link Cluster.patch} and {@link Cluster.deleteFailedPods} write. No method retries: the caller decides when to ask again.
 */
export interface Cluster {
  /** Answers the uid of the namespace kube-system, which tells a cluster registered twice. */
  identity(signal: AbortSignal): Promise<{ readonly kind: "identity"; readonly uid: string } | ClusterRefusal>;

  /** Answers which rights it lacks there that updates take, each as `patch deployments`, in no order; empty when it lacks none. */
  rights(
    signal: AbortSignal,
  ): Promise<{ readonly kind: "rights"; readonly missing: readonly string[] } | ClusterRefusal>;

  /**
   * Lists the workloads of all allowed namespaces.
   *
   * From a position it answers what changed since, by a short watch; a position that is too old is answered with a complete list.
   * A list that stopped early is a refusal, never a shorter list. Order is the server's own.
   */
  list(since: ListPosition | undefined, signal: AbortSignal): Promise<WorkloadList>;

  /** Reads one workload. */
  read(workload: WorkloadName, signal: AbortSignal): Promise<WorkloadRead>;

  /**
   * Answers which digests the running pods of a workload report for each container.
   *
   * A digest may be the image index's or one platform's. A container without a running pod is missing from the answer; so is every
   * container once the object is another, or of another generation, than the one that was read: its pods tell nothing of that one's images.
   */
  runningImages(
    live: LiveWorkload,
    signal: AbortSignal,
  ): Promise<{ readonly kind: "running"; readonly images: RunningImages } | ClusterRefusal>;

  /**
   * Sends one guarded JSON Patch (field manager `lookout`). At most one request leaves, none after the patch's `sendBy` (the outcome is
   * then `read-again`); it is aborted after ten seconds.
   */
  patch(patch: WorkloadPatch, signal: AbortSignal): Promise<PatchOutcome>;

  /**
   * Looks at how the present revision of a workload is doing, together with the object as it is now.
   *
   * @param since - for a CronJob: only Jobs created at or after this instant count (epoch ms).
   */
  health(
    workload: WorkloadName,
    since: number,
    signal: AbortSignal,
  ): Promise<Health | { readonly kind: "gone" } | ClusterRefusal>;

  /**
   * Deletes the pods of a StatefulSet that are not of its present revision and are broken, or not ready and run one of `images`, each
   * under its uid.
   *
   * An ordered StatefulSet waits for a broken pod for ever, whichever its revision; this frees it.
   */
  deleteFailedPods(workload: WorkloadName, images: readonly string[], signal: AbortSignal): Promise<PodsDeleted>;

  /** Follows changes of workloads and of their progress until the signal aborts, reconnecting by itself. */
  watch(onHint: (hint: WorkloadHint) => void, signal: AbortSignal): Promise<void>;
}

/** The clusters of this installation by the names of `lookout.yaml`. */
export interface Clusters {
  /** All names, sorted. */
  names(): readonly string[];
  /** Answers undefined for a name that is not (any more) configured. */
  cluster(name: string): Cluster | undefined;
}
