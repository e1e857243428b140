import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { DynamoTable, TransactionPart } from "./client.ts";
import { clusterPartition, type ItemKey } from "./keys.ts";
import { queryPartition } from "./reads.ts";

const prefix = "APPROVAL#";

function approvalIndexKey(cluster: string, workload: string): ItemKey {
  return { pk: clusterPartition(cluster), sk: `${prefix}${workload}` };
}

/**
 * Returns the writes to the approval index that a record's {@link Effects.approvalWait}
 * needs.
 */
export function approvalParts(
  { table }: DynamoTable,
  { workload, effects: { approvalWait } }: Pick<WorkloadRecord, "workload" | "effects">,
): readonly TransactionPart[] {
  if (approvalWait === undefined) return [];
  const key = approvalIndexKey(workload.cluster, workloadKey(workload));
  return approvalWait === "begins"
    ? [{ Put: { TableName: table, Item: { ...key } } }]
    : [{ Delete: { TableName: table, Key: { ...key } } }];
}

/** Lists the workloads of a cluster whose update waits for approval. */
export async function awaitingApproval(where: DynamoTable, cluster: string): Promise<readonly string[]> {
  const query = { pk: clusterPartition(cluster), prefix };
  const items = await queryPartition(where, query, `listing the workloads that wait for approval in ${cluster}`);
  return items.map(({ sk }) => String(sk).slice(prefix.length));
}
