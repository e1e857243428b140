import type { Health, RunningImages } from "#domain/workload/health";
import { epochMs } from "#domain/shared/time";
import { denialOf } from "#domain/workload/pod-denial";
import { faultOf as containerFault, faultyHealth, type PodFault, worstFault } from "#domain/workload/pod-fault";
import { templateOf } from "./cluster-manifest.ts";
import { isOrdered, partitionOf, presentRevision, styleOf, waitsForDeletion, wantedPods } from "./cluster-rollout.ts";
import {
  liveView,
  type PodRules,
  type SimulatedFault,
  type SimulatedPod,
  type StoredWorkload,
} from "./cluster-state.ts";

const DEFAULT_PROGRESS_DEADLINE_SECONDS = 600;

/** Returns a workload's health, as the Kubernetes adapter does. Call {@link advance} first. */
export function healthOf(stored: StoredWorkload, since: number | "latest", now: number, rules: PodRules): Health {
  if (styleOf(stored) === "by-jobs") return cronJobHealth(stored, since, now, rules);
  const live = liveView(stored);
  const wanted = Math.max(0, wantedPods(stored, rules) - (waitsForDeletion(stored) ? 0 : partitionOf(stored)));
  if (stored.content.spec.paused === true) return { kind: "waiting", live, why: "paused" };
  if (wanted === 0) return { kind: "unverifiable", live, why: "nothing-to-run" };
  const mine = presentPods(stored);
  const ready = mine.filter((pod) => pod.readyAt <= now);
  if (ready.length >= wanted) {
    const restarts = mine.reduce((sum, pod) => sum + pod.restarts, 0);
    const runningSince = epochMs(Math.max(...ready.map((pod) => pod.readyAt)));
    return { kind: "healthy", live, runningSince, pods: wanted, restarts };
  }
  const late = overdue(stored, mine, now);
  const fault = faultOf(mine, now, rules);
  if (fault !== undefined) return faultyHealth(fault, { live, ready: ready.length, wanted }, late !== undefined);
  if (late !== undefined) return { kind: "failed", live, detail: late };
  if (waitsForDeletion(stored) && mine.length < wanted) return { kind: "waiting", live, why: "on-delete" };
  if (isOrdered(stored) && brokenInTheWay(stored, now, rules).length > 0)
    return { kind: "waiting", live, why: "broken-pod" };
  return { kind: "progressing", live, ready: ready.length, wanted, detail: "pods are not ready yet" };
}

/** The reasons of faults before the start of a pod. */
const startsLater: readonly string[] = ["ImagePullBackOff", "FailedCreate"];

/** Returns the digests of the started pods of the present revision, by container. */
export function runningImagesOf(stored: StoredWorkload, now: number, rules: PodRules): RunningImages {
  const template = JSON.stringify(templateOf(stored.content.spec));
  const jobs = stored.jobs.filter((job) => JSON.stringify(job.template) === template).slice(-1);
  const pods = styleOf(stored) === "by-jobs" ? jobs : presentPods(stored);
  const started = pods.filter(
    (pod) =>
      pod.createdAt + rules.startupMs <= now &&
      pod.faults.every(({ reason, until }) => !startsLater.includes(reason) || until <= now),
  );
  const names = [...new Set(started.flatMap((pod) => Object.keys(pod.digests)))];
  return Object.fromEntries(
    names.map((name) => [name, [...new Set(started.flatMap((pod) => pod.digests[name] ?? []))].sort()]),
  );
}

/** Returns the pods of the present revision in the slots from the partition on. */
export function presentPods(stored: StoredWorkload): readonly SimulatedPod[] {
  const revision = presentRevision(stored);
  const from = waitsForDeletion(stored) ? 0 : partitionOf(stored);
  return stored.pods.filter((pod) => pod.revision === revision?.id && pod.slot >= from);
}

/**
 * Returns the broken pods of old revisions. If someone deletes these pods, the controller creates
 * pods of the present revision.
 */
export function brokenInTheWay(stored: StoredWorkload, now: number, rules: PodRules): readonly SimulatedPod[] {
  const present = presentRevision(stored)?.id;
  const others = stored.pods.filter((pod) => pod.revision !== present && pod.slot >= partitionOf(stored));
  return others.filter((pod) => faultOf([pod], now, rules) !== undefined);
}

function cronJobHealth(stored: StoredWorkload, since: number | "latest", now: number, rules: PodRules): Health {
  const live = liveView(stored);
  const template = JSON.stringify(templateOf(stored.content.spec));
  const jobs = stored.jobs.filter((one) => JSON.stringify(one.template) === template);
  const job = since === "latest" ? jobs.at(-1) : jobs.find((one) => one.createdAt >= since);
  if (job === undefined) {
    return stored.content.spec.suspend === true
      ? { kind: "unverifiable", live, why: "cronjob-suspended" }
      : { kind: "waiting", live, why: "next-job" };
  }
  const fault = faultOf([job], now, rules);
  if (fault !== undefined) return faultyHealth(fault, { live, ready: 0, wanted: 1 });
  if (job.readyAt + rules.startupMs <= now) {
    return { kind: "healthy", live, runningSince: epochMs(job.readyAt), pods: 1, restarts: job.restarts };
  }
  return { kind: "progressing", live, ready: job.readyAt <= now ? 1 : 0, wanted: 1, detail: `Job ${job.name} runs` };
}

function faultOf(pods: readonly SimulatedPod[], now: number, rules: PodRules): PodFault | undefined {
  return worstFault(
    pods.flatMap(({ name, createdAt, faults }) => {
      const begun = createdAt + rules.startupMs <= now ? faults.filter(({ until }) => until > now) : [];
      return begun.map((fault) => faultOfContainer(name, fault));
    }),
  );
}

function faultOfContainer(pod: string, { reason, message, container, image }: SimulatedFault): PodFault {
  if (reason === "FailedCreate") return denialOf(message);
  const { kind = "lasting", answer } = containerFault({ reason, message }) ?? {};
  const where = `${reason} in container ${container} (${image}) of pod ${pod}`;
  return { kind, detail: answer === undefined ? where : `${where}, ${answer}`, containers: [container] };
}

function overdue(stored: StoredWorkload, pods: readonly SimulatedPod[], now: number): string | undefined {
  if (styleOf(stored) !== "surge") return undefined;
  const seconds = stored.content.spec.progressDeadlineSeconds ?? DEFAULT_PROGRESS_DEADLINE_SECONDS;
  const moved = Math.max(...pods.flatMap((pod) => [pod.createdAt, pod.readyAt]).filter((at) => at <= now));
  return now - moved > seconds * 1_000
    ? "ProgressDeadlineExceeded: no progress within progressDeadlineSeconds"
    : undefined;
}
