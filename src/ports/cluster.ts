import type { DefinitionKind, DefinitionObject } from "#domain/definitions/definition";
import type { DefinitionTrouble } from "#domain/definitions/definition-problem";
import type { Health, RunningImages } from "#domain/workload/health";
import type { WorkloadKind } from "#domain/workload/kinds";
import type { LiveWorkload, WorkloadName } from "#domain/workload/workload";
import type { ClusterNode } from "#domain/workload/node-groups";
import type { AnnotationPatch, WorkloadPatch } from "#domain/workload/patch";
import type { AskedOfNodes } from "#domain/workload/placement";

/** The answer to a read of one workload. */
export type WorkloadRead =
  | { readonly kind: "found"; readonly live: LiveWorkload }
  /** The object does not exist, or is being deleted. */
  | { readonly kind: "gone" }
  | ClusterRefusal;

/** The cluster did not answer, or denied access. */
export type ClusterRefusal =
  /**
   * No connection, a timeout, 429, or the 404 of a proxy, and for reads and deletions also 5xx. A
   * patch wrote nothing, but pods may have been deleted.
   */
  | { readonly kind: "unreachable"; readonly detail: string }
  /**
   * 401 or 403. Lookout holds an update for `denied` as for `unreachable`, because an expired
   * credential must not block a good digest.
   */
  | { readonly kind: "denied"; readonly detail: string };

/**
 * The outcome of a patch. `detail` never holds the server's message, because a 422 can quote the
 * whole object.
 */
export type PatchOutcome =
  | { readonly kind: "written"; readonly live: LiveWorkload }
  /**
   * A guard failed (422 without a cause, 409) and nothing was written. The caller reads the object
   * and decides again.
   */
  | { readonly kind: "read-again" }
  | { readonly kind: "gone" }
  /**
   * No answer arrived, or a 504, or an answer without the object. The cluster may have applied the
   * patch. The update label in the next read shows whether the patch was applied.
   */
  | { readonly kind: "unknown"; readonly detail: string }
  /**
   * The server or a proxy failed (5xx except 504). The cluster may have applied the patch before
   * that, so the caller reads the object.
   */
  | { readonly kind: "failed"; readonly detail: string }
  /** A ValidatingAdmissionPolicy or an admission webhook denied the patch. `detail` names it. */
  | { readonly kind: "denied-by-admission"; readonly detail: string }
  /** The API server found a field invalid; `detail` lists the field paths only. */
  | { readonly kind: "invalid"; readonly detail: string }
  | ClusterRefusal;

/** The rights of Lookout's credential in a cluster, compared with its needs. */
export interface ClusterRights {
  readonly kind: "rights";
  /** The missing rights for updates, each as `patch deployments`, in no order. */
  readonly missing: readonly string[];
  /** The rights that Lookout never needs, each as `read Secrets`. Absent if there are none. */
  readonly excessive?: readonly string[];
  /**
   * The kinds of objects that declare updates, that the cluster has, and that Lookout may not read or
   * report: `ImagePolicy`. Absent if there are none.
   */
  readonly ignored?: readonly string[];
  /** The kinds of objects that declare updates, and that the cluster has. Absent if there are none. */
  readonly definitions?: readonly string[];
}

/** The opaque position from which the next list continues. */
export type ListPosition = string;

/** All workloads of a cluster, or the changes since a position. */
export type WorkloadList =
  | {
      readonly kind: "workloads";
      /**
       * True if the list has all workloads, so that missing workloads are gone. False if it has
       * only the changes.
       */
      readonly complete: boolean;
      readonly live: readonly LiveWorkload[];
      /** The workloads that were deleted since the position; empty for a complete list. */
      readonly deleted: readonly WorkloadName[];
      /** The position for the next list. */
      readonly position: ListPosition;
    }
  | ClusterRefusal;

/** The definitions of a cluster. */
export interface DefinitionList {
  readonly objects: readonly DefinitionObject[];
  /** The kinds that the cluster does not have. */
  readonly absent: readonly DefinitionKind[];
  /** The kinds whose objects Lookout may not list, or that gave no answer. */
  readonly unlisted: readonly DefinitionKind[];
  /** The kinds of which not all objects are in the list, and why. */
  readonly troubles: readonly DefinitionTrouble[];
}

/** A new status of a definition. `uid` and `resourceVersion` are those of the object that was listed. */
export interface StatusPatch extends Pick<DefinitionObject, "kind" | "namespace" | "name" | "uid" | "resourceVersion"> {
  readonly status: object;
}

/** `changed`: the object is another one now, or is gone, and nothing was written. */
export type StatusOutcome =
  | { readonly kind: "written" }
  | { readonly kind: "changed" }
  | { readonly kind: "invalid"; readonly detail: string }
  | ClusterRefusal;

/** The nodes of a cluster. */
export type NodeList = { readonly kind: "nodes"; readonly nodes: readonly ClusterNode[] } | ClusterRefusal;

/**
 * A hint that an object changed. A hint may arrive late, twice or never. No decision depends on a
 * hint.
 */
