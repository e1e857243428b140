import { BatchGetCommand, GetCommand, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import type { DynamoTable } from "./client.ts";
import { asking } from "./errors.ts";
import type { ItemKey } from "#ports/items";
import { untilNoneLeft } from "./leftovers.ts";

/** A stored item, its key included. */
export type Item = Readonly<Record<string, unknown>>;

/** A query of one partition. The `limit` counts items. Without a limit, all items are read. */
export interface PartitionQuery {
  readonly pk: string;
  /** Limits the query to sort keys that begin with this text. */
  readonly prefix?: string;
  /** Limits the query to sort keys that sort after this text. */
  readonly after?: string;
  /** Limits a query without a prefix to sort keys that sort before this text. */
  readonly before?: string;
  readonly limit?: number;
  readonly newestFirst?: boolean;
  /** Whether the items have only their sort keys. */
  readonly sortKeysOnly?: boolean;
}

const keysPerBatch = 100;

/** Reads one item with strong consistency. Returns undefined when the item does not exist. */
export async function readItem({ client, table }: DynamoTable, key: ItemKey, doing: string): Promise<Item | undefined> {
  const answer = await asking(doing, () =>
    client.send(new GetCommand({ TableName: table, Key: { ...key }, ConsistentRead: true })),
  );
  return answer.Item;
}

/**
 * Lists items of one partition with strong consistency, in the order of their sort keys. All pages
 * are read.
 */
export async function queryPartition(where: DynamoTable, query: PartitionQuery, doing: string): Promise<Item[]> {
  const sortKey = sortKeyCondition(query);
  return queryPages(
    where,
    {
      ConsistentRead: true,
      KeyConditionExpression: `#pk = :pk${sortKey?.condition ?? ""}`,
      ...(query.sortKeysOnly === true && { ProjectionExpression: "#sk" }),
      ExpressionAttributeNames: { "#pk": "pk", ...((sortKey ?? query.sortKeysOnly) && { "#sk": "sk" }) },
      ExpressionAttributeValues: { ":pk": query.pk, ...sortKey?.values },
      ScanIndexForward: query.newestFirst !== true,
    },
    query.limit ?? Infinity,
    doing,
  );
}

interface SortKeyCondition {
  readonly condition: string;
  readonly values: Readonly<Record<string, string>>;
}

function sortKeyCondition({ prefix, after, before }: PartitionQuery): SortKeyCondition | undefined {
  if (prefix !== undefined) return { condition: " AND begins_with(#sk, :sk)", values: { ":sk": prefix } };
  // The language has no condition for two exclusive limits.
  if (after !== undefined && before !== undefined)
    return { condition: " AND #sk BETWEEN :sk AND :before", values: { ":sk": after, ":before": before } };
  if (after !== undefined) return { condition: " AND #sk > :sk", values: { ":sk": after } };
  return before === undefined ? undefined : { condition: " AND #sk < :sk", values: { ":sk": before } };
}

/** Runs a query page by page, and returns at most `limit` items. */
export async function queryPages(
  { client, table }: DynamoTable,
  query: Omit<QueryCommandInput, "TableName" | "Limit">,
  limit: number,
  doing: string,
): Promise<Item[]> {
  const items: Item[] = [];
  let from: QueryCommandInput["ExclusiveStartKey"];
  while (items.length < limit) {
    const page = new QueryCommand({
      TableName: table,
      ...query,
      ...(limit === Infinity ? {} : { Limit: limit - items.length }),
      ...(from && { ExclusiveStartKey: from }),
    });
    const answer = await asking(doing, () => client.send(page));
    items.push(...(answer.Items ?? []));
    from = answer.LastEvaluatedKey;
    if (from === undefined) break;
  }
  return items;
}

/**
 * Reads many items, 100 at a time. Returns the existing items in no order. A repeated key is read
 * once.
 *
 * @param consistency - the default is strong consistency
 */
export async function readItems(
  where: DynamoTable,
  keys: readonly ItemKey[],
  doing: string,
  consistency?: "may-be-stale",
): Promise<Item[]> {
  const distinct = [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()];
  const batches: ItemKey[][] = [];
  for (let from = 0; from < distinct.length; from += keysPerBatch)
    batches.push(distinct.slice(from, from + keysPerBatch));
  return (await Promise.all(batches.map((batch) => readBatch(where, batch, doing, consistency === undefined)))).flat();
}

async function readBatch(
  { client, table }: DynamoTable,
  keys: readonly ItemKey[],
  doing: string,
  isStrong: boolean,
): Promise<Item[]> {
  const items: Item[] = [];
  const read = async (left: readonly Record<string, unknown>[]): Promise<readonly Record<string, unknown>[]> => {
    const batch = new BatchGetCommand({ RequestItems: { [table]: { Keys: [...left], ConsistentRead: isStrong } } });
    const answer = await asking(doing, () => client.send(batch));
    items.push(...(answer.Responses?.[table] ?? []));
    return answer.UnprocessedKeys?.[table]?.Keys ?? [];
  };
  await untilNoneLeft(
    keys.map((key) => ({ ...key })),
    read,
    (left) => `DynamoDB left ${left} of ${keys.length} keys unread while ${doing}`,
  );
  return items;
}
