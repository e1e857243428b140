import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { tableShape } from "#contracts/aws/table";
import type { EpochMs } from "#domain/shared/time";
import type { DynamoTable } from "./client.ts";
import { asking, putIf } from "./errors.ts";
import type { ItemKey } from "./keys.ts";
import { type Item, readItem } from "./reads.ts";

/** Returns the attribute that lets DynamoDB delete an item after an instant. */
export function expiryAt(at: EpochMs): { readonly [tableShape.expiryAttribute]: number } {
  return { [tableShape.expiryAttribute]: Math.floor(at / 1_000) };
}

/** Stores an item, in place of any item with the same key. */
export async function putItem({ client, table }: DynamoTable, item: Item, doing: string): Promise<void> {
  await asking(doing, () => client.send(new PutCommand({ TableName: table, Item: item })));
}

/** Stores an item unless its key is taken. Returns whether it stored the item. */
export async function putNewItem({ client, table }: DynamoTable, item: Item, doing: string): Promise<boolean> {
  const put = new PutCommand({
    TableName: table,
    Item: item,
    ConditionExpression: "attribute_not_exists(#pk)",
    ExpressionAttributeNames: { "#pk": "pk" },
  });
  return putIf(doing, () => client.send(put));
}

/**
 * Removes an item. Returns false when the item did not exist.
 *
 * The item is read first, because a delete that the client repeats after a lost answer would find
 * nothing.
 */
export async function removeItem(where: DynamoTable, key: ItemKey, doing: string): Promise<boolean> {
  if ((await readItem(where, key, doing)) === undefined) return false;
  const { client, table } = where;
  await asking(doing, () => client.send(new DeleteCommand({ TableName: table, Key: { ...key } })));
  return true;
}
