import type { ClusterRefusal } from "#ports/cluster";
import type { Health } from "#domain/workload/health";
import type { LiveWorkload } from "#domain/workload/workload";
import type { Connection } from "./connection.ts";
import { cronJobStandStill, jobHealth, nextJob } from "./cron-job-health.ts";
import { daemonSetHealth, daemonSetStandStill } from "./daemon-set-health.ts";
import { deploymentHealth, deploymentStandStill } from "./deployment-health.ts";
import type { CronJob, DaemonSet, Deployment, StatefulSet, WorkloadObject } from "./objects.ts";
import { daemonSetPods, deploymentPods, jobPods, jobsOf, setPods, warningsAbout } from "./revision-pods.ts";
import { statefulSetHealth, statefulSetStandStill } from "./stateful-set-health.ts";

/** Judges one object of the four kinds; its pods are read only when it does not tell all by itself. */
export async function rolloutHealth(
  api: Connection,
  live: LiveWorkload,
  object: WorkloadObject,
  since: number,
  signal: AbortSignal,
): Promise<Health | ClusterRefusal> {
  switch (live.workload.kind) {
    case "Deployment":
      return ofDeployment(api, live, object as Deployment, signal);
    case "StatefulSet":
      return ofStatefulSet(api, live, object as StatefulSet, signal);
    case "DaemonSet":
      return ofDaemonSet(api, live, object as DaemonSet, signal);
    case "CronJob":
      return ofCronJob(api, live, object as CronJob, since, signal);
  }
}

async function ofDeployment(
  api: Connection,
  live: LiveWorkload,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<Health | ClusterRefusal> {
  const known = deploymentStandStill(live, deployment);
  if (known !== undefined) return known;
  const read = await deploymentPods(api, deployment, signal);
  return read.kind === "pods" ? deploymentHealth(live, deployment, read.replicaSet, read.mine) : read;
}

async function ofStatefulSet(
  api: Connection,
  live: LiveWorkload,
  set: StatefulSet,
  signal: AbortSignal,
): Promise<Health | ClusterRefusal> {
  const known = statefulSetStandStill(live, set);
  if (known !== undefined) return known;
  const read = await setPods(api, set, signal);
  if (read.kind !== "pods") return read;
  const judged = statefulSetHealth(live, set, read.pods, []);
  if (judged.kind !== "progressing") return judged;
  const warnings = await warningsAbout(api, set, signal);
  return warnings.kind === "all" ? statefulSetHealth(live, set, read.pods, warnings.items) : warnings;
}

async function ofDaemonSet(
  api: Connection,
  live: LiveWorkload,
  set: DaemonSet,
  signal: AbortSignal,
): Promise<Health | ClusterRefusal> {
  const known = daemonSetStandStill(live, set);
  if (known !== undefined) return known;
  const read = await daemonSetPods(api, set, signal);
  if (read.kind !== "pods") return read;
  const judged = daemonSetHealth(live, set, read.mine, read.pods, []);
  if (judged.kind !== "progressing") return judged;
  const warnings = await warningsAbout(api, set, signal);
  return warnings.kind === "all" ? daemonSetHealth(live, set, read.mine, read.pods, warnings.items) : warnings;
}

async function ofCronJob(
  api: Connection,
  live: LiveWorkload,
  cronJob: CronJob,
  since: number,
  signal: AbortSignal,
): Promise<Health | ClusterRefusal> {
  const jobs = await jobsOf(api, cronJob, signal);
  if (jobs.kind !== "all") return jobs;
  const job = nextJob(cronJob, jobs.items, since);
  if (job === undefined) return cronJobStandStill(live, cronJob);
  const read = await jobPods(api, job, signal);
  return read.kind === "pods" ? jobHealth(live, job, read.mine) : read;
}
