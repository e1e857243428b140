import { setTimeout as pause } from "node:timers/promises";
import { BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { TransientError } from "#ports/errors";
import type { DynamoTable } from "./client.ts";
import { asking } from "./errors.ts";
import type { ItemKey } from "./keys.ts";

const keysPerBatch = 25;
const fruitlessRounds = 6;

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>[string];

/** Deletes items, 25 at a time, without a condition. Keys that are gone already, or are given twice, are fine. */
export async function deleteItems(where: DynamoTable, keys: readonly ItemKey[], doing: string): Promise<void> {
  const distinct = [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()];
  for (let from = 0; from < distinct.length; from += keysPerBatch) {
    await deleteBatch(where, distinct.slice(from, from + keysPerBatch), doing);
  }
}

async function deleteBatch({ client, table }: DynamoTable, keys: readonly ItemKey[], doing: string): Promise<void> {
  let left: Requests = keys.map((key) => ({ DeleteRequest: { Key: { ...key } } }));
  for (let failedEvaluations = 0; left.length > 0;) {
    const batch = new BatchWriteCommand({ RequestItems: { [table]: left } });
    const answer = await asking(doing, () => client.send(batch));
    const undone = answer.UnprocessedItems?.[table] ?? [];
    failedEvaluations = undone.length < left.length ? 0 : failedEvaluations + 1;
    if (failedEvaluations === fruitlessRounds)
      throw new TransientError(`DynamoDB left ${undone.length} of ${keys.length} items undeleted while ${doing}`);
    if (failedEvaluations > 0) await pause(25 * 2 ** failedEvaluations);
    left = undone;
  }
}
