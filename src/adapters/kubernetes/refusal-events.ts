import { denialOf } from "#domain/workload/pod-denial";
import type { PodFault } from "#domain/workload/pod-fault";
import type { LiveWorkload } from "#domain/workload/workload";
import type { CoreEvent, Pod } from "./objects.ts";
import { instantOf, isLeaving, isOwnedBy } from "./pods.ts";

/**
 * Returns why pods of the current revision were rejected. Returns undefined when no pod is missing
 * or rejected. The server keeps events of earlier revisions for an hour, and the function ignores
 * these events. If the writer of the images is unknown, the start of the revision is unknown too.
 * The function then uses every event.
 */
export function refusedSince(
  live: LiveWorkload,
  uid: string,
  wanted: number,
  pods: readonly Pod[],
  events: readonly CoreEvent[],
): PodFault | undefined {
  if (pods.filter((pod) => isOwnedBy(pod, uid) && !isLeaving(pod)).length >= wanted) return undefined;
  const began = live.lastWriter?.at ?? 0;
  const event = events.find((one) => one.reason === "FailedCreate" && (happenedAt(one) ?? -1) >= began);
  return event && denialOf(event.message);
}

function happenedAt(event: CoreEvent): number | undefined {
  return instantOf(event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime);
}
