import type { EpochMs } from "#domain/shared/time";
import { allOf } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { sendOverdue } from "../shared/records.ts";
import { offerFreeSlots } from "../shared/slots.ts";

type ReapPorts = Pick<Ports, "store" | "clusters" | "queues" | "clock" | "limits" | "metrics">;

/** How many records one run reads; the rest wait for the next run. */
const recordsPerRun = 500;

/**
 * Sends overdue commands again, and offers free slots to the workloads that wait for one.
 *
 * @param before - commands due by then are overdue; a process that just started passes a later
 * instant.
 * @param limit - how many records one run reads.
 * @returns how many records were overdue.
 */
export async function reap(
  ports: ReapPorts,
  before: EpochMs = ports.clock.now(),
  limit = recordsPerRun,
): Promise<{ readonly kind: "reaped"; readonly records: number }> {
  const { clusters, limits, metrics, store } = ports;
  // A record that holds a slot may be listed early, and must not keep overdue ones out of this run.
  const early = clusters.names().length * limits.maxConcurrentRollouts;
  const records = await store.readMany(await store.due(before, limit + early));
  const overdue = records.filter(({ dueAt }) => dueAt !== undefined && dueAt <= before);
  for (const record of overdue) await sendOverdue(record, before, ports);

  const offers = clusters
    .names()
    .map((cluster) => offerFreeSlots(cluster, `reaper:${before}`, limits.maxConcurrentRollouts, ports));
  // All clusters are served before the failure of one is thrown.
  await allOf(offers);

  if (overdue.length > 0) metrics.add("UpdatesOverdue", overdue.length);
  return { kind: "reaped", records: overdue.length };
}
