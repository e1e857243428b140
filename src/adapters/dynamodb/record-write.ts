import { deepEqual } from "#domain/shared/deep-equal";
import { PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { WriteOutcome } from "#ports/store";
import { approvalParts } from "./approval-index.ts";
import { budgetParts } from "./budget.ts";
import type { DynamoTable } from "./client.ts";
import { conditionFailed, lostRace, toPortError } from "./errors.ts";
import { type Item, readItem } from "./reads.ts";
import { recordKey, toItem, toRecord } from "./record-item.ts";
import { voteParts } from "./votes.ts";
import { indexPart } from "./workload-index.ts";

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

/** The version of a workload without a stored record. */
export const nothing = 0;

/**
 * Writes a record if `on` is the stored version. The first version also adds the workload to the
 * index, in the same transaction.
 *
 * The client repeats a request without an answer, and may find the record of its own first attempt.
 * If the stored record has equal fields, the cause included, the outcome is `written`. If another
 * function wrote the next version, the outcome is a conflict. If the previous version is still
 * stored, another workload has the slot.
 *
 * @param on - the version that must be stored.
 */
export async function writeRecord(
  where: DynamoTable,
  record: WorkloadRecord,
  on = record.version - 1,
): Promise<WriteOutcome> {
  const doing = `writing version ${record.version} of the record of ${workloadKey(record.workload)}`;
  try {
    await send(where, record, on);
    return { kind: "written" };
  } catch (error) {
    // Another workload takes the same slot at this moment, so the outcome is `slot-taken`.
    if (record.effects.budget?.takes !== undefined && lostRace(error)) return { kind: "slot-taken" };
    if (!conditionFailed(error)) throw toPortError(error, doing);
    return outcomeBy(await readItem(where, recordKey(workloadKey(record.workload)), doing), record, on);
  }
}

function outcomeBy(stored: Item | undefined, record: WorkloadRecord, on: number): WriteOutcome {
  return stored !== undefined && stored.version === record.version && deepEqual(toRecord(stored), record)
    ? { kind: "written" }
    : { kind: (stored?.version ?? nothing) === on ? "slot-taken" : "conflict" };
}

async function send({ client, table }: DynamoTable, record: WorkloadRecord, on: number): Promise<void> {
  const put = {
    TableName: table,
    Item: toItem(record),
    ...(on === nothing ? nothingIsStored : storedVersionIs(on)),
  };
  const { cluster } = record.workload;
  const first = on === nothing ? [indexPart({ client, table }, cluster, workloadKey(record.workload))] : [];
  const beside = [
    ...budgetParts({ client, table }, record),
    ...first,
    ...approvalParts({ client, table }, record),
    ...voteParts({ client, table }, record),
  ];
  if (beside.length === 0) await client.send(new PutCommand(put));
  else await client.send(new TransactWriteCommand({ TransactItems: [{ Put: put }, ...beside] }));
}
