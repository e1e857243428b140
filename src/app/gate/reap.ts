import { inTurns } from "#domain/shared/in-turns";
import { type EpochMs, epochMs } from "#domain/shared/time";
import { namespacePrefix } from "#domain/workload/workload";
import { allOf } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { sendOverdue } from "../shared/send-commands.ts";
import { offerFreeSlots } from "../shared/slots.ts";

/** The number of records that one run reads. The next run reads the rest. */
const recordsPerRun = 500;
/**
 * The number of keys among which one run chooses its records. A namespace with fewer overdue
 * records delays no other namespace.
 */
const keysPerRun = 20_000;

/**
 * Sends overdue commands again, and offers free slots to the workloads that wait for a slot.
 *
 * Namespaces take turns, so a namespace with many overdue commands does not delay the others.
 *
 * @param before - commands that are due by this instant are overdue. A local process that has just
 *   started passes a later instant, so that all open work is overdue.
 * @param limit - the number of records that one run reads.
 * @returns the number of overdue records.
 */
export async function reap(
  ports: Ports,
  before: EpochMs = ports.clock.now(),
  limit = recordsPerRun,
): Promise<{ readonly kind: "reaped"; readonly records: number }> {
  const {
    clusters,
    metrics,
    store,
    rules: { limits },
  } = ports;
  // The list may contain records with a slot that are not due. These records must not displace
  // overdue records.
  const early = clusters.names().length * limits.maxConcurrentRollouts;
  const keys = await store.due(before, Math.max(limit, keysPerRun) + early);
  const byNamespace = [...Map.groupBy(keys, namespacePrefix).values()];
  const records = await store.readMany(inTurns(byNamespace).slice(0, limit + early));
  const overdue = records.filter(({ effects: { dueAt } }) => dueAt !== undefined && dueAt <= before);
  for (const record of overdue) await sendOverdue(record, before, ports);

  const offers = clusters
    .names()
    .map((cluster) => offerFreeSlots(cluster, `reaper:${ports.clock.now()}`, limits.maxConcurrentRollouts, ports));
  // The reaper offers the slots of all clusters before it throws the failure of one cluster.
  await allOf(offers);

  if (overdue.length > 0) metrics.add("UpdatesOverdue", overdue.length);
  return { kind: "reaped", records: overdue.length };
}

/** Later than any instant that a record is due, also one that a wrong clock stored. */
const afterAll = epochMs(Number.MAX_SAFE_INTEGER);

/**
 * Sends the commands of all open work again. A process does so when it starts, because its timers are gone, and when its
 * clock jumps: a record that was stored while the clock was ahead is due much too late.
 */
export async function sendAllOpenWork(ports: Ports): Promise<void> {
  await reap(ports, afterAll, Number.MAX_SAFE_INTEGER);
}
