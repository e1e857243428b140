import { BatchWriteCommand, type BatchWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import type { DynamoTable } from "./client.ts";
import { asking } from "./errors.ts";
import type { ItemKey } from "#ports/items";
import { untilNoneLeft } from "./leftovers.ts";

const keysPerBatch = 25;

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>[string];

/**
 * Deletes items, 25 at a time, without a condition. Missing items and repeated keys are no error.
 */
export async function deleteItems(where: DynamoTable, keys: readonly ItemKey[], doing: string): Promise<void> {
  const distinct = [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()];
  for (let from = 0; from < distinct.length; from += keysPerBatch) {
    await deleteBatch(where, distinct.slice(from, from + keysPerBatch), doing);
  }
}

async function deleteBatch({ client, table }: DynamoTable, keys: readonly ItemKey[], doing: string): Promise<void> {
  const requests: Requests = keys.map((key) => ({ DeleteRequest: { Key: { ...key } } }));
  await untilNoneLeft(
    requests,
    async (left) => {
      const batch = new BatchWriteCommand({ RequestItems: { [table]: [...left] } });
      const answer = await asking(doing, () => client.send(batch));
      return answer.UnprocessedItems?.[table] ?? [];
    },
    (left) => `DynamoDB left ${left} of ${keys.length} items undeleted while ${doing}`,
  );
}
