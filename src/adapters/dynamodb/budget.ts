import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey, type WorkloadName } from "#domain/workload/workload";
import type { SlotHolder } from "#ports/store";
import type { DynamoTable, TransactionPart } from "./client.ts";
import { clusterPartition, counterText, instantText, type ItemKey } from "./keys.ts";
import { queryPartition } from "./reads.ts";

/**
 * The partition of the slots of all clusters. The reaper finds the updates that hold a slot there.
 */
const slotPartition = "SLOTS";
const waiterPrefix = "READY#";

function slotPrefix(cluster: string): string {
  return `${cluster}#`;
}

function slotKey(cluster: string, slot: number): ItemKey {
  return { pk: slotPartition, sk: `${slotPrefix(cluster)}${counterText(slot)}` };
}

/**
 * Returns the key of a waiting workload. Within a namespace, keys sort by the start of the wait.
 */
function waiterKey({ cluster, namespace }: WorkloadName, since: number, workload: string): ItemKey {
  return { pk: clusterPartition(cluster), sk: `${waiterPrefix}${namespace}#${instantText(since)}#${workload}` };
}

/**
 * Returns the writes that a record's {@link Effects.budget} needs. The write that takes a
 * slot is the first.
 */
export function budgetParts({ table }: DynamoTable, record: WorkloadRecord): readonly TransactionPart[] {
  const { takes, frees, joins, leaves } = record.effects.budget ?? {};
  const { cluster } = record.workload;
  const workload = workloadKey(record.workload);
  const waiter = (since: number) => ({ ...waiterKey(record.workload, since, workload) });
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

/** Returns the condition that a slot is free, or that this workload holds the slot. */
const freeOr = (workload: string) => ({
  ConditionExpression: "attribute_not_exists(#pk) OR #workload = :workload",
  ExpressionAttributeNames: { "#pk": "pk", "#workload": "workload" },
  ExpressionAttributeValues: { ":workload": workload },
});

/** Lists the taken slots of a cluster. */
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
  const items = await queryPartition(where, { pk: slotPartition }, "listing the holders of slots");
  return items.map(({ workload }) => String(workload));
}

/** A workload that waits for a slot. */
interface Waiter {
  readonly namespace: string;
  readonly since: string;
  readonly workload: string;
}

const waitersPerPage = 100;

/**
 * Returns the workloads that wait for a slot of a cluster. The longest wait comes first, and each
 * namespace has at most `perNamespace` workloads.
 */
export async function waiters(where: DynamoTable, cluster: string, perNamespace: number): Promise<readonly string[]> {
  const found = new Map<string, Waiter[]>();
  for (let after = waiterPrefix; ;) {
    const query = { pk: clusterPartition(cluster), after, limit: waitersPerPage };
    const items = await queryPartition(where, query, `listing the workloads that wait for a slot of ${cluster}`);
    const keys = items.map(({ sk }) => String(sk)).filter((sk) => sk.startsWith(waiterPrefix));
    for (const waiter of keys.map(waiterOf)) {
      const others = found.get(waiter.namespace) ?? [];
      if (others.length < perNamespace) found.set(waiter.namespace, [...others, waiter]);
    }
    const last = keys.at(-1);
    if (last === undefined || keys.length < waitersPerPage) break;
    const { namespace } = waiterOf(last);
    const isFull = found.get(namespace)?.length === perNamespace;
    after = isFull ? `${waiterPrefix}${namespace}#${afterInstants}` : last;
  }
  const all = [...found.values()].flat();
  return all.sort(byWait).map(({ workload }) => workload);
}

/** A text that sorts after every instant. */
const afterInstants = "~";

function waiterOf(sk: string): Waiter {
  const [, namespace = "", since = "", ...workload] = sk.split("#");
  return { namespace, since, workload: workload.join("#") };
}

/** Compares the starts of two waits. Instants have equal lengths, so they compare as text. */
function byWait(one: Waiter, other: Waiter): number {
  return `${one.since}#${one.workload}` < `${other.since}#${other.workload}` ? -1 : 1;
}
