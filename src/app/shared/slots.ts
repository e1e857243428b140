import { nextForSlots } from "#domain/update/effects/budget";
import { extraWake } from "#domain/update/effects/commands";
import type { Ports } from "./ports.ts";

/**
 * Wakes the workloads that have waited longest for a slot of a cluster, at most one per free slot.
 *
 * The function reads the current slots, so a repeat is harmless.
 *
 * @param by - the cause and its instant, for the identity of the commands.
 * @param most - the largest number of workloads to wake.
 * @returns the number of woken workloads.
 */
export async function offerFreeSlots(
  cluster: string,
  by: string,
  most: number,
  { store, queues, rules: { limits } }: Ports,
): Promise<number> {
  const waiting = await store.waiters(cluster, limits.maxConcurrentRollouts);
  if (waiting.length === 0) return 0;
  const taken = await store.slots(cluster);
  const next = nextForSlots(waiting, taken, limits.maxConcurrentRollouts);
  const woken = await store.readMany(next.slice(0, most));
  await queues.send(woken.map((record) => ({ command: extraWake(record, by) })));
  return woken.length;
}
