import { deepEqual } from "#domain/shared/deep-equal";
import { asksForApproval } from "#domain/update/effects/approval-index";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { WorkloadStore, WriteOutcome } from "#ports/store";
import { firstOf, type StateDatabase } from "./database.ts";
import type { SqliteOutbox } from "./outbox.ts";
import { sqliteSlots } from "./slots.ts";
import { recordIn } from "./stored-json.ts";
import { sqliteSubscribers } from "./subscribers.ts";
import { sqliteVotes } from "./votes.ts";

/** The version of a workload without a stored record. */
const nothing = 0;

/**
 * Returns the store of workload records, with one row each. The change of a record enters the
 * outbox in the same transaction.
 */
export function sqliteWorkloadStore(database: StateDatabase, outbox: SqliteOutbox): WorkloadStore {
  const { sql } = database;
  const name = sql.prepare("SELECT name FROM installation");
  const rename = sql.prepare("UPDATE installation SET name = ?");
  const read = sql.prepare("SELECT record FROM workloads WHERE key = ?");
  const readVersion = sql.prepare("SELECT version FROM workloads WHERE key = ?");
  const put = sql.prepare(`
    INSERT INTO workloads (key, cluster, version, due_at, awaits_approval, record) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET version = excluded.version, due_at = excluded.due_at,
      awaits_approval = excluded.awaits_approval, record = excluded.record`);
  const workloadIndex = sql.prepare("SELECT key FROM workloads WHERE cluster = ? ORDER BY key");
  const awaiting = sql.prepare("SELECT key FROM workloads WHERE cluster = ? AND awaits_approval = 1 ORDER BY key");
  const due = sql.prepare("SELECT key FROM workloads WHERE due_at <= ? ORDER BY due_at, key");
  const budget = sqliteSlots(database);
  const votes = sqliteVotes(database);

  const recordOf = (key: string): WorkloadRecord | undefined => {
    const row = read.get(key);
    return row && recordIn(row["record"], key);
  };
  const keysOf = (rows: readonly Record<string, unknown>[]): readonly string[] => rows.map(({ key }) => String(key));
  const installation = (): Promise<string> =>
    database.read("reading the name of this installation", () => String(name.get()?.["name"]));

  /** Writes a record if `on` is the stored version. */
  const store = async (record: WorkloadRecord, on: number): Promise<WriteOutcome> => {
    const key = workloadKey(record.workload);
    const outcome = await database.write(`writing version ${record.version} of the record of ${key}`, () => {
      const version = readVersion.get(key)?.["version"] ?? nothing;
      if (version === record.version && deepEqual(recordOf(key), record)) return "written-before";
      if (version !== on) return "conflict";
      if (budget.areTaken(record)) return "slot-taken";
      const text = JSON.stringify(record);
      const isAwaiting = Number(asksForApproval(record));
      put.run(key, record.workload.cluster, record.version, record.effects.dueAt ?? null, isAwaiting, text);
      budget.change(record);
      if (record.effects.vote !== undefined) votes.put(key, record.effects.vote);
      outbox.put(text);
      return "written";
    });
    if (outcome === "written") outbox.written();
    return { kind: outcome === "written-before" ? "written" : outcome };
  };

  return {
    installation,
    readInstallation: installation,
    adoptInstallation: (adopted) =>
      database.write("storing the name of the imported installation", () => {
        rename.run(adopted);
      }),
    read: (key) => database.read(`reading the record of ${key}`, () => recordOf(key)),
    readMany: (keys) =>
      database.read(`reading the records of ${keys.length} workloads`, () =>
        [...new Set(keys)].flatMap((key) => recordOf(key) ?? []),
      ),
    write: (record) => store(record, record.version - 1),
    restore: (record) => store(record, nothing),
    votes: (key, seq) => database.read(`reading the votes on update ${seq} of ${key}`, () => votes.of(key, seq)),
    workloadIndex: (cluster) =>
      database.read(`listing the workloads of ${cluster}`, () => keysOf(workloadIndex.all(cluster))),
    awaitingApproval: (cluster) =>
      database.read(`listing the workloads that wait for approval in ${cluster}`, () => keysOf(awaiting.all(cluster))),
    due: (before, limit) =>
      database.read("listing the overdue records", () => keysOf(firstOf(due.iterate(before), limit))),
    slots: (cluster) => budget.slots(cluster),
    waiters: (cluster, limit) => budget.waiters(cluster, limit),
    ...sqliteSubscribers(database),
  };
}
