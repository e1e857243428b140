import { freeSlots } from "#domain/update/slots";
import { wakeNow } from "#domain/update/next-commands";
import type { Ports } from "./ports.ts";

/**
 * Wakes those that wait for a slot of a cluster, who waits longest first: not more than slots are free.
 *
 * It goes by what is so now, so that it may be repeated: when a slot is freed, when one that waited has taken one or had no use for it,
 * and once a minute for whatever was lost.
 *
 * @param by - who hands on, and when.
 * @param most - how many are woken at the most.
 * @returns how many were woken.
 */
export async function offerFreeSlots(
  cluster: string,
  by: string,
  most: number,
  { store, queues, limits }: Pick<Ports, "store" | "queues" | "limits">,
): Promise<number> {
  const waiting = await store.waiters(cluster, limits.maxConcurrentRollouts);
  if (waiting.length === 0) return 0;
  const free = freeSlots(await store.slots(cluster), limits.maxConcurrentRollouts);
  const woken = await store.readMany(waiting.slice(0, Math.min(most, free.length)));
  await queues.send(woken.map((record) => ({ command: wakeNow(record, by) })));
  return woken.length;
}
