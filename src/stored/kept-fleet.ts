import { compareTexts } from "#domain/shared/text-order";
import { type Fleet, type FleetRow, isGone } from "#ports/fleet";

/** The rows of a cluster in memory. */
interface Kept {
  readonly byName: Map<string, FleetRow>;
  /** The same rows, sorted. Absent after a change. */
  sorted?: readonly FleetRow[];
}

/**
 * Returns the fleet with its rows in memory, so that a list of thousands of workloads reads nothing.
 * It is only for a process that alone writes the rows.
 *
 * @param unreadable - returns the number of items that could not be read so far. Rows that can't be read
 *   are read again for each list, so that each list names them.
 */
export function keptFleet(fleet: Fleet, unreadable: () => number): Fleet {
  const clusters = new Map<string, Kept>();
  let writes = 0;
  const rowsOf = async (cluster: string): Promise<readonly FleetRow[]> => {
    const known = clusters.get(cluster);
    if (known !== undefined) {
      known.sorted ??= [...known.byName.values()].sort((one, other) => compareTexts(one.workload, other.workload));
      return known.sorted;
    }
    const [before, unread] = [writes, unreadable()];
    const rows = await fleet.list({ cluster });
    // A write meanwhile may be missing in these rows.
    if (before === writes && unread === unreadable())
      clusters.set(cluster, { byName: new Map(rows.map((row) => [row.workload, row])), sorted: rows });
    return rows;
  };
  const changing = async (names: readonly string[], change: () => Promise<void>): Promise<void> => {
    writes += 1;
    try {
      await change();
      const stored = new Map((await fleet.readMany(names)).map((row) => [row.workload, row]));
      for (const name of names) {
        const kept = clusters.get(clusterOf(name));
        if (kept === undefined) continue;
        const row = stored.get(name);
        if (row === undefined || isGone(row)) kept.byName.delete(name);
        else kept.byName.set(name, row);
        delete kept.sorted;
      }
    } catch (error) {
      // Some rows may have changed.
      for (const name of names) clusters.delete(clusterOf(name));
      throw error;
    } finally {
      writes += 1;
    }
  };
  return {
    ...fleet,
    async list({ cluster, namespace }) {
      const rows = await rowsOf(cluster);
      const start = `${cluster}/${namespace ?? ""}/`;
      return namespace === undefined ? rows : rows.filter(({ workload }) => workload.startsWith(start));
    },
    write: (rows) =>
      changing(
        rows.map(({ workload }) => workload),
        () => fleet.write(rows),
      ),
    forget: (workloads) => changing(workloads, () => fleet.forget(workloads)),
  };
}

function clusterOf(workload: string): string {
  return workload.slice(0, workload.indexOf("/"));
}
