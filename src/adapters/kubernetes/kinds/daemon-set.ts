import type { Health } from "#domain/workload/health";
import type { LiveWorkload } from "#domain/workload/workload";
import type { ClusterRefusal } from "#ports/cluster";
import { controllerRevisions } from "../collections.ts";
import type { Connection } from "../connection.ts";
import { podFault, unscheduled } from "../fault.ts";
import type { ControllerRevision, CoreEvent, DaemonSet, Pod } from "../objects.ts";
import { isOwnedBy, isSeen, podsOfHash, summary } from "../pods.ts";
import { readIn, readPods, readWarnings } from "../reader.ts";
import { refusedSince } from "../refusal-events.ts";
import { selectorText } from "../selector.ts";
import { noPods, type ObjectKind, type PodsRead } from "./kind.ts";

/** DaemonSets. */
export const daemonSets: ObjectKind<DaemonSet> = {
  list: ({ apps }, query) => apps.listDaemonSetForAllNamespacesWithHttpInfo(query),
  read: ({ apps }, named) => apps.readNamespacedDaemonSetWithHttpInfo(named),
  patch: ({ apps }, patch) => apps.patchNamespacedDaemonSetWithHttpInfo(patch),
  health: async (api, live, set, _, signal) => {
    const known = healthWithoutPods(live, set);
    if (known !== undefined) return known;
    const read = await revisionPods(api, set, signal);
    if (read.kind !== "pods") return read;
    const judged = daemonSetHealth(live, set, read.mine, read.pods, []);
    if (judged.kind !== "progressing") return judged;
    const warnings = await readWarnings(api, set.metadata, signal);
    return warnings.kind === "all" ? daemonSetHealth(live, set, read.mine, read.pods, warnings.items) : warnings;
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

/** Returns undefined when the pods must be read. */
function healthWithoutPods(live: LiveWorkload, set: DaemonSet): Health | undefined {
  const wanted = set.status?.desiredNumberScheduled ?? 0;
  if ((set.status?.observedGeneration ?? 0) < live.generation) {
    return { kind: "progressing", live, ready: 0, wanted, detail: "the DaemonSet controller has not seen it yet" };
  }
  return wanted === 0 ? { kind: "unverifiable", live, why: "nothing-to-run" } : undefined;
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
 * Judges a DaemonSet by its pods.
 *
 * @param mine - the pods of the current revision.
 * @param pods - all pods that its selector matches.
 * @param warnings - events about the set itself. Only they show rejected pods.
 */
function daemonSetHealth(
  live: LiveWorkload,
  set: DaemonSet,
  mine: readonly Pod[],
  pods: readonly Pod[],
  warnings: readonly CoreEvent[],
): Health {
  const wanted = set.status?.desiredNumberScheduled ?? 0;
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
  const cause = podFault(mine) ?? refusedSince(live, set.metadata.uid, wanted, pods, warnings);
  if (cause !== undefined) return { kind: "failed", live, cause };
  if (isOnDelete(set) && mine.length < wanted) return { kind: "waiting", live, why: "on-delete" };
  return { kind: "progressing", live, ready, wanted, detail: unscheduled(mine) ?? "pods are not ready yet" };
}

/** With OnDelete, the counters of the status mean nothing. */
function isComplete(set: DaemonSet, wanted: number): boolean {
  const { updatedNumberScheduled = 0, numberAvailable = 0 } = set.status ?? {};
  return isOnDelete(set) || (updatedNumberScheduled === wanted && numberAvailable === wanted);
}

function isOnDelete(set: DaemonSet): boolean {
  return set.spec.updateStrategy?.type === "OnDelete";
}
