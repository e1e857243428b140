import type { DurationMs } from "#domain/shared/time";
import { minutes, plus } from "#domain/shared/time";
import { compareTexts } from "#domain/shared/text-order";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { isGone } from "#ports/fleet";
import type { DerivedRows } from "./derived-kind.ts";
import { historyRows, pushRows, runRows } from "./derived-history.ts";
import { changedRows } from "./fleet-rows.ts";
import type { Ports } from "./ports.ts";
import { removedClusters } from "./unknown-cluster.ts";

/** All rows that are derived from records. */
export const derivedRows: readonly DerivedRows[] = [
  { name: "rows of the list of workloads", differing: differingFleetRows, rebuild: rebuildFleetRows },
  historyRows,
  pushRows,
  runRows,
];

/** Returns the keys of all workloads that may have derived rows, sorted. */
export async function derivedKeys(ports: Ports): Promise<readonly string[]> {
  const clusters = [...ports.clusters.names(), ...(await removedClusters(ports)).map(({ name }) => name)];
  const keys = await Promise.all(
    clusters.map(async (cluster) => {
      const [index, rows] = await Promise.all([ports.store.workloadIndex(cluster), ports.fleet.list({ cluster })]);
      return [...index, ...rows.map(({ workload }) => workload)];
    }),
  );
  return [...new Set(keys.flat())].sort(compareTexts);
}

/** The time in which the row of a changed record is on its way. */
const rowsLag: DurationMs = minutes(1);

async function differingFleetRows(workloads: readonly string[], ports: Ports): Promise<readonly string[]> {
  const { wrong, records } = await readBoth(workloads, ports);
  const now = ports.clock.now();
  const settled = records.filter(({ changedAt }) => plus(changedAt, rowsLag) <= now);
  const changed = (await changedRows(settled, ports)).filter((row) => !isGone(row) || wrong.includes(row.workload));
  return [...new Set([...wrong, ...changed.map(({ workload }) => workload)])];
}

async function rebuildFleetRows(workloads: readonly string[], ports: Ports): Promise<void> {
  const { wrong, records } = await readBoth(workloads, ports);
  if (wrong.length > 0) await ports.fleet.forget(wrong);
  await ports.fleet.write(await changedRows(records, ports));
}

interface Both {
  readonly records: readonly WorkloadRecord[];
  /** The workloads whose row follows from no record: it has a higher version, or there is no record. */
  readonly wrong: readonly string[];
}

/** Reads rows, and then their records, which are never older than their rows. */
async function readBoth(workloads: readonly string[], { fleet, store }: Ports): Promise<Both> {
  const rows = await fleet.readMany(workloads);
  const records = await store.readMany(workloads);
  const versions = new Map(
    records.map(({ workload, version, tracked }) => [workloadKey(workload), { version, tracked }]),
  );
  const missing = workloads.filter((key) => !versions.has(key));
  const unreadable = new Set((await store.unreadable(missing)).map(({ workload }) => workload));
  const wrong = rows.flatMap((row) => {
    const { workload } = row;
    if (unreadable.has(workload)) return [];
    const record = versions.get(workload);
    if (record === undefined) return isGone(row) ? [] : [workload];
    return row.version > record.version || (!record.tracked && !isGone(row)) ? [workload] : [];
  });
  return { records, wrong };
}
