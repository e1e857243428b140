import { tableShape } from "#contracts/aws/table";
import { deepEqual } from "#domain/shared/deep-equal";
import { problem } from "#domain/shared/result";
import { readStored, schemaMismatch } from "#domain/update/state/record-schema";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { Item, ItemChange, ItemChanges, ItemKey } from "#ports/items";
import type { Changes, StoredVersion, WorkloadStore, WriteOutcome } from "#ports/store";
import { approvalWrites } from "./approval-index.ts";
import { budgetWrites } from "./budget.ts";
import { clusterPartition, workloadIn, workloadPartition } from "./keys.ts";
import { itemOf, type Kind, type MemberType, objectWith, reading, type Storage, valueOf, valuesOf } from "./kind.ts";
import { voteWrites } from "./votes.ts";

const members = objectWith<WorkloadRecord>(
  {
    ...{ workload: "map", uid: "string", version: "number", seq: "number", cause: "string", changedAt: "number" },
    ...{ observed: "map", blocked: "list", selectionFailures: "list", transitions: "list", effects: "map" },
    tracked: "boolean",
  } satisfies Partial<Record<keyof WorkloadRecord, MemberType>>,
  {
    ...{ pending: "map", active: "map", last: "map", landed: "map", hold: "map", retry: "map" },
    ...{ readApprovals: "list", restored: "list", limited: "list" },
  } satisfies Partial<Record<keyof WorkloadRecord, MemberType>>,
);

/** The record of a workload. */
export const kind: Kind<WorkloadRecord> = {
  name: "record of a workload",
  form: 1,
  read(value, _, { pk }) {
    const stored = readStored(value);
    if (stored.kind !== "record") return problem(schemaMismatch("it", stored.version));
    const read = members(stored.record);
    if (!read.ok) return read;
    const { workload, version } = read.value;
    // Otherwise Lookout would read a copied record as the record of another workload, and version 0 as
    // a missing record.
    if (workloadPartition(workloadKey(workload)) !== pk) return problem(`it belongs to ${workloadKey(workload)}`);
    return Number.isSafeInteger(version) && version > 0 ? read : problem("its version is not a whole number from 1");
  },
};

/** The place of a workload in its cluster's list. No function scans the table. */
export const places: Kind<object> = { name: "place in the list of workloads", form: 1, read: objectWith({}) };

/** Returns the key of a workload's record. */
export function recordKey(workload: string): ItemKey {
  return { pk: workloadPartition(workload), sk: tableShape.recordSortKey };
}

/** Returns a record as an item. The reaper finds a record that holds a slot by its slot. */
export function recordItem(record: WorkloadRecord): Item {
  const { version, active, effects } = record;
  const isDue = effects.dueAt !== undefined && active?.slot === undefined;
  return itemOf(kind, recordKey(workloadKey(record.workload)), record, {
    marks: { version },
    ...(isDue ? { dueAt: effects.dueAt } : {}),
  });
}

/** The version of a workload without a stored record. */
const nothing = 0;

type RecordStore = Pick<WorkloadStore, "read" | "readMany" | "unreadable" | "write" | "restore" | "workloadIndex">;

/** Returns the store of records. A record's slot, vote and places are written in its transaction. */
export function storedRecords(storage: Storage): RecordStore {
  const { items } = storage;
  const write = async (record: WorkloadRecord, on: number): Promise<WriteOutcome> => {
    const key = workloadKey(record.workload);
    const doing = `writing version ${record.version} of the record of ${key}`;
    const unchanged =
      on === nothing ? ({ kind: "absent" } as const) : ({ kind: "equals", mark: "version", value: on } as const);
    const place = { pk: clusterPartition(record.workload.cluster), sk: workloadPartition(key) };
    const outcome = await items.write(
      [
        { kind: "put", item: recordItem(record), if: unchanged, isChange: true },
        ...budgetWrites(record),
        ...(on === nothing ? [{ kind: "put", item: itemOf(places, place, {}) } as const] : []),
        ...approvalWrites(record),
        ...voteWrites(record),
      ],
      doing,
    );
    if (outcome.kind === "written") return outcome;
    if (outcome.which > 0) return { kind: "slot-taken" };
    // The client repeats a request without an answer, and may find the record of its own first attempt.
    const stored = await items.get(recordKey(key), doing);
    const isOwn = stored !== undefined && deepEqual(stored.value, record);
    return { kind: isOwn ? "written" : "conflict" };
  };
  return {
    async read(key) {
      const item = await items.get(recordKey(key), `reading the record of ${key}`);
      return item && valueOf(kind, item);
    },
    async readMany(keys, consistency) {
      const found = await items.getMany(
        keys.map(recordKey),
        `reading the records of ${keys.length} workloads`,
        consistency,
      );
      const records = new Map(valuesOf(kind, found, storage).map((record) => [workloadKey(record.workload), record]));
      return [...new Set(keys)].flatMap((key) => records.get(key) ?? []);
    },
    async unreadable(keys) {
      const doing = `reading why ${keys.length} records can't be read`;
      const found = keys.length === 0 ? [] : await items.getMany(keys.map(recordKey), doing);
      return found.flatMap((item) => {
        const read = reading(kind, item);
        const workload = workloadIn(item.pk);
        if (read.ok || workload === undefined) return [];
        return [{ workload, kind: kind.name, key: recordKey(workload), why: read.problem }];
      });
    },
    write: (record) => write(record, record.version - 1),
    restore: (record) => write(record, nothing),
    async workloadIndex(cluster) {
      const query = { pk: clusterPartition(cluster), prefix: workloadPartition("") };
      const found = await items.query(query, `listing the workloads of ${cluster}`);
      return found.flatMap(({ sk }) => workloadIn(sk) ?? []);
    },
  };
}

/**
 * Returns the change of a record; undefined for another item.
 *
 * @throws the errors of {@link valueOf}.
 */
export function recordChangeOf({ id, item }: ItemChange): StoredVersion | undefined {
  const isRecord = item.sk === tableShape.recordSortKey && workloadIn(item.pk) !== undefined;
  return isRecord ? { id, record: valueOf(kind, item) } : undefined;
}

/** Returns the changes of records. */
export function storedChanges(changes: ItemChanges, storage: Storage): Changes {
  return {
    take: async (limit) =>
      (await changes.take(limit)).flatMap(({ id, item }) =>
        valuesOf(kind, [item], storage).map((record) => ({ id, record })),
      ),
    done: (handled) => changes.done(handled.map(({ id }) => id)),
    onWrite: (callback) => {
      changes.onWrite(callback);
    },
  };
}
