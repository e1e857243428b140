import type { V1DaemonSetSpec, V1DaemonSetStatus } from "@kubernetes/client-node";
import type { Health } from "#domain/workload/health";
import type { LiveWorkload } from "#domain/workload/workload";
import type { ClusterRefusal } from "#ports/cluster";
import { controllerRevisions } from "../collections.ts";
import type { Connection } from "../connection.ts";
import { unscheduled } from "../fault.ts";
import type { ApiObject, ControllerRevision, CoreEvent, Pod, Rollout } from "../objects.ts";
import { isOwnedBy, isSeen, podsOfHash, summary } from "../pods.ts";
import { readIn, readPods } from "../reader.ts";
import { refusedSince } from "../refusal-events.ts";
import { selectorText } from "../selector.ts";
import { healthOfPods, healthWithoutPods, healthy, isOnDelete, judgeWithWarnings } from "./judging.ts";
import { noPods, type ObjectKind, type PodsRead } from "./kind.ts";

/** A DaemonSet. */
export type DaemonSet = ApiObject<Rollout<V1DaemonSetSpec>, V1DaemonSetStatus>;

/** DaemonSets. */
export const daemonSets: ObjectKind<DaemonSet> = {
  list: ({ apps }, { namespace, ...query }) =>
    namespace === undefined
      ? apps.listDaemonSetForAllNamespacesWithHttpInfo(query)
      : apps.listNamespacedDaemonSetWithHttpInfo({ namespace, ...query }),
  read: ({ apps }, named) => apps.readNamespacedDaemonSetWithHttpInfo(named),
  patch: ({ apps }, patch) => apps.patchNamespacedDaemonSetWithHttpInfo(patch),
  health: async (api, live, set, _, signal) => {
    const known = healthWithoutPods(live, set, podsWanted(set));
    if (known !== undefined) return known;
    const read = await revisionPods(api, set, signal);
    if (read.kind !== "pods") return read;
    const judge = (warnings: readonly CoreEvent[]): Health =>
      daemonSetHealth(live, set, read.mine, read.pods, warnings);
    return judgeWithWarnings(api, set.metadata, judge, signal);
  },
  presentPods: async (api, set, signal) => (isSeen(set) ? revisionPods(api, set, signal) : noPods),
};

async function revisionPods(api: Connection, set: DaemonSet, signal: AbortSignal): Promise<PodsRead | ClusterRefusal> {
  const { metadata, spec } = set;
  const labelSelector = selectorText(spec.selector);
  const [revisions, read] = await Promise.all([
    readIn<ControllerRevision>(api, controllerRevisions, metadata, { labelSelector }, signal),
    readPods(api, metadata, spec.selector, signal),
  ]);
  if (revisions.kind !== "all") return revisions;
  if (read.kind !== "all") return read;
  return { kind: "pods", mine: podsOfDaemonSet(set, revisions.items, read.items), pods: read.items };
}

function podsWanted(set: DaemonSet): number {
  return set.status?.desiredNumberScheduled ?? 0;
}

/** Returns the pods of the current revision: the ControllerRevision with the highest number. */
function podsOfDaemonSet(
  set: DaemonSet,
  revisions: readonly ControllerRevision[],
  pods: readonly Pod[],
): readonly Pod[] {
  const present = revisions
    .filter((revision) => isOwnedBy(revision, set.metadata.uid))
    .reduce<ControllerRevision | undefined>(
      (best, one) => (best && best.revision >= one.revision ? best : one),
      undefined,
    );
  return podsOfHash(pods, set.metadata.uid, present?.metadata.labels?.["controller-revision-hash"]);
}

/**
 * Returns the health of a DaemonSet from its pods.
 *
 * @param mine - the pods of the current revision.
 * @param pods - all pods that the set's selector matches.
 * @param warnings - the warning events of the set. Only events show rejected pods.
 */
function daemonSetHealth(
  live: LiveWorkload,
  set: DaemonSet,
  mine: readonly Pod[],
  pods: readonly Pod[],
  warnings: readonly CoreEvent[],
): Health {
  const wanted = podsWanted(set);
  const { ready, restarts, lastReady } = summary(mine);
  if (ready >= wanted && isComplete(set, wanted)) {
    return healthy(live, lastReady, { pods: wanted, restarts });
  }
  const refused = refusedSince(live, set.metadata.uid, wanted, pods, warnings);
  const faulty = healthOfPods(live, mine, wanted, refused);
  if (faulty !== undefined) return faulty;
  if (isOnDelete(set) && mine.length < wanted) return { kind: "waiting", live, why: "on-delete" };
  return { kind: "progressing", live, ready, wanted, detail: unscheduled(mine) ?? "pods are not ready yet" };
}

/**
 * Returns whether the status allows a healthy result. With OnDelete, the counters of the status do
 * not show the rollout, so the function ignores them.
 */
function isComplete(set: DaemonSet, wanted: number): boolean {
  const { updatedNumberScheduled = 0, numberAvailable = 0 } = set.status ?? {};
  return isOnDelete(set) || (updatedNumberScheduled === wanted && numberAvailable === wanted);
}
