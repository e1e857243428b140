import type { Health } from "#domain/workload/health";
import { type EpochMs, earliest } from "#domain/shared/time";
import type { LiveWorkload } from "#domain/workload/workload";
import { condition, podFault, refusedPods, unscheduled } from "./fault.ts";
import type { Deployment, Pod, ReplicaSet } from "./objects.ts";
import { instantOf, isLeaving, isOwnedBy, sameRun, summary } from "./pods.ts";

const revisionKey = "deployment.kubernetes.io/revision";
const deadlineExceeded = "ProgressDeadlineExceeded";

/** Says what a Deployment alone tells: a state in which its pods need not be read; undefined when they do. */
export function deploymentStandStill(live: LiveWorkload, deployment: Deployment): Health | undefined {
  const wanted = deployment.spec.replicas ?? 1;
  if (deployment.spec.paused === true) return { kind: "standing-still", live, why: "paused" };
  if ((deployment.status?.observedGeneration ?? 0) < live.generation) {
    return { kind: "progressing", live, ready: 0, wanted, detail: "the Deployment controller has not seen it yet" };
  }
  return wanted === 0 ? { kind: "unverifiable", live, why: "nothing-to-run" } : undefined;
}

/** Says whether a Deployment by itself tells that its rollout goes on: it is neither complete nor paused, and nothing speaks of a failure. */
export function isUnderway(deployment: Deployment): boolean {
  const { generation = 0 } = deployment.metadata;
  const { observedGeneration = 0, conditions } = deployment.status ?? {};
  if (deployment.spec.paused === true) return false;
  if (observedGeneration < generation) return true;
  const troubled =
    condition(conditions, "ReplicaFailure")?.status === "True" ||
    condition(conditions, "Progressing")?.reason === deadlineExceeded;
  return !troubled && !isComplete(deployment, deployment.spec.replicas ?? 1);
}

/**
 * Answers the ReplicaSet of a Deployment's present revision.
 *
 * The revision number alone lies for a while (strategy Recreate keeps the old one until the old pods are gone), so the images must match too.
 */
export function presentReplicaSet(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const revision = deployment.metadata.annotations?.[revisionKey];
  return replicaSets.find(
    (candidate) =>
      isOwnedBy(candidate, deployment.metadata.uid) &&
      candidate.metadata.annotations?.[revisionKey] === revision &&
      sameRun(candidate.spec.template, deployment.spec.template),
  );
}

/** Answers the pods of a ReplicaSet, without those on their way out. */
export function podsOfReplicaSet(replicaSet: ReplicaSet | undefined, pods: readonly Pod[]): readonly Pod[] {
  return replicaSet === undefined
    ? []
    : pods.filter((pod) => isOwnedBy(pod, replicaSet.metadata.uid) && !isLeaving(pod));
}

/**
 * Judges a Deployment that {@link deploymentStandStill} says nothing of, by the pods of its present revision.
 *
 * Conditions alone lie: `NewReplicaSetAvailable` and `ProgressDeadlineExceeded` of a former rollout stay for a while.
 */
export function deploymentHealth(
  live: LiveWorkload,
  deployment: Deployment,
  replicaSet: ReplicaSet | undefined,
  pods: readonly Pod[],
): Health {
  const wanted = deployment.spec.replicas ?? 1;
  const { ready, restarts, lastReady } = summary(pods);
  if (replicaSet !== undefined && isComplete(deployment, wanted)) {
    const runningSince = earlierOf(lastReady, completedAt(deployment));
    return { kind: "healthy", live, ...(runningSince !== undefined && { runningSince }), pods: wanted, restarts };
  }
  const cause = refusedBy(replicaSet) ?? podFault(pods);
  if (cause !== undefined) return { kind: "failed", live, cause };
  if (replicaSet !== undefined && isOverdue(deployment, replicaSet)) {
    return { kind: "failed", live, cause: `${deadlineExceeded}: no progress within progressDeadlineSeconds` };
  }
  return { kind: "progressing", live, ready, wanted, detail: unscheduled(pods) ?? "pods are not ready yet" };
}

/** The ReplicaSet's own condition: the Deployment's may be about an earlier revision. */
function refusedBy(replicaSet: ReplicaSet | undefined): string | undefined {
  const failure = condition(replicaSet?.status?.conditions, "ReplicaFailure");
  return failure?.status === "True" ? refusedPods(failure.message) : undefined;
}

function isComplete(deployment: Deployment, wanted: number): boolean {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = deployment.status ?? {};
  return [replicas, updatedReplicas, availableReplicas].every((count) => count === wanted);
}

/** When the rollout was complete. Unlike a pod's readiness it does not move when a pod stumbles later. */
function completedAt(deployment: Deployment): EpochMs | undefined {
  const progressing = condition(deployment.status?.conditions, "Progressing");
  return progressing?.reason === "NewReplicaSetAvailable" ? instantOf(progressing.lastUpdateTime) : undefined;
}

function earlierOf(a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined {
  return earliest([a, b].filter((at) => at !== undefined));
}

/** The condition names the ReplicaSet that it is about: one of an earlier rollout does not count. */
function isOverdue(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  const progressing = condition(deployment.status?.conditions, "Progressing");
  if (progressing?.reason !== deadlineExceeded) return false;
  return progressing.message?.includes(`"${replicaSet.metadata.name}"`) ?? false;
}
