import type { V1DeploymentSpec, V1DeploymentStatus } from "@kubernetes/client-node";
import type { Health } from "#domain/workload/health";
import { type EpochMs, earliest } from "#domain/shared/time";
import { denialOf } from "#domain/workload/pod-denial";
import { faultyHealth, type PodFault, worstFault } from "#domain/workload/pod-fault";
import type { LiveWorkload } from "#domain/workload/workload";
import type { ClusterRefusal } from "#ports/cluster";
import { replicaSets } from "../collections.ts";
import type { Connection } from "../connection.ts";
import { condition, faultsOf, unscheduled } from "../fault.ts";
import type { ApiObject, Pod, ReplicaSet, Rollout } from "../objects.ts";
import { instantOf, isLeaving, isOwnedBy, sameRun, summary } from "../pods.ts";
import { readIn, readPods } from "../reader.ts";
import { selectorText } from "../selector.ts";
import { healthWithoutPods, healthy } from "./judging.ts";
import { noPods, type ObjectKind, type PodsRead } from "./kind.ts";

/** A Deployment. */
export type Deployment = ApiObject<Rollout<V1DeploymentSpec>, V1DeploymentStatus>;

/** Deployments. */
export const deployments: ObjectKind<Deployment> = {
  list: ({ apps }, { namespace, ...query }) =>
    namespace === undefined
      ? apps.listDeploymentForAllNamespacesWithHttpInfo(query)
      : apps.listNamespacedDeploymentWithHttpInfo({ namespace, ...query }),
  read: ({ apps }, named) => apps.readNamespacedDeploymentWithHttpInfo(named),
  patch: ({ apps }, patch) => apps.patchNamespacedDeploymentWithHttpInfo(patch),
  health: async (api, live, deployment, _, signal) => {
    const known = deploymentHealthWithoutPods(live, deployment);
    if (known !== undefined) return known;
    const read = await revisionPods(api, deployment, signal);
    return read.kind === "pods" ? deploymentHealth(live, deployment, read.replicaSet, read.mine) : read;
  },
  presentPods: revisionPods,
  isPaused: ({ spec }) => spec.paused === true,
  isUnderway,
};

/** Reads the ReplicaSet of the current revision, and only its pods. */
async function revisionPods(
  api: Connection,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<(PodsRead & { readonly replicaSet: ReplicaSet | undefined }) | ClusterRefusal> {
  const { metadata, spec } = deployment;
  const labelSelector = selectorText(spec.selector);
  const sets = await readIn<ReplicaSet>(api, replicaSets, metadata, { labelSelector }, signal);
  if (sets.kind !== "all") return sets;
  const replicaSet = presentReplicaSet(deployment, sets.items);
  if (replicaSet === undefined) return { ...noPods, replicaSet };
  const hash = replicaSet.metadata.labels?.["pod-template-hash"];
  const more = hash === undefined ? {} : { "pod-template-hash": hash };
  const read = await readPods(api, metadata, spec.selector, signal, more);
  if (read.kind !== "all") return read;
  const mine = read.items.filter((pod) => isOwnedBy(pod, replicaSet.metadata.uid) && !isLeaving(pod));
  return { kind: "pods", mine, pods: read.items, replicaSet };
}

const revisionKey = "deployment.kubernetes.io/revision";
const deadlineExceeded = "ProgressDeadlineExceeded";

/**
 * Returns the health of a Deployment from the object alone, or undefined if the object is not
 * enough. Then the caller reads the pods.
 */
export function deploymentHealthWithoutPods(live: LiveWorkload, deployment: Deployment): Health | undefined {
  if (deployment.spec.paused === true) return { kind: "waiting", live, why: "paused" };
  return healthWithoutPods(live, deployment, deployment.spec.replicas ?? 1);
}

/**
 * Returns whether a Deployment's rollout is in progress: neither complete, nor paused, nor failed.
 */
export function isUnderway(deployment: Deployment): boolean {
  const { generation = 0 } = deployment.metadata;
  const { observedGeneration = 0, conditions } = deployment.status ?? {};
  if (deployment.spec.paused === true) return false;
  if (observedGeneration < generation) return true;
  const hasFailed =
    condition(conditions, "ReplicaFailure")?.status === "True" ||
    condition(conditions, "Progressing")?.reason === deadlineExceeded;
  return !hasFailed && !isComplete(deployment, deployment.spec.replicas ?? 1);
}

/**
 * Returns the ReplicaSet of the current revision. Its images must match, because strategy Recreate
 * keeps the old revision number until the old pods are gone.
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

/**
 * Returns the health of a Deployment from the pods of its current revision. The Deployment's
 * conditions may still describe the previous rollout.
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
    return healthy(live, runningSince, { pods: wanted, restarts });
  }
  const refused = refusedBy(replicaSet);
  const isLate = replicaSet !== undefined && isOverdue(deployment, replicaSet);
  const fault = worstFault([...(refused === undefined ? [] : [refused]), ...faultsOf(pods)]);
  if (fault !== undefined) return faultyHealth(fault, { live, ready, wanted }, isLate);
  if (isLate) {
    return { kind: "failed", live, detail: `${deadlineExceeded}: no progress within progressDeadlineSeconds` };
  }
  return { kind: "progressing", live, ready, wanted, detail: unscheduled(pods) ?? "pods are not ready yet" };
}

/**
 * Returns why the pods of a ReplicaSet were rejected. The Deployment's own condition may describe
 * an earlier revision.
 */
function refusedBy(replicaSet: ReplicaSet | undefined): PodFault | undefined {
  const failure = condition(replicaSet?.status?.conditions, "ReplicaFailure");
  return failure?.status === "True" ? denialOf(failure.message) : undefined;
}

function isComplete(deployment: Deployment, wanted: number): boolean {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = deployment.status ?? {};
  return [replicas, updatedReplicas, availableReplicas].every((count) => count === wanted);
}

/**
 * Returns when the rollout completed. The instant stays the same when a pod becomes unready later.
 */
function completedAt(deployment: Deployment): EpochMs | undefined {
  const progressing = condition(deployment.status?.conditions, "Progressing");
  return progressing?.reason === "NewReplicaSetAvailable" ? instantOf(progressing.lastUpdateTime) : undefined;
}

function earlierOf(a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined {
  return earliest([a, b].filter((at) => at !== undefined));
}

/**
 * Returns whether the rollout exceeded its deadline. A condition that names the ReplicaSet of an
 * earlier rollout is ignored.
 */
function isOverdue(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  const progressing = condition(deployment.status?.conditions, "Progressing");
  if (progressing?.reason !== deadlineExceeded) return false;
  return progressing.message?.includes(`"${replicaSet.metadata.name}"`) ?? false;
}
