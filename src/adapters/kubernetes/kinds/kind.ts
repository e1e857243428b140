import type { ResponseContext } from "@kubernetes/client-node/dist/gen/http/http.js";
import type { Health } from "#domain/workload/health";
import type { LiveWorkload } from "#domain/workload/workload";
import type { ClusterRefusal } from "#ports/cluster";
import type { Connection } from "../connection.ts";
import type { Apis } from "../http-api.ts";
import type { Pod, WorkloadObject } from "../objects.ts";
import type { Collection } from "../collections.ts";

/** An object's name in the calls of the API. */
interface Named {
  readonly name: string;
  readonly namespace: string;
}

/** The pods of a workload. */
export interface PodsRead {
  readonly kind: "pods";
  /** The pods of the current revision. */
  readonly mine: readonly Pod[];
  /** All pods that the workload's selector matches. */
  readonly pods: readonly Pod[];
}

/** The result of a workload without pods of its current revision. */
export const noPods: PodsRead = { kind: "pods", mine: [], pods: [] };

/** The functions that read, patch and judge objects of one kind. */
export interface ObjectKind<Object extends WorkloadObject = WorkloadObject> {
  list: Collection["list"];
  /** Returns whether the spec of an object pauses its rollouts. Absent if no spec of the kind does. */
  isPaused?(object: Object): boolean;
  /** Returns annotations about problems of an object that no annotation of it has. */
  problems?(object: Object): Readonly<Record<string, string>>;
  read(apis: Apis, named: Named): Promise<ResponseContext>;
  /** Sends a JSON Patch, the default content type of the library. */
  patch(apis: Apis, patch: Named & { readonly body: unknown; readonly fieldManager: string }): Promise<ResponseContext>;
  /** Returns the health of an object. Pods are read only when the object alone is not enough. */
  health(
    api: Connection,
    live: LiveWorkload,
    object: Object,
    since: number | "latest",
    signal: AbortSignal,
  ): Promise<Health | ClusterRefusal>;
  /**
   * Reads the pods of the current template. Returns none until the controller has observed the
   * template.
   */
  presentPods(api: Connection, object: Object, signal: AbortSignal): Promise<PodsRead | ClusterRefusal>;
  /**
   * Returns whether the object alone shows a rollout in progress. Absent if no object of the kind
   * shows its rollout.
   */
  isUnderway?(object: Object): boolean;
  /**
   * Reads the pods that block a rollout until they are deleted. Absent if pods of the kind never
   * block a rollout.
   */
  failedPods?(
    api: Connection,
    object: Object,
    images: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly kind: "pods"; readonly pods: readonly Pod[] } | ClusterRefusal>;
  /** The objects that the kind's controller creates. Changes of these objects are hints too. */
  readonly makes?: Collection;
}
