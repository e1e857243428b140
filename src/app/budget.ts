import { freeSlots } from "#domain/budget";
import { wakeNow } from "#domain/next-work";
import type { Ports } from "./ports.ts";

/**
 * Wakes as many of those that wait for a slot of a cluster as slots are free, who waits longest first.
 *
 * It goes by what is so now, so that it may be done at any time and any number of times: when a slot is freed, when one that was woken
 * had no use for it, and once a minute for whatever was lost.
 *
 * @returns how many were woken.
 */
export async function handOnSlots(
  cluster: string,
  { store, queues, limits }: Pick<Ports, "store" | "queues" | "limits">,
): Promise<number> {
  const waiting = await store.waiters(cluster, limits.maxConcurrentRollouts);
  if (waiting.length === 0) return 0;
  const free = freeSlots(await store.slots(cluster), limits.maxConcurrentRollouts);
  const woken = await store.readMany(waiting.slice(0, free.length));
  await queues.send(woken.map((record) => ({ work: wakeNow(record) })));
  return woken.length;
}
