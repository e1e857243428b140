import { memoryDatabase, type StateDatabase } from "#adapters/sqlite/database";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { type StatePorts, statePorts } from "#runtime/local/state";

/** Opens every port that keeps state on a new database in memory. */
export function stateInMemory(installation = "abc123"): StatePorts {
  return statePorts(memoryDatabase(installation));
}

/** Looks into a database behind the back of its ports. */
export interface StoredState {
  /**
   * All records, by the keys of their workloads. A record that did not change is the same object at
   * the next call.
   */
  records(): ReadonlyMap<string, WorkloadRecord>;
  /** Says whether changes wait to be handled. */
  hasChanges(): boolean;
  slots(cluster: string): readonly { readonly slot: number; readonly key: string }[];
  /** Who waits for a slot, each with the instant of 15 digits since when. */
  slotQueue(cluster: string): readonly string[];
  /** Replaces a record, whatever version is stored. */
  overwrite(record: WorkloadRecord): void;
  freeSlot(cluster: string, slot: number): void;
}

/** Counts the writes of a database, so that its view reads only what changed. */
export interface CountedDatabase extends StateDatabase {
  readonly writes: () => number;
}

/** Opens a database in memory that counts its writes. */
export function countedDatabase(installation: string): CountedDatabase {
  const database = memoryDatabase(installation);
  let writes = 0;
  return {
    ...database,
    write: (doing, body) => {
      writes += 1;
      return database.write(doing, body);
    },
    writes: () => writes,
  };
}

/** Opens that view of a database. */
export function storedState({ sql, writes }: CountedDatabase): StoredState {
  const versions = sql.prepare("SELECT key, version FROM workloads ORDER BY key");
  const record = sql.prepare("SELECT record FROM workloads WHERE key = ?");
  const recordOf = (key: string) => JSON.parse(String(record.get(key)?.["record"])) as WorkloadRecord;
  const slots = sql.prepare("SELECT slot, workload FROM slots WHERE sk GLOB ? || '#*' ORDER BY slot");
  const queue = sql.prepare(`
    SELECT value ->> '$.since' AS since, value ->> '$.workload' AS workload FROM items
    WHERE pk = 'CLUSTER#' || ? AND sk > 'READY#' AND sk < 'READY$' ORDER BY since, workload`);
  const change = sql.prepare("SELECT id FROM outbox LIMIT 1");
  const overwrite = sql.prepare(`
    UPDATE items SET marks = json_object('version', ?), due_at = ?, value = ? WHERE pk = 'WORKLOAD#' || ? AND sk = 'WORKLOAD'`);
  const freeSlot = sql.prepare("DELETE FROM items WHERE pk = 'SLOTS' AND sk = ? || '#' || printf('%012d', ?)");
  let readAt = -1;
  let changesAt = -1;
  let changesWait = false;
  const records = new Map<string, WorkloadRecord>();
  return {
    records() {
      if (writes() === readAt) return records;
      readAt = writes();
      for (const { key, version } of versions.all())
        if (records.get(String(key))?.version !== version) records.set(String(key), recordOf(String(key)));
      return records;
    },
    hasChanges() {
      if (writes() === changesAt) return changesWait;
      changesAt = writes();
      return (changesWait = change.get() !== undefined);
    },
    slots: (cluster) => slots.all(cluster).map(({ slot, workload }) => ({ slot: Number(slot), key: String(workload) })),
    slotQueue: (cluster) =>
      queue.all(cluster).map(({ since, workload }) => `${String(since).padStart(15, "0")}#${String(workload)}`),
    overwrite: (record) => {
      readAt = -1;
      records.delete(workloadKey(record.workload));
      overwrite.run(record.version, record.effects.dueAt ?? null, JSON.stringify(record), workloadKey(record.workload));
    },
    freeSlot: (cluster, slot) => void freeSlot.run(cluster, slot),
  };
}
