import type { EpochMs } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import type { WorkloadStore } from "#ports/store";
import { awaitingApproval } from "./approval-index.ts";
import { slotHolders, slots, waiters } from "./budget.ts";
import type { DynamoTable } from "./client.ts";
import { overdue } from "./due-index.ts";
import { dynamoInstallation } from "./installation.ts";
import { readItem, readItems } from "./reads.ts";
import { recordKey, toRecord } from "./record-item.ts";
import { nothing, writeRecord } from "./record-write.ts";
import { subscribe, subscribers } from "./subscriptions.ts";
import { votesOn } from "./votes.ts";
import { indexedWorkloads } from "./workload-index.ts";

/** Returns the store of workload records. The stream of the table delivers their changes. */
export function dynamoWorkloadStore(where: DynamoTable): WorkloadStore {
  return {
    ...dynamoInstallation(where),

    async read(key) {
      const item = await readItem(where, recordKey(key), `reading the record of ${key}`);
      return item && toRecord(item);
    },

    async readMany(keys, consistency) {
      const doing = `reading the records of ${keys.length} workloads`;
      const items = await readItems(where, keys.map(recordKey), doing, consistency);
      const records = new Map(items.map(toRecord).map((record) => [workloadKey(record.workload), record]));
      return [...new Set(keys)].flatMap((key) => records.get(key) ?? []);
    },

    write: (record) => writeRecord(where, record),
    restore: (record) => writeRecord(where, record, nothing),

    votes: (key, seq) => votesOn(where, key, seq),
    workloadIndex: (cluster) => indexedWorkloads(where, cluster),
    awaitingApproval: (cluster) => awaitingApproval(where, cluster),
    slots: (cluster) => slots(where, cluster),
    waiters: (cluster, limit) => waiters(where, cluster, limit),
    due: (before, limit) => due(where, before, limit),
    subscribe: (workload, repositories) => subscribe(where, workload, repositories),
    subscribers: (name, limit, after) => subscribers(where, name, limit, after),
  };
}

/**
 * Lists the workloads with a slot, due or not, and then the overdue workloads, the longest overdue
 * first.
 */
async function due(where: DynamoTable, before: EpochMs, limit: number): Promise<readonly string[]> {
  const [holders, others] = await Promise.all([slotHolders(where), overdue(where, before, limit)]);
  return [...holders, ...others].slice(0, limit);
}
