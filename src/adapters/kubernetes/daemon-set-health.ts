import type { Health } from "#domain/workload/health";
import type { LiveWorkload } from "#domain/workload/workload";
import { podFault, unscheduled } from "./fault.ts";
import type { ControllerRevision, CoreEvent, DaemonSet, Pod } from "./objects.ts";
import { isOwnedBy, podsOfHash, summary } from "./pods.ts";
import { refusedSince } from "./refusal-events.ts";

/** Says what a DaemonSet alone tells: a state in which its pods need not be read; undefined when they do. */
export function daemonSetStandStill(live: LiveWorkload, set: DaemonSet): Health | undefined {
  const wanted = set.status?.desiredNumberScheduled ?? 0;
  if ((set.status?.observedGeneration ?? 0) < live.generation) {
    return { kind: "progressing", live, ready: 0, wanted, detail: "the DaemonSet controller has not seen it yet" };
  }
  return wanted === 0 ? { kind: "unverifiable", live, why: "nothing-to-run" } : undefined;
}

/** Answers the pods of a DaemonSet's present revision, which is its ControllerRevision with the highest number. */
export function podsOfDaemonSet(
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
 * Judges a DaemonSet that {@link daemonSetStandStill} says nothing of.
 *
 * @param mine - pods of the present revision.
 * @param pods - all pods that its selector finds.
 * @param warnings - events on the set itself; nothing else tells that its pods are refused.
 */
export function daemonSetHealth(
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
  if (isOnDelete(set) && mine.length < wanted) return { kind: "standing-still", live, why: "waits-for-deletion" };
  return { kind: "progressing", live, ready, wanted, detail: unscheduled(mine) ?? "pods are not ready yet" };
}

/** Under OnDelete the counters of the status stay behind, so there the pods alone tell. */
function isComplete(set: DaemonSet, wanted: number): boolean {
  const { updatedNumberScheduled = 0, numberAvailable = 0 } = set.status ?? {};
  return isOnDelete(set) || (updatedNumberScheduled === wanted && numberAvailable === wanted);
}

function isOnDelete(set: DaemonSet): boolean {
  return set.spec.updateStrategy?.type === "OnDelete";
}
