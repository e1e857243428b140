import type { Health } from "#domain/workload/health";
import type { EpochMs } from "#domain/shared/time";
import type { LiveWorkload } from "#domain/workload/workload";
import { condition, containerStatuses, podFault, unscheduled } from "./fault.ts";
import type { Condition, CronJob, Job, Pod } from "./objects.ts";
import { instantOf, isLeaving, isOwnedBy, latest, sameRun, summary } from "./pods.ts";

/**
 * Answers the first Job that a CronJob made since an instant from its present template; undefined before it is made.
 *
 * Creation times are whole seconds, so a Job of the same second counts; its images tell whether it came before the change.
 */
export function nextJob(cronJob: CronJob, jobs: readonly Job[], since: number): Job | undefined {
  const from = Math.floor(since / 1_000) * 1_000;
  return jobs
    .filter(
      (job) =>
        isOwnedBy(job, cronJob.metadata.uid) && sameRun(job.spec.template, cronJob.spec.jobTemplate.spec.template),
    )
    .filter((job) => createdAt(job) >= from)
    .sort((a, b) => createdAt(a) - createdAt(b))[0];
}

/** Answers the newest Job that a CronJob made from its present template, whenever that was. */
export function newestJob(cronJob: CronJob, jobs: readonly Job[]): Job | undefined {
  return jobs
    .filter(
      (job) =>
        isOwnedBy(job, cronJob.metadata.uid) && sameRun(job.spec.template, cronJob.spec.jobTemplate.spec.template),
    )
    .sort((a, b) => createdAt(b) - createdAt(a))[0];
}

/** Says what a CronJob without a Job of its present template is doing. */
export function cronJobStandStill(live: LiveWorkload, cronJob: CronJob): Health {
  return cronJob.spec.suspend === true
    ? { kind: "unverifiable", live, why: "cronjob-suspended" }
    : { kind: "standing-still", live, why: "waits-for-next-job" };
}

/** Judges a CronJob by one of its Jobs: complete is healthy. A pod that failed is no failure before the Job gives up. */
export function jobHealth(live: LiveWorkload, job: Job, pods: readonly Pod[]): Health {
  const mine = pods.filter((pod) => isOwnedBy(pod, job.metadata.uid) && !isLeaving(pod));
  const { ready, restarts } = summary(mine);
  if (transitions(job, "Complete")) {
    const runningSince = startedAt(job, mine);
    return { kind: "healthy", live, ...(runningSince !== undefined && { runningSince }), pods: mine.length, restarts };
  }
  const failed = transitions(job, "Failed") ?? transitions(job, "FailureTarget");
  const cause = failed ? `Job ${job.metadata.name} failed (${failed.reason ?? "no reason"})` : podFault(mine);
  if (cause !== undefined) return { kind: "failed", live, cause };
  const wanted = Math.max(1, mine.length);
  return { kind: "progressing", live, ready, wanted, detail: unscheduled(mine) ?? `Job ${job.metadata.name} runs` };
}

function transitions(job: Job, type: string): Condition | undefined {
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
