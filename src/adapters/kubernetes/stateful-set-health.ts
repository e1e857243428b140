import type { Health } from "#domain/workload/health";
import type { LiveWorkload } from "#domain/workload/workload";
import { podFault, unscheduled } from "./fault.ts";
import type { CoreEvent, Pod, StatefulSet } from "./objects.ts";
import { isLeaving, isOwnedBy, podsOfHash, summary } from "./pods.ts";
import { refusedSince } from "./refusal-events.ts";

/** How many pods of the new revision a StatefulSet will have: all, or those from its partition on. */
export function updatedPodsWanted(set: StatefulSet): number {
  const replicas = set.spec.replicas ?? 1;
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  return isOnDelete(set) ? replicas : Math.max(0, replicas - partition);
}

/** Says what a StatefulSet alone tells: a state in which its pods need not be read; undefined when they do. */
export function statefulSetStandStill(live: LiveWorkload, set: StatefulSet): Health | undefined {
  const wanted = updatedPodsWanted(set);
  if ((set.status?.observedGeneration ?? 0) < live.generation) {
    return { kind: "progressing", live, ready: 0, wanted, detail: "the StatefulSet controller has not seen it yet" };
  }
  return wanted === 0 ? { kind: "unverifiable", live, why: "nothing-to-run" } : undefined;
}

/** Answers the pods of the revision that a StatefulSet updates to, without those on their way out. */
export function podsOfStatefulSet(set: StatefulSet, pods: readonly Pod[]): readonly Pod[] {
  return podsOfHash(pods, set.metadata.uid, set.status?.updateRevision);
}

/**
 * Judges a StatefulSet that {@link statefulSetStandStill} says nothing of.
 *
 * With a partition `currentRevision` never follows, and pods below it keep the revision that they have: only those from it on count.
 * OnDelete waits for people for as long as a pod of another revision stands, and an ordered set for as long as such a pod is broken.
 *
 * @param pods - all pods that its selector finds.
 * @param warnings - events on the set itself; nothing else tells that its pods are refused.
 */
export function statefulSetHealth(
  live: LiveWorkload,
  set: StatefulSet,
  pods: readonly Pod[],
  warnings: readonly CoreEvent[],
): Health {
  const mine = podsOfStatefulSet(set, pods).filter((pod) => isFollowing(set, pod));
  const wanted = updatedPodsWanted(set);
  const { ready, restarts, lastReady } = summary(mine);
  if (ready >= wanted && isComplete(set, wanted)) {
    return {
      kind: "healthy",
      live,
      ...(lastReady !== undefined && { runningSince: lastReady }),
      pods: wanted,
      restarts,
    };
  }
  const cause = podFault(mine) ?? refusedSince(live, set.metadata.uid, set.spec.replicas ?? 1, pods, warnings);
  if (cause !== undefined) return { kind: "failed", live, cause };
  if (isOnDelete(set) && mine.length < wanted) return { kind: "standing-still", live, why: "waits-for-deletion" };
  if (brokenInTheWay(set, pods).length > 0) return { kind: "standing-still", live, why: "waits-for-a-broken-pod" };
  return { kind: "progressing", live, ready, wanted, detail: unscheduled(mine) ?? "pods are not ready yet" };
}

/**
 * Answers the broken pods of other revisions for which an ordered StatefulSet waits, and which would follow its present one if they were
 * deleted. Empty before the controller has seen the template.
 */
export function brokenInTheWay(set: StatefulSet, pods: readonly Pod[]): readonly Pod[] {
  const observed = (set.status?.observedGeneration ?? 0) >= (set.metadata.generation ?? 0);
  if (!observed || isOnDelete(set) || set.spec.podManagementPolicy === "Parallel") return [];
  const mine = podsOfStatefulSet(set, pods);
  return pods.filter(
    (pod) =>
      isOwnedBy(pod, set.metadata.uid) &&
      !isLeaving(pod) &&
      !mine.includes(pod) &&
      isFollowing(set, pod) &&
      podFault([pod]) !== undefined,
  );
}

/** Answers whether a pod's number is at or above the partition. */
function isFollowing(set: StatefulSet, pod: Pod): boolean {
  if (isOnDelete(set)) return true;
  const ordinal = Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? Number.NaN);
  return ordinal - (set.spec.ordinals?.start ?? 0) >= (set.spec.updateStrategy?.rollingUpdate?.partition ?? 0);
}

/** Under OnDelete and with a partition the counters of the status stay behind or count others, so there the pods alone tell. */
function isComplete(set: StatefulSet, wanted: number): boolean {
  const replicas = set.spec.replicas ?? 1;
  const { updatedReplicas = 0, availableReplicas = 0, currentRevision, updateRevision } = set.status ?? {};
  if (isOnDelete(set) || wanted < replicas) return true;
  return updatedReplicas === replicas && availableReplicas === replicas && currentRevision === updateRevision;
}

function isOnDelete(set: StatefulSet): boolean {
  return set.spec.updateStrategy?.type === "OnDelete";
}
