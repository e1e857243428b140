import type { ResponseContext } from "@kubernetes/client-node/dist/gen/http/http.js";
import type { Health } from "#domain/workload/health";
import type { LiveWorkload } from "#domain/workload/workload";
import type { ClusterRefusal } from "#ports/cluster";
import type { Connection } from "../connection.ts";
import type { Apis } from "../http-api.ts";
import type { Pod, WorkloadObject } from "../objects.ts";
import type { Collection } from "../collections.ts";

/** One object in the calls of the API. */
interface Named {
  readonly name: string;
  readonly namespace: string;
}

/** Pods of a workload. */
export interface PodsRead {
  readonly kind: "pods";
  /** Those of its present revision. */
  readonly mine: readonly Pod[];
  /** All that its selector finds. */
  readonly pods: readonly Pod[];
}

/** The result of a workload without pods of its present revision. */
export const noPods: PodsRead = { kind: "pods", mine: [], pods: [] };

/** How Lookout reads, writes and judges the objects of one kind. */
export interface ObjectKind<Object extends WorkloadObject = WorkloadObject> {
  list: Collection["list"];
  read(apis: Apis, named: Named): Promise<ResponseContext>;
  /** Sends a JSON Patch, which is the library's first choice of content types. */
  patch(apis: Apis, patch: Named & { readonly body: unknown; readonly fieldManager: string }): Promise<ResponseContext>;
  /** Judges an object. Reads its pods only when the object alone does not tell. */
  health(
    api: Connection,
    live: LiveWorkload,
    object: Object,
    since: number,
    signal: AbortSignal,
  ): Promise<Health | ClusterRefusal>;
  /** Reads the pods of the present template: none before the controller has seen it. */
  presentPods(api: Connection, object: Object, signal: AbortSignal): Promise<PodsRead | ClusterRefusal>;
  /** Whether the object alone shows a rollout that goes on without trouble. Absent: it never does. */
  isUnderway?(object: Object): boolean;
  /** Reads the pods that stop a rollout until they are deleted. Absent: there are none. */
  failedPods?(
    api: Connection,
    object: Object,
    images: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly kind: "pods"; readonly pods: readonly Pod[] } | ClusterRefusal>;
  /** Objects that its controller makes, whose changes are hints too. */
  readonly makes?: Collection;
}
