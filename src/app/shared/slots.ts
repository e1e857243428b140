import { freeSlots, nextForSlots } from "#domain/update/effects/budget";
import { extraWake } from "#domain/update/effects/commands";
import { workloadKey } from "#domain/workload/workload";
import type { SlotHolder, WorkloadStore } from "#ports/store";
import type { Ports } from "./ports.ts";

/**
 * Wakes the workloads that come next for a slot of a cluster, at most one per free slot.
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
  const taken = await store.slots(cluster);
  const waiting = await waitersFor(cluster, taken, limits.maxConcurrentRollouts, store);
  if (waiting.length === 0) return 0;
  const next = nextForSlots(waiting, taken, limits.maxConcurrentRollouts);
  const woken = await store.readMany(next.slice(0, most));
  await queues.send(woken.map((record) => ({ command: extraWake(record, by) })));
  return woken.length;
}

/**
 * Reads the workloads that wait for the free slots of a cluster. Without a free slot it reads none, because
 * thousands of updates may wait.
 *
 * A workload whose record can't be read is left out, because it would keep its slot from all others.
 */
export async function waitersFor(
  cluster: string,
  taken: readonly SlotHolder[],
  limit: number,
  { waiters, readMany }: Pick<WorkloadStore, "waiters" | "readMany">,
): Promise<readonly string[]> {
  const free = freeSlots(taken, limit).length;
  let waiting = free === 0 ? [] : await waiters(cluster, free);
  // Only those that come next are read. Each look leaves out what it can't read.
  for (let looks = 0; looks < mostLooks && waiting.length > 0; looks += 1) {
    const next = nextForSlots(waiting, taken, limit);
    const readable = new Set((await readMany(next)).map(({ workload }) => workloadKey(workload)));
    if (next.every((key) => readable.has(key))) break;
    waiting = waiting.filter((key) => readable.has(key) || !next.includes(key));
  }
  return waiting;
}

const mostLooks = 10;
