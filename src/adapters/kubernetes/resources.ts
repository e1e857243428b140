import { apiVersions, type WorkloadKind, type WorkloadName } from "#domain/workload";

/** The collections of the API that Lookout reads. */
export const resources = {
  Deployment: { root: rootOf("Deployment"), plural: "deployments" },
  StatefulSet: { root: rootOf("StatefulSet"), plural: "statefulsets" },
  DaemonSet: { root: rootOf("DaemonSet"), plural: "daemonsets" },
  CronJob: { root: rootOf("CronJob"), plural: "cronjobs" },
  ReplicaSet: { root: "/apis/apps/v1", plural: "replicasets" },
  ControllerRevision: { root: "/apis/apps/v1", plural: "controllerrevisions" },
  Job: { root: "/apis/batch/v1", plural: "jobs" },
  Pod: { root: "/api/v1", plural: "pods" },
  Event: { root: "/api/v1", plural: "events" },
} as const satisfies Record<WorkloadKind | "ReplicaSet" | "ControllerRevision" | "Job" | "Pod" | "Event", unknown>;

/** The path of all objects of a kind, in one namespace or in all. */
export function collectionPath(kind: keyof typeof resources, namespace?: string): string {
  const { root, plural } = resources[kind];
  return namespace === undefined
    ? `${root}/${plural}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

/** The path of one workload. */
export function workloadPath(workload: WorkloadName): string {
  return `${collectionPath(workload.kind, workload.namespace)}/${encodeURIComponent(workload.name)}`;
}

function rootOf(kind: WorkloadKind): string {
  return `/apis/${apiVersions[kind]}`;
}
