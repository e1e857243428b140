import type { ResponseContext } from "@kubernetes/client-node/dist/gen/http/http.js";
import type { ApiCall, Apis } from "./http-api.ts";

/** The parameters of a list or a watch in the generated calls. */
export interface ListQuery {
  /** The listed namespace. The default is all namespaces. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly _continue?: string;
  readonly resourceVersion?: string;
  readonly watch?: boolean;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
}

/** A collection of the API, with the generated call that lists it. */
export interface Collection {
  readonly plural: string;
  readonly list: (apis: Apis, query: ListQuery) => Promise<ResponseContext>;
}

/** The ReplicaSets of a namespace. */
export const replicaSets: Collection = {
  plural: "replicasets",
  list: ({ apps }, query) => apps.listNamespacedReplicaSetWithHttpInfo({ namespace: "", ...query }),
};

/** The ControllerRevisions of a namespace. */
export const controllerRevisions: Collection = {
  plural: "controllerrevisions",
  list: ({ apps }, query) => apps.listNamespacedControllerRevisionWithHttpInfo({ namespace: "", ...query }),
};

/** The Jobs of a namespace, or of all. */
export const jobs: Collection = {
  plural: "jobs",
  list: ({ batch }, { namespace, ...query }) =>
    namespace === undefined
      ? batch.listJobForAllNamespacesWithHttpInfo(query)
      : batch.listNamespacedJobWithHttpInfo({ namespace, ...query }),
};

/** The pods of a namespace. */
export const pods: Collection = {
  plural: "pods",
  list: ({ core }, query) => core.listNamespacedPodWithHttpInfo({ namespace: "", ...query }),
};

/** The events of a namespace. */
export const events: Collection = {
  plural: "events",
  list: ({ core }, query) => core.listNamespacedEventWithHttpInfo({ namespace: "", ...query }),
};

/**
 * Returns the call that watches a collection from a version on. The server ends the watch after
 * `timeoutSeconds`.
 */
export function watchCall({ list }: Collection, resourceVersion: string, timeoutSeconds: number): ApiCall {
  return (apis) => list(apis, { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds });
}
