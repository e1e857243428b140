import type { ImagePushed } from "#domain/image/push";
import type { EpochMs } from "#domain/shared/time";
import type { PushNotice } from "#ports/push-receiver";
import type { Ports } from "../shared/ports.ts";

/**
 * Publishes an event for each pushed tag, or one event for a push without tags. The repository may
 * have no workload.
 */
export async function publishPushes(
  pushes: readonly PushNotice[],
  source: string,
  { bus, clock }: Ports,
): Promise<{ readonly pushes: number }> {
  const at = clock.now();
  await bus.publish(pushes.flatMap((push) => eventsOf(push, source, at)));
  return { pushes: pushes.length };
}

function eventsOf(push: PushNotice, source: string, at: EpochMs): readonly ImagePushed[] {
  const { id, registry, repository, tags, digest } = push;
  const image = { registry, repository, ...(digest === undefined ? {} : { digest }) };
  if (tags.length === 0) return [{ name: "ImagePushed", id, ...image, source, at }];
  const idOf = (tag: string): string => (tags.length === 1 ? id : `${id}#${tag}`);
  return tags.map((tag) => ({ name: "ImagePushed", id: idOf(tag), ...image, tag, source, at }));
}
