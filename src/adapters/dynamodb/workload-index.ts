import type { DynamoTable, TransactionPart } from "./client.ts";
import { clusterPartition, type ItemKey, workloadIn, workloadPartition } from "./keys.ts";
import { queryPartition } from "./reads.ts";

/**
 * Returns the key of a workload in its cluster's index. Lookout needs the index, because no
 * function scans the table.
 */
export function workloadIndexKey(cluster: string, workload: string): ItemKey {
  return { pk: clusterPartition(cluster), sk: workloadPartition(workload) };
}

/** Returns the write that adds a workload to the index. */
export function indexPart({ table }: DynamoTable, cluster: string, workload: string): TransactionPart {
  return { Put: { TableName: table, Item: { ...workloadIndexKey(cluster, workload) } } };
}

/** Lists the workloads of a cluster. */
export async function indexedWorkloads(where: DynamoTable, cluster: string): Promise<readonly string[]> {
  const query = { pk: clusterPartition(cluster), prefix: workloadPartition("") };
  const rows = await queryPartition(where, query, `listing the workloads of ${cluster}`);
  return rows.flatMap(({ sk }) => workloadIn(sk) ?? []);
}
