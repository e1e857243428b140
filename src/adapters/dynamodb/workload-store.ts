import { tableShape } from "#contracts/aws/table";
import type { EpochMs } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import type { WorkloadStore } from "#ports/store";
import { slotHolders, slots, waiters } from "./budget.ts";
import type { DynamoTable } from "./client.ts";
import { dynamoInstallation } from "./installation.ts";
import {
  dueAfter,
  duePartition,
  duePartitions,
  recordKey,
  workloadIndexKey,
  workloadIndexPrefix,
  workloadOf,
} from "./keys.ts";
import { queryPages, queryPartition, readItem, readItems } from "./reads.ts";
import { toRecord } from "./record-item.ts";
import { nothing, writeRecord } from "./record-write.ts";
import { subscribe, subscribers } from "./subscriptions.ts";

/**
 * The records of all workloads in one table, whose stream hands on the changes. A record that was written already, in every field the
 * same, is answered as written.
 */
export function dynamoWorkloadStore(where: DynamoTable): WorkloadStore {
  return {
    ...dynamoInstallation(where),

    async read(key) {
      const item = await readItem(where, recordKey(key), `reading the record of ${key}`);
      return item && toRecord(item);
    },

    async readMany(keys) {
      const items = await readItems(where, keys.map(recordKey), `reading the records of ${keys.length} workloads`);
      const records = new Map(items.map(toRecord).map((record) => [workloadKey(record.workload), record]));
      return [...new Set(keys)].flatMap((key) => records.get(key) ?? []);
    },

    write: (record) => writeRecord(where, record),
    restore: (record) => writeRecord(where, record, nothing),

    async workloadIndex(cluster) {
      const { pk } = workloadIndexKey(cluster, "");
      const rows = await queryPartition(
        where,
        { pk, prefix: workloadIndexPrefix },
        `listing the workloads of ${cluster}`,
      );
      return rows.map((row) => workloadOf(String(row.sk)));
    },

    slots: (cluster) => slots(where, cluster),
    waiters: (cluster, limit) => waiters(where, cluster, limit),
    due: (before, limit) => due(where, before, limit),
    subscribe: (workload, repositories) => subscribe(where, workload, repositories),
    subscribers: (name, limit, after) => subscribers(where, name, limit, after),
  };
}

/** Lists who holds a slot, due or not, and then all others who are overdue, the longest overdue first. */
async function due(where: DynamoTable, before: EpochMs, limit: number): Promise<readonly string[]> {
  const [holders, others] = await Promise.all([slotHolders(where), overdue(where, before, limit)]);
  return [...holders, ...others].slice(0, limit);
}

/** Asks every partition of the due index for its own longest overdue, and keeps the longest overdue of all. */
async function overdue(where: DynamoTable, before: EpochMs, limit: number): Promise<readonly string[]> {
  const shards = Array.from({ length: duePartitions }, (_, shard) =>
    queryPages(
      where,
      {
        IndexName: tableShape.dueIndex.name,
        KeyConditionExpression: "#duePk = :duePk AND #dueSk < :after",
        ExpressionAttributeNames: { "#duePk": "duePk", "#dueSk": "dueSk" },
        ExpressionAttributeValues: { ":duePk": duePartition(shard), ":after": dueAfter(before) },
      },
      limit,
      "listing what is due",
    ),
  );
  return (await Promise.all(shards))
    .flat()
    .map((item) => ({ order: String(item.dueSk), workload: workloadOf(String(item.pk)) }))
    .sort((one, other) => (one.order < other.order ? -1 : one.order > other.order ? 1 : 0))
    .map(({ workload }) => workload);
}
