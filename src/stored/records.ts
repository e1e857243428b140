import * as z from "zod/mini";
import { tableShape } from "#contracts/aws/table";
import { deepEqual } from "#domain/shared/deep-equal";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { Item, ItemChange, ItemChanges, ItemKey } from "#ports/items";
import type { Changes, StoredVersion, WorkloadStore, WriteOutcome } from "#ports/store";
import { approvalWrites } from "./approval-index.ts";
import { budgetWrites } from "./budget.ts";
import { clusterPartition, workloadIn, workloadPartition } from "./keys.ts";
import { itemOf, type Kind, reading, type Storage, valueOf, valuesOf } from "./kind.ts";
import { recordForms } from "./record-shape.ts";
import { tierWrites } from "./tier-members.ts";
import { voteWrites } from "./votes.ts";

/** The kind of the record of a workload. */
export const recordKind: Kind<WorkloadRecord> = {
  name: "record of a workload",
  ...recordForms,
  isAt: ({ workload }, { pk }) => pk === workloadPartition(workloadKey(workload)),
};

/** The kind of places in the list of workloads of a cluster. No function scans the table. */
export const workloadPlaceKind: Kind<object> = { name: "place in the list of workloads", form: 1, shape: z.object({}) };

/** Returns the key of a workload's record. */
export function recordKey(workload: string): ItemKey {
  return { pk: workloadPartition(workload), sk: tableShape.recordSortKey };
}

/** Returns a record as an item. The reaper finds a record that holds a slot by its slot. */
export function recordItem(record: WorkloadRecord): Item {
  const { version, active, effects } = record;
  const isDue = effects.dueAt !== undefined && active?.slot === undefined;
  return itemOf(recordKind, recordKey(workloadKey(record.workload)), record, {
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
        ...(on === nothing ? [{ kind: "put", item: itemOf(workloadPlaceKind, place, {}) } as const] : []),
        ...approvalWrites(record),
        ...tierWrites(record),
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
      return item && valueOf(recordKind, item);
    },
    async readMany(keys, consistency) {
      const found = await items.getMany(
        keys.map(recordKey),
        `reading the records of ${keys.length} workloads`,
        consistency,
      );
      const records = new Map(
        valuesOf(recordKind, found, storage).map((record) => [workloadKey(record.workload), record]),
      );
      return [...new Set(keys)].flatMap((key) => records.get(key) ?? []);
    },
    async unreadable(keys) {
      const doing = `reading why ${keys.length} records can't be read`;
      const found = keys.length === 0 ? [] : await items.getMany(keys.map(recordKey), doing);
      return found.flatMap((item) => {
        const read = reading(recordKind, item);
        const workload = workloadIn(item.pk);
        if (read.ok || workload === undefined) return [];
        return [{ workload, kind: recordKind.name, key: recordKey(workload), why: read.problem }];
      });
    },
    write: (record) => write(record, record.version - 1),
    restore: (record) => write(record, nothing),
    async workloadIndex(cluster) {
      const query = { pk: clusterPartition(cluster), prefix: workloadPartition("") };
      const found = await items.sortKeys(query, `listing the workloads of ${cluster}`);
      return found.flatMap((sk) => workloadIn(sk) ?? []);
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
  return isRecord ? { id, record: valueOf(recordKind, item) } : undefined;
}

/** Returns the changes of records. */
export function storedChanges(changes: ItemChanges, storage: Storage): Changes {
  let unreadable: readonly string[] = [];
  return {
    // Changes that can't be read stay for a newer Lookout, and stand in the way of no other.
    async take(limit) {
      const taken = await changes.take(limit + unreadable.length);
      const read = taken.map(({ id, item }) => ({ id, records: valuesOf(recordKind, [item], storage) }));
      unreadable = read.flatMap(({ id, records }) => (records.length === 0 ? [id] : []));
      return read.flatMap(({ id, records }) => records.map((record) => ({ id, record }))).slice(0, limit);
    },
    done: (handled) => changes.done(handled.map(({ id }) => id)),
    onWrite: (callback) => {
      changes.onWrite(callback);
    },
  };
}
