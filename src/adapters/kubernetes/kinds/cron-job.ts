import type { V1CronJobSpec } from "@kubernetes/client-node";
import type { Health } from "#domain/workload/health";
import type { EpochMs } from "#domain/shared/time";
import type { LiveWorkload } from "#domain/workload/workload";
import type { ClusterRefusal } from "#ports/cluster";
import { jobs } from "../collections.ts";
import type { Connection } from "../connection.ts";
import { condition, containerStatuses, unscheduled } from "../fault.ts";
import type { ApiObject, Condition, Job, Json, Pod, PodTemplate } from "../objects.ts";
import { instantOf, isLeaving, isOwnedBy, latest, sameRun, summary } from "../pods.ts";
import { readIn, readPods } from "../reader.ts";
import { healthOfPods, healthy } from "./judging.ts";
import { noPods, type ObjectKind, type PodsRead } from "./kind.ts";

/** A CronJob. A CronJob has no `observedGeneration` and no selector. */
export type CronJob = ApiObject<
  Json<Omit<V1CronJobSpec, "jobTemplate">> & {
    readonly jobTemplate: { readonly spec: { readonly template: PodTemplate } };
  }
>;

/** CronJobs. A Job of the current template shows the health of a CronJob. */
export const cronJobs: ObjectKind<CronJob> = {
  list: ({ batch }, { namespace, ...query }) =>
    namespace === undefined
      ? batch.listCronJobForAllNamespacesWithHttpInfo(query)
      : batch.listNamespacedCronJobWithHttpInfo({ namespace, ...query }),
  read: ({ batch }, named) => batch.readNamespacedCronJobWithHttpInfo(named),
  patch: ({ batch }, patch) => batch.patchNamespacedCronJobWithHttpInfo(patch),
  health: async (api, live, cronJob, since, signal) => {
    const all = await jobsOf(api, cronJob, signal);
    if (all.kind !== "all") return all;
    const job = since === "latest" ? jobsOfTemplate(cronJob, all.items).at(-1) : nextJob(cronJob, all.items, since);
    if (job === undefined) return healthWithoutPods(live, cronJob);
    const read = await podsOfJob(api, job, signal);
    return read.kind === "pods" ? jobHealth(live, job, read.mine) : read;
  },
  presentPods: async (api, cronJob, signal) => {
    const all = await jobsOf(api, cronJob, signal);
    if (all.kind !== "all") return all;
    const job = jobsOfTemplate(cronJob, all.items).at(-1);
    return job === undefined ? noPods : podsOfJob(api, job, signal);
  },
  makes: jobs,
};

/** Reads all Jobs of a CronJob's namespace, because Jobs have no label with their CronJob. */
async function jobsOf(api: Connection, { metadata }: CronJob, signal: AbortSignal) {
  return readIn<Job>(api, jobs, metadata, {}, signal);
}

async function podsOfJob(api: Connection, job: Job, signal: AbortSignal): Promise<PodsRead | ClusterRefusal> {
  const read = await readPods(api, job.metadata, job.spec.selector ?? {}, signal);
  return read.kind === "all" ? { kind: "pods", mine: read.items, pods: read.items } : read;
}

/**
 * Returns the first Job of the current template that was created since an instant. Creation times
 * are whole seconds, so a Job of the same second is included. The images of a Job show whether the
 * Job is older than the change.
 */
export function nextJob(cronJob: CronJob, all: readonly Job[], since: number): Job | undefined {
  const from = Math.floor(since / 1_000) * 1_000;
  return jobsOfTemplate(cronJob, all).find((job) => createdAt(job) >= from);
}

/** Returns the Jobs of the current template, oldest first. */
function jobsOfTemplate({ metadata, spec }: CronJob, all: readonly Job[]): readonly Job[] {
  return all
    .filter((job) => isOwnedBy(job, metadata.uid) && sameRun(job.spec.template, spec.jobTemplate.spec.template))
    .sort((a, b) => createdAt(a) - createdAt(b));
}

function healthWithoutPods(live: LiveWorkload, cronJob: CronJob): Health {
  return cronJob.spec.suspend === true
    ? { kind: "unverifiable", live, why: "cronjob-suspended" }
    : { kind: "waiting", live, why: "next-job" };
}

/**
 * Returns the health of a CronJob by one of its Jobs. A complete Job is healthy. A failed pod is no
 * failure until the Job fails.
 */
function jobHealth(live: LiveWorkload, job: Job, pods: readonly Pod[]): Health {
  const mine = pods.filter((pod) => isOwnedBy(pod, job.metadata.uid) && !isLeaving(pod));
  const { ready, restarts } = summary(mine);
  if (trueCondition(job, "Complete")) {
    return healthy(live, startedAt(job, mine), { pods: mine.length, restarts });
  }
  const failed = trueCondition(job, "Failed") ?? trueCondition(job, "FailureTarget");
  if (failed !== undefined) {
    return { kind: "failed", live, detail: `Job ${job.metadata.name} failed (${failed.reason ?? "no reason"})` };
  }
  const wanted = Math.max(1, mine.length);
  const faulty = healthOfPods(live, mine, wanted);
  if (faulty !== undefined) return faulty;
  return { kind: "progressing", live, ready, wanted, detail: unscheduled(mine) ?? `Job ${job.metadata.name} runs` };
}

function trueCondition(job: Job, type: string): Condition | undefined {
  const found = condition(job.status?.conditions, type);
  return found?.status === "True" ? found : undefined;
}

function startedAt(job: Job, pods: readonly Pod[]): EpochMs | undefined {
  const states = pods.flatMap(containerStatuses).map(({ state }) => state?.running ?? state?.terminated);
  return latest(states.map((state) => instantOf(state?.startedAt))) ?? instantOf(job.status?.startTime);
}

function createdAt(job: Job): number {
  return instantOf(job.metadata.creationTimestamp) ?? 0;
}
