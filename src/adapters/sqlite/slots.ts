import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { WorkloadStore } from "#ports/store";
import { firstOf, type StateDatabase } from "./database.ts";

/** The slots of each cluster's budget, and the workloads that wait for a slot. */
export interface Slots extends Pick<WorkloadStore, "slots" | "waiters"> {
  /**
   * Returns whether another workload has the slot that a record takes or frees. Runs inside
   * `write`.
   */
  areTaken(record: WorkloadRecord): boolean;
  /**
   * Takes or frees the slot in the record's `budget`, and changes the list of waiting workloads.
   * Runs inside `write`.
   */
  change(record: WorkloadRecord): void;
}

/** A workload that waits for a slot, with the start of its wait. */
interface Waiter {
  readonly since: number;
  readonly workload: string;
}

function byWait(one: Waiter, other: Waiter): number {
  return one.since - other.since || (one.workload < other.workload ? -1 : 1);
}

/**
 * Returns the slots of a database. One table has the taken slots, and another table has the waiting
 * workloads.
 */
export function sqliteSlots(database: StateDatabase): Slots {
  const { sql } = database;
  const holder = sql.prepare("SELECT workload FROM slots WHERE cluster = ? AND slot = ?");
  const take = sql.prepare("INSERT OR REPLACE INTO slots (cluster, slot, workload) VALUES (?, ?, ?)");
  const free = sql.prepare("DELETE FROM slots WHERE cluster = ? AND slot = ?");
  const join = sql.prepare(
    "INSERT OR IGNORE INTO slot_queue (cluster, namespace, since, workload) VALUES (?, ?, ?, ?)",
  );
  const leave = sql.prepare(
    "DELETE FROM slot_queue WHERE cluster = ? AND namespace = ? AND since = ? AND workload = ?",
  );
  const slots = sql.prepare("SELECT slot, workload FROM slots WHERE cluster = ? ORDER BY slot");
  const nextNamespace = sql.prepare(
    "SELECT min(namespace) AS namespace FROM slot_queue WHERE cluster = ? AND namespace > ?",
  );
  const waiters = sql.prepare(
    "SELECT since, workload FROM slot_queue WHERE cluster = ? AND namespace = ? ORDER BY since, workload",
  );
  const waitersOf = (cluster: string, perNamespace: number): readonly Waiter[] => {
    const found: Waiter[] = [];
    for (let namespace = ""; ;) {
      const next = nextNamespace.get(cluster, namespace)?.["namespace"];
      if (typeof next !== "string") return found.sort(byWait);
      const rows = firstOf(waiters.iterate(cluster, next), perNamespace);
      found.push(...rows.map(({ since, workload }) => ({ since: Number(since), workload: String(workload) })));
      namespace = next;
    }
  };
  return {
    areTaken({ workload, effects: { budget } }) {
      const key = workloadKey(workload);
      return [budget?.takes, budget?.frees].some(
        (slot) => slot !== undefined && (holder.get(workload.cluster, slot)?.["workload"] ?? key) !== key,
      );
    },

    change({ workload, effects: { budget } }) {
      const { takes, frees, joins, leaves } = budget ?? {};
      const { cluster, namespace } = workload;
      const key = workloadKey(workload);
      if (takes !== undefined) take.run(cluster, takes, key);
      if (frees !== undefined) free.run(cluster, frees);
      if (joins !== undefined) join.run(cluster, namespace, joins, key);
      if (leaves !== undefined) leave.run(cluster, namespace, leaves, key);
    },

    slots: (cluster) =>
      database.read(`listing the slots of ${cluster}`, () =>
        slots.all(cluster).map(({ slot, workload }) => ({ slot: Number(slot), workload: String(workload) })),
      ),
    waiters: (cluster, perNamespace) =>
      database.read(`listing the workloads that wait for a slot of ${cluster}`, () =>
        waitersOf(cluster, perNamespace).map(({ workload }) => workload),
      ),
  };
}
