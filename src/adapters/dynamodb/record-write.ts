import { same } from "#domain/same";
import { PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { WorkloadRecord } from "#domain/update";
import { workloadKey } from "#domain/workload";
import type { WriteOutcome } from "#ports/store";
import { budgetParts } from "./budget.ts";
import type { DynamoTable } from "./client.ts";
import { conditionFailed, lostRace, toPortError } from "./errors.ts";
import { recordKey, rosterKey } from "./keys.ts";
import type { DynamoOutbox, TransactionPart } from "./outbox.ts";
import { type Item, readItem } from "./reads.ts";
import { toItem, toRecord } from "./record-item.ts";

interface Condition {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

const nothingIsStored: Condition = {
  ConditionExpression: "attribute_not_exists(#pk)",
  ExpressionAttributeNames: { "#pk": "pk" },
};

const storedVersionIs = (version: number): Condition => ({
  ConditionExpression: "#version = :version",
  ExpressionAttributeNames: { "#version": "version" },
  ExpressionAttributeValues: { ":version": version },
});

const changesStayInOrder = (order: number): Condition => ({
  ConditionExpression: "(attribute_not_exists(#order) OR #order <= :order)",
  ExpressionAttributeNames: { "#order": "changeOrder" },
  ExpressionAttributeValues: { ":order": order },
});

const both = (one: Condition, other: Condition): Condition => ({
  ConditionExpression: `${one.ConditionExpression} AND ${other.ConditionExpression}`,
  ExpressionAttributeNames: { ...one.ExpressionAttributeNames, ...other.ExpressionAttributeNames },
  ExpressionAttributeValues: { ...one.ExpressionAttributeValues, ...other.ExpressionAttributeValues },
});

/** The version that is stored where none is. */
export const nothing = 0;

/**
 * Writes a record under the condition on its version; with an outbox the change goes with it, and a first version enters the roster.
 *
 * The client repeats a request that got no answer, and may so meet its own first attempt: a stored record that says the same in
 * every field, the cause included, counts as written. If someone wrote the next version meanwhile, the outcome is a conflict; if it is
 * still the version before, the slot was taken.
 *
 * @param on - the version that has to be stored.
 */
export async function writeRecord(
  where: DynamoTable,
  record: WorkloadRecord,
  outbox: DynamoOutbox | undefined,
  on = record.version - 1,
): Promise<WriteOutcome> {
  const doing = `writing version ${record.version} of the record of ${workloadKey(record.workload)}`;
  // A clock that was set back must not let a change overtake the one before: it then takes the place right behind it.
  let order: number = record.changedAt;
  for (;;) {
    try {
      await send(where, record, order, outbox, on);
      return { kind: "written" };
    } catch (error) {
      // Another workload is taking the same slot: its number is as good as taken.
      if (record.budget?.takes !== undefined && lostRace(error)) return { kind: "slot-taken" };
      if (!conditionFailed(error)) throw toPortError(error, doing);
      const stored = await readItem(where, recordKey(workloadKey(record.workload)), doing);
      const later = stored && laterOrder(stored, record, order);
      if (later === undefined) return outcomeBy(stored, record, on);
      order = later;
    }
  }
}

function outcomeBy(stored: Item | undefined, record: WorkloadRecord, on: number): WriteOutcome {
  return stored !== undefined && stored.version === record.version && same(toRecord(stored), record)
    ? { kind: "written" }
    : { kind: (stored?.version ?? nothing) === on ? "slot-taken" : "conflict" };
}

/** The version was right, so it was the order of changes that was not. */
function laterOrder(stored: Item, record: WorkloadRecord, order: number): number | undefined {
  const { version, changeOrder } = stored;
  return version === record.version - 1 && typeof changeOrder === "number" && changeOrder > order
    ? changeOrder
    : undefined;
}

async function send(
  { client, table }: DynamoTable,
  record: WorkloadRecord,
  order: number,
  outbox: DynamoOutbox | undefined,
  on: number,
): Promise<void> {
  const first = on === nothing;
  const previous = first ? nothingIsStored : storedVersionIs(on);
  const put = {
    TableName: table,
    Item: outbox ? { ...toItem(record), changeOrder: order } : toItem(record),
    ...(outbox && !first ? both(previous, changesStayInOrder(order)) : previous),
  };
  const parts: TransactionPart[] = [{ Put: put }, ...budgetParts({ client, table }, record)];
  if (outbox) parts.push(outbox.part(record, order));
  if (first) {
    const { cluster } = record.workload;
    parts.push({ Put: { TableName: table, Item: { ...rosterKey(cluster, workloadKey(record.workload)) } } });
  }
  if (parts.length === 1) await client.send(new PutCommand(put));
  else await client.send(new TransactWriteCommand({ TransactItems: parts }));
  outbox?.written();
}
