import type { ResponseContext } from "@kubernetes/client-node/dist/gen/http/http.js";
import { fieldManager, type WorkloadKind, type WorkloadName } from "#domain/workload/workload";
import type { ApiCall, Apis } from "./http-api.ts";

/** What a list or a watch asks for, as the generated calls name it. */
export interface ListQuery {
  /** Absent: all namespaces. Kinds that belong to a workload are listed in one. */
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

interface Collection {
  readonly plural: string;
  readonly list: (apis: Apis, query: ListQuery) => Promise<ResponseContext>;
}

interface WorkloadCollection extends Collection {
  readonly read: (apis: Apis, named: Named) => Promise<ResponseContext>;
  readonly patch: (
    apis: Apis,
    patch: Named & { readonly body: unknown; readonly fieldManager: string },
  ) => Promise<ResponseContext>;
}

interface Named {
  readonly name: string;
  readonly namespace: string;
}

const workloads: Readonly<Record<WorkloadKind, WorkloadCollection>> = {
  Deployment: {
    plural: "deployments",
    list: ({ apps }, query) => apps.listDeploymentForAllNamespacesWithHttpInfo(query),
    read: ({ apps }, named) => apps.readNamespacedDeploymentWithHttpInfo(named),
    patch: ({ apps }, patch) => apps.patchNamespacedDeploymentWithHttpInfo(patch),
  },
  StatefulSet: {
    plural: "statefulsets",
    list: ({ apps }, query) => apps.listStatefulSetForAllNamespacesWithHttpInfo(query),
    read: ({ apps }, named) => apps.readNamespacedStatefulSetWithHttpInfo(named),
    patch: ({ apps }, patch) => apps.patchNamespacedStatefulSetWithHttpInfo(patch),
  },
  DaemonSet: {
    plural: "daemonsets",
    list: ({ apps }, query) => apps.listDaemonSetForAllNamespacesWithHttpInfo(query),
    read: ({ apps }, named) => apps.readNamespacedDaemonSetWithHttpInfo(named),
    patch: ({ apps }, patch) => apps.patchNamespacedDaemonSetWithHttpInfo(patch),
  },
  CronJob: {
    plural: "cronjobs",
    list: ({ batch }, query) => batch.listCronJobForAllNamespacesWithHttpInfo(query),
    read: ({ batch }, named) => batch.readNamespacedCronJobWithHttpInfo(named),
    patch: ({ batch }, patch) => batch.patchNamespacedCronJobWithHttpInfo(patch),
  },
};

/** The collections of the API that Lookout reads, with the generated calls for them. */
export const collections = {
  ...workloads,
  ReplicaSet: {
    plural: "replicasets",
    list: ({ apps }, query) => apps.listNamespacedReplicaSetWithHttpInfo({ namespace: "", ...query }),
  },
  ControllerRevision: {
    plural: "controllerrevisions",
    list: ({ apps }, query) => apps.listNamespacedControllerRevisionWithHttpInfo({ namespace: "", ...query }),
  },
  Job: {
    plural: "jobs",
    list: ({ batch }, { namespace, ...query }) =>
      namespace === undefined
        ? batch.listJobForAllNamespacesWithHttpInfo(query)
        : batch.listNamespacedJobWithHttpInfo({ namespace, ...query }),
  },
  Pod: {
    plural: "pods",
    list: ({ core }, query) => core.listNamespacedPodWithHttpInfo({ namespace: "", ...query }),
  },
  Event: {
    plural: "events",
    list: ({ core }, query) => core.listNamespacedEventWithHttpInfo({ namespace: "", ...query }),
  },
} as const satisfies Record<WorkloadKind | "ReplicaSet" | "ControllerRevision" | "Job" | "Pod" | "Event", Collection>;

/** A kind that Lookout lists. */
export type ListedKind = keyof typeof collections;

/** Makes the call that watches a kind from a version on. The server ends it after some seconds. */
export function watchCall(kind: ListedKind, resourceVersion: string, timeoutSeconds: number): ApiCall {
  const query = { watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds };
  return (apis) => collections[kind].list(apis, query);
}

/** Makes the call that reads one workload. */
export function readCall({ kind, namespace, name }: WorkloadName): ApiCall {
  return (apis) => workloads[kind].read(apis, { namespace, name });
}

/** Makes the call that sends a JSON Patch, which is the library's first choice of content types. */
export function patchCall({ kind, namespace, name }: WorkloadName, body: unknown): ApiCall {
  return (apis) => workloads[kind].patch(apis, { namespace, name, body, fieldManager });
}
