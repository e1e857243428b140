import type { RunningImages } from "#domain/workload/health";
import type { ClusterRefusal } from "#ports/cluster";
import type { LiveWorkload } from "#domain/workload/workload";
import type { Connection } from "./connection.ts";
import { newestJob } from "./cron-job-health.ts";
import { containerStatuses } from "./fault.ts";
import type { CronJob, DaemonSet, Deployment, Pod, StatefulSet, WorkloadObject } from "./objects.ts";
import { daemonSetPods, deploymentPods, jobPods, jobsOf, setPods } from "./revision-pods.ts";

/**
 * Reads the pods of an object's present revision, or of the newest Job of a CronJob's present template.
 *
 * Only a Deployment's ReplicaSet and a Job tell by themselves that they are of that template; the revision of the others is that of an
 * earlier template until their controller has seen the object.
 */
export async function presentPods(
  api: Connection,
  live: LiveWorkload,
  object: WorkloadObject,
  signal: AbortSignal,
): Promise<{ readonly kind: "pods"; readonly mine: readonly Pod[] } | ClusterRefusal> {
  switch (live.workload.kind) {
    case "Deployment":
      return deploymentPods(api, object as Deployment, signal);
    case "StatefulSet":
      return isSeen(object as StatefulSet) ? setPods(api, object as StatefulSet, signal) : noPods;
    case "DaemonSet":
      return isSeen(object as DaemonSet) ? daemonSetPods(api, object as DaemonSet, signal) : noPods;
    case "CronJob": {
      const jobs = await jobsOf(api, object as CronJob, signal);
      if (jobs.kind !== "all") return jobs;
      const job = newestJob(object as CronJob, jobs.items);
      return job === undefined ? noPods : jobPods(api, job, signal);
    }
  }
}

const noPods = { kind: "pods", mine: [] } as const;

function isSeen({ metadata, status }: StatefulSet | DaemonSet): boolean {
  return (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}

/**
 * Answers the digests that pods report for each container of a workload, sorted.
 *
 * Pods that run or ran to completion count. An image ID without a repository is the identity of a configuration, not of a manifest: it is
 * left out.
 */
export function runningImages(live: LiveWorkload, pods: readonly Pod[]): RunningImages {
  const started = pods.filter((pod) => pod.status?.phase === "Running" || pod.status?.phase === "Succeeded");
  const statuses = started.flatMap(containerStatuses);
  const entries = live.containers.map(({ name }) => {
    const digests = statuses
      .filter((status) => status.name === name)
      .flatMap(({ imageID = "" }) => /@(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.exec(imageID)?.[1] ?? []);
    return [name, [...new Set(digests)].sort()] as const;
  });
  return Object.fromEntries(entries.filter(([, digests]) => digests.length > 0));
}
