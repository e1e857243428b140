import { kindSpecs, type WorkloadKind } from "#domain/workload/kinds";
import type { Collection } from "../collections.ts";
import { cronJobs } from "./cron-job.ts";
import { daemonSets } from "./daemon-set.ts";
import { deployments } from "./deployment.ts";
import type { ObjectKind } from "./kind.ts";
import { statefulSets } from "./stateful-set.ts";

/** The functions of each kind of workload. */
export const objectKinds: Readonly<Record<WorkloadKind, ObjectKind>> = {
  Deployment: deployments,
  StatefulSet: statefulSets,
  DaemonSet: daemonSets,
  CronJob: cronJobs,
};

/** Returns the collection of a kind's objects in a namespace, or in all. */
export function collectionOf(kind: WorkloadKind): Collection {
  return { plural: kindSpecs[kind].plural, list: objectKinds[kind].list };
}
