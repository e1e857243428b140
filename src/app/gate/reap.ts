import type { EpochMs } from "#domain/shared/time";
import { allOf } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { sendOverdue } from "../shared/records.ts";
import { offerFreeSlots } from "../shared/slots.ts";

type ReapPorts = Pick<Ports, "store" | "clusters" | "queues" | "clock" | "limits" | "metrics">;

/** The number of records that one run reads. The next run reads the rest. */
const recordsPerRun = 500;

/**
 * Sends overdue commands again, and offers free slots to the workloads that wait for a slot.
 *
 * @param before - commands that are due by this instant are overdue. A local process that has just
 *   started passes a later instant, so that all open work is overdue.
 * @param limit - the number of records that one run reads.
 * @returns the number of overdue records.
 */
export async function reap(
  ports: ReapPorts,
  before: EpochMs = ports.clock.now(),
  limit = recordsPerRun,
): Promise<{ readonly kind: "reaped"; readonly records: number }> {
  const { clusters, limits, metrics, store } = ports;
  // The list may contain records with a slot that are not due. These records must not displace
  // overdue records.
  const early = clusters.names().length * limits.maxConcurrentRollouts;
  const records = await store.readMany(await store.due(before, limit + early));
  const overdue = records.filter(({ dueAt }) => dueAt !== undefined && dueAt <= before);
  for (const record of overdue) await sendOverdue(record, before, ports);

  const offers = clusters
    .names()
    .map((cluster) => offerFreeSlots(cluster, `reaper:${before}`, limits.maxConcurrentRollouts, ports));
  // The reaper offers the slots of all clusters before it throws the failure of one cluster.
  await allOf(offers);

  if (overdue.length > 0) metrics.add("UpdatesOverdue", overdue.length);
  return { kind: "reaped", records: overdue.length };
}
