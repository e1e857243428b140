import type { WorkloadRecord } from "#domain/update/states";
import { workloadKey } from "#domain/workload/workload";
import type { SlotHolder } from "#ports/store";
import type { DynamoTable, TransactionPart } from "./client.ts";
import { clusterPartition, counterText, instantText, type ItemKey } from "./keys.ts";
import { queryPartition } from "./reads.ts";

/** One partition for all clusters: the reaper finds there which updates are on their way. */
const slotPartition = "SLOTS";
const waiterPrefix = "READY#";

function slotPrefix(cluster: string): string {
  return `${cluster}#`;
}

function slotKey(cluster: string, slot: number): ItemKey {
  return { pk: slotPartition, sk: `${slotPrefix(cluster)}${counterText(slot)}` };
}

/** The longest wait comes first. */
function waiterKey(cluster: string, since: number, workload: string): ItemKey {
  return { pk: clusterPartition(cluster), sk: `${waiterPrefix}${instantText(since)}#${workload}` };
}

/** The parts of a record's transaction that its {@link WorkloadRecord.budget} calls for; the taking of a slot comes first. */
export function budgetParts({ table }: DynamoTable, record: WorkloadRecord): readonly TransactionPart[] {
  const { takes, frees, joins, leaves } = record.budget ?? {};
  const { cluster } = record.workload;
  const workload = workloadKey(record.workload);
  const waiter = (since: number) => ({ ...waiterKey(cluster, since, workload) });
  return [
    ...(takes === undefined
      ? []
      : [{ Put: { TableName: table, Item: { ...slotKey(cluster, takes), workload }, ...freeOr(workload) } }]),
    ...(frees === undefined
      ? []
      : [{ Delete: { TableName: table, Key: { ...slotKey(cluster, frees) }, ...freeOr(workload) } }]),
    ...(joins === undefined ? [] : [{ Put: { TableName: table, Item: waiter(joins) } }]),
    ...(leaves === undefined ? [] : [{ Delete: { TableName: table, Key: waiter(leaves) } }]),
  ];
}

/** A workload holds one slot at most, so its name identifies the slot. */
const freeOr = (workload: string) => ({
  ConditionExpression: "attribute_not_exists(#pk) OR #workload = :workload",
  ExpressionAttributeNames: { "#pk": "pk", "#workload": "workload" },
  ExpressionAttributeValues: { ":workload": workload },
});

/** Lists the slots of a cluster that are taken. */
export async function slots(where: DynamoTable, cluster: string): Promise<readonly SlotHolder[]> {
  const prefix = slotPrefix(cluster);
  const items = await queryPartition(where, { pk: slotPartition, prefix }, `listing the slots of ${cluster}`);
  return items.map(({ sk, workload }) => ({
    slot: Number(String(sk).slice(prefix.length)),
    workload: String(workload),
  }));
}

/** Returns the holders of slots of all clusters, also of clusters that are no longer configured. */
export async function slotHolders(where: DynamoTable): Promise<readonly string[]> {
  const items = await queryPartition(where, { pk: slotPartition }, "listing who holds a slot");
  return items.map(({ workload }) => String(workload));
}

/** Returns the workloads that wait for a slot of a cluster. */
export async function waiters(where: DynamoTable, cluster: string, limit: number): Promise<readonly string[]> {
  const query = { pk: clusterPartition(cluster), prefix: waiterPrefix, limit };
  const items = await queryPartition(where, query, `listing the workloads that wait for a slot of ${cluster}`);
  return items.map(({ sk }) => String(sk).split("#").slice(2).join("#"));
}
