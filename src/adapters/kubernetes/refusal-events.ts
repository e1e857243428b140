import type { LiveWorkload } from "#domain/workload/workload";
import { refusedPods } from "./fault.ts";
import type { CoreEvent, Pod } from "./objects.ts";
import { instantOf, isLeaving, isOwnedBy } from "./pods.ts";

/**
 * Returns why pods of the current revision were rejected. Returns undefined when no pod is missing
 * or rejected. Events of earlier revisions stay for an hour and do not count. Without a known
 * writer of the images, the start of the revision is unknown, so every event counts.
 */
export function refusedSince(
  live: LiveWorkload,
  uid: string,
  wanted: number,
  pods: readonly Pod[],
  events: readonly CoreEvent[],
): string | undefined {
  if (pods.filter((pod) => isOwnedBy(pod, uid) && !isLeaving(pod)).length >= wanted) return undefined;
  const began = live.lastWriter?.at ?? 0;
  const event = events.find((one) => one.reason === "FailedCreate" && (happenedAt(one) ?? -1) >= began);
  return event && refusedPods(event.message);
}

function happenedAt(event: CoreEvent): number | undefined {
  return instantOf(event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime);
}
