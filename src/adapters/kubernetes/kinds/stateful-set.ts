import type { V1StatefulSetSpec, V1StatefulSetStatus } from "@kubernetes/client-node";
import type { Health } from "#domain/workload/health";
import type { LiveWorkload } from "#domain/workload/workload";
import { containersOf } from "#domain/workload/pod-template";
import { podFault, unscheduled } from "../fault.ts";
import type { ApiObject, CoreEvent, Pod, Rollout } from "../objects.ts";
import { isLeaving, isOwnedBy, isReady, isSeen, podsOfHash, summary } from "../pods.ts";
import { readPods } from "../reader.ts";
import { refusedSince } from "../refusal-events.ts";
import { healthOfPods, healthWithoutPods, healthy, isOnDelete, judgeWithWarnings } from "./judging.ts";
import { noPods, type ObjectKind } from "./kind.ts";

/** A StatefulSet. */
export type StatefulSet = ApiObject<Rollout<V1StatefulSetSpec>, V1StatefulSetStatus>;

/** StatefulSets. */
export const statefulSets: ObjectKind<StatefulSet> = {
  list: ({ apps }, { namespace, ...query }) =>
    namespace === undefined
      ? apps.listStatefulSetForAllNamespacesWithHttpInfo(query)
      : apps.listNamespacedStatefulSetWithHttpInfo({ namespace, ...query }),
  read: ({ apps }, named) => apps.readNamespacedStatefulSetWithHttpInfo(named),
  patch: ({ apps }, patch) => apps.patchNamespacedStatefulSetWithHttpInfo(patch),
  health: async (api, live, set, _, signal) => {
    const known = healthWithoutPods(live, set, updatedPodsWanted(set));
    if (known !== undefined) return known;
    const read = await readPods(api, set.metadata, set.spec.selector, signal);
    if (read.kind !== "all") return read;
    const judge = (warnings: readonly CoreEvent[]): Health => statefulSetHealth(live, set, read.items, warnings);
    return judgeWithWarnings(api, set.metadata, judge, signal);
  },
  presentPods: async (api, set, signal) => {
    if (!isSeen(set)) return noPods;
    const read = await readPods(api, set.metadata, set.spec.selector, signal);
    return read.kind === "all" ? { kind: "pods", mine: revisionPods(set, read.items), pods: read.items } : read;
  },
  failedPods: async (api, set, images, signal) => {
    const read = await readPods(api, set.metadata, set.spec.selector, signal);
    return read.kind === "all" ? { kind: "pods", pods: failedPods(set, images, read.items) } : read;
  },
};

/**
 * Returns the number of pods that get the new revision: all pods, or the pods from the partition
 * on.
 */
function updatedPodsWanted(set: StatefulSet): number {
  const replicas = set.spec.replicas ?? 1;
  const partition = set.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  return isOnDelete(set) ? replicas : Math.max(0, replicas - partition);
}

/** Returns the pods of the update revision, without pods that are being deleted. */
function revisionPods(set: StatefulSet, pods: readonly Pod[]): readonly Pod[] {
  return podsOfHash(pods, set.metadata.uid, set.status?.updateRevision);
}

/**
 * Returns the health of a StatefulSet from its pods. Pods below the partition keep their revision,
 * so the function ignores them.
 *
 * @param pods - all pods that the set's selector matches.
 * @param warnings - the warning events of the set. Only events show rejected pods.
 */
export function statefulSetHealth(
  live: LiveWorkload,
  set: StatefulSet,
  pods: readonly Pod[],
  warnings: readonly CoreEvent[],
): Health {
  const mine = revisionPods(set, pods).filter((pod) => isFollowing(set, pod));
  const wanted = updatedPodsWanted(set);
  const { ready, restarts, lastReady } = summary(mine);
  if (ready >= wanted && isComplete(set, wanted)) {
    return healthy(live, lastReady, { pods: wanted, restarts });
  }
  const refused = refusedSince(live, set.metadata.uid, set.spec.replicas ?? 1, pods, warnings);
  const faulty = healthOfPods(live, mine, wanted, refused);
  if (faulty !== undefined) return faulty;
  if (isOnDelete(set) && mine.length < wanted) return { kind: "waiting", live, why: "on-delete" };
  if (brokenInTheWay(set, pods).length > 0) return { kind: "waiting", live, why: "broken-pod" };
  return { kind: "progressing", live, ready, wanted, detail: unscheduled(mine) ?? "pods are not ready yet" };
}

/**
 * Returns the broken pods of other revisions that block an ordered rollout. The list is empty until
 * the controller has observed the template.
 */
function brokenInTheWay(set: StatefulSet, pods: readonly Pod[]): readonly Pod[] {
  if (!isSeen(set) || isOnDelete(set) || set.spec.podManagementPolicy === "Parallel") return [];
  const mine = revisionPods(set, pods);
  return pods.filter(
    (pod) =>
      isOwnedBy(pod, set.metadata.uid) &&
      !isLeaving(pod) &&
      !mine.includes(pod) &&
      isFollowing(set, pod) &&
      podFault([pod]) !== undefined,
  );
}

/**
 * Returns the pods that block a rollout: broken pods, and unready pods with one of these images.
 * The list omits pods of the current template, because the controller would create them again.
 */
export function failedPods(set: StatefulSet, images: readonly string[], pods: readonly Pod[]): readonly Pod[] {
  const broken = brokenInTheWay(set, pods);
  return pods.filter((pod) => {
    const ofTemplate = isSeen(set) && pod.metadata.labels?.["controller-revision-hash"] === set.status?.updateRevision;
    const runsOne = containersOf(pod).some(({ image }) => images.includes(image));
    const failed = isOwnedBy(pod, set.metadata.uid) && !isLeaving(pod) && !isReady(pod) && !ofTemplate && runsOne;
    return failed || broken.includes(pod);
  });
}

/** Returns whether a pod's ordinal is at or above the partition. */
function isFollowing(set: StatefulSet, pod: Pod): boolean {
  if (isOnDelete(set)) return true;
  const ordinal = Number(/-(\d+)$/.exec(pod.metadata.name)?.[1] ?? Number.NaN);
  return ordinal - (set.spec.ordinals?.start ?? 0) >= (set.spec.updateStrategy?.rollingUpdate?.partition ?? 0);
}

/**
 * Returns whether the status allows a healthy result. With OnDelete or a partition, the counters of
 * the status do not show the rollout, so the function ignores them.
 */
function isComplete(set: StatefulSet, wanted: number): boolean {
  const replicas = set.spec.replicas ?? 1;
  const { updatedReplicas = 0, availableReplicas = 0, currentRevision, updateRevision } = set.status ?? {};
  if (isOnDelete(set) || wanted < replicas) return true;
  return updatedReplicas === replicas && availableReplicas === replicas && currentRevision === updateRevision;
}