export interface WorkloadHint {
  readonly workload: WorkloadName;
  /** The object in the event; absent after a deletion, and for an event of a Job or pod. */
  readonly live?: LiveWorkload;
  /** True if some pods of the present revision don't run yet, so health need not be read. */
  readonly underway?: boolean;
}

/** The number of pods that Lookout deleted to unblock an ordered StatefulSet. */
export type PodsDeleted = { readonly kind: "deleted"; readonly pods: number } | ClusterRefusal;

/**
 * One Kubernetes cluster. Reads are strongly consistent (never `resourceVersion=0`).
 *
 * Only {@link Cluster.patch}, {@link Cluster.patchAnnotation}, {@link Cluster.patchStatus} and
 * {@link Cluster.deleteFailedPods} write. After a 401, a method repeats its request with new credentials. A read is also repeated
 * once after a lost connection, and a watch connects again. No method retries otherwise.
 */
export interface Cluster {
  /** The context of the kubeconfig, for commands that users copy. Absent without a kubeconfig. */
  readonly context?: string;
  /**
   * Returns the uid of the namespace kube-system, which identifies a cluster that is registered
   * twice.
   */
  identity(signal: AbortSignal): Promise<{ readonly kind: "identity"; readonly uid: string } | ClusterRefusal>;

  /** Returns the rights that updates lack, and the rights that Lookout never needs. */
  rights(signal: AbortSignal): Promise<ClusterRights | ClusterRefusal>;

  /**
   * Lists the workloads of all allowed namespaces, in the server's order.
   *
   * With a position, the method returns the later changes, or a complete list if the position is
   * too old. If a read is incomplete, the method returns a refusal, never a shorter list.
   */
  list(since: ListPosition | undefined, signal: AbortSignal): Promise<WorkloadList>;

  /**
   * Lists all nodes, each with its values of the asked labels, in no order. If a read is
   * incomplete, the method returns a refusal.
   */
  nodes(asked: AskedOfNodes, signal: AbortSignal): Promise<NodeList>;

  /** Reads one workload. */
  read(workload: WorkloadName, signal: AbortSignal): Promise<WorkloadRead>;

  /**
   * Returns the digests that a workload's running pods report, by container. A digest may be of an
   * index or of a platform.
   *
   * The answer omits containers without a running pod. The answer is empty if the object has
   * changed since the read (another uid or generation).
   */
  runningImages(
    live: LiveWorkload,
    signal: AbortSignal,
  ): Promise<{ readonly kind: "running"; readonly images: RunningImages } | ClusterRefusal>;

  /**
   * Lists the definitions in all allowed namespaces, in no order.
   *
   * @param absent - the kinds that the cluster did not have before. Any 404 says that it still does not have them.
   */
  definitions(absent: readonly DefinitionKind[], signal: AbortSignal): Promise<DefinitionList>;

  /** Replaces the status of a definition, if the object is as it was listed. */
  patchStatus(patch: StatusPatch, signal: AbortSignal): Promise<StatusOutcome>;

  /**
   * Sends one guarded JSON Patch (field manager `lookout`), with a limit of ten seconds. The method
   * repeats the request only after a 401, which changes nothing. After `sendBy`, it sends nothing
   * and returns `read-again`.
   */
  patch(patch: WorkloadPatch, signal: AbortSignal): Promise<PatchOutcome>;

  /** Sends one guarded JSON Patch of an annotation, as {@link Cluster.patch} does. */
  patchAnnotation(patch: AnnotationPatch, signal: AbortSignal): Promise<PatchOutcome>;

  /**
   * Returns the health of a workload's present revision, together with the object.
   *
   * @param since - for a CronJob, an instant (epoch ms): its first Job since then counts. `latest`: its
   *   last Job of the present template, of any age.
   */
  health(
    workload: WorkloadName,
    since: number | "latest",
    signal: AbortSignal,
  ): Promise<Health | { readonly kind: "gone" } | ClusterRefusal>;

  /**
   * Deletes the failed pods of a StatefulSet's old revisions: broken pods, and unready pods with
   * one of `images`. Each deletion has a uid precondition.
   *
   * Without the deletion, an ordered StatefulSet would wait for a broken pod for ever.
   */
  deleteFailedPods(workload: WorkloadName, images: readonly string[], signal: AbortSignal): Promise<PodsDeleted>;

  /**
   * Reports changes of workloads and of their rollouts until the signal aborts. Reconnects after an
   * interruption.
   */
  watch(onHint: (hint: WorkloadHint) => void, signal: AbortSignal): Promise<void>;
}

/** Lists workloads kind by kind, so that a missing right hides only one kind. */
export interface WorkloadLists {
  /**
   * Lists the workloads of one kind, in the server's order.
   *
   * @param namespace - absent: all allowed namespaces.
   */
  listKind(
    kind: WorkloadKind,
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly kind: "listed"; readonly live: readonly LiveWorkload[] } | ClusterRefusal>;
}

/** The name of the cluster of `--kubeconfig` and `--context`. */
export const flaggedCluster = "local";

/** The clusters of this installation, by name. */
export interface Clusters {
  /** Returns all names, sorted. */
  names(): readonly string[];
  /** Returns undefined for an unknown name. */
  cluster(name: string): Cluster | undefined;
}
