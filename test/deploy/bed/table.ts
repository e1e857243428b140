import { type AttributeValue, DynamoDBClient, paginateScan, QueryCommand } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { itemOf } from "#adapters/dynamodb/items";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { Item } from "#ports/items";
import type { Deployment } from "./deployment.ts";
import type { AwsOptions } from "./emulator.ts";

/** Returns the items of a partition of the table whose sort keys begin with a prefix, sorted by these keys. */
export async function itemsIn(
  { emulator, outputs }: Pick<Deployment, "emulator" | "outputs">,
  pk: string,
  prefix: string,
): Promise<readonly Item[]> {
  const query = new QueryCommand({
    TableName: outputs[stackOutputs.tableName],
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":pk": { S: pk }, ":prefix": { S: prefix } },
    ConsistentRead: true,
  });
  const { Items = [] } = await new DynamoDBClient(emulator.aws).send(query);
  return Items.map((item) => itemOf(unmarshall(item)));
}

/** Returns all attributes of all items of a table, as DynamoDB stores them. */
export async function scan(options: AwsOptions, table: string): Promise<readonly Record<string, AttributeValue>[]> {
  const client = new DynamoDBClient(options);
  const items: Record<string, AttributeValue>[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true }))
    items.push(...Items);
  return items;
}

/** The partitions whose items nobody but a user, or an end of their time, removes. */
const lasting = /^(?:WORKLOAD#.*|FREEZE|QUARANTINE|CLUSTERS|INSTALLATION)$/;

/** Returns the lasting items of a table, by key. */
export async function lastingItems(options: AwsOptions, table: string): Promise<ReadonlyMap<string, Item>> {
  const items = (await scan(options, table)).map((item) => itemOf(unmarshall(item)));
  return new Map(items.filter(({ pk }) => lasting.test(pk)).map((item) => [`${item.pk} ${item.sk}`, item]));
}

/** Returns what is lost: each missing item, each record with an earlier version, and each other item that changed. */
export function lostOf(before: ReadonlyMap<string, Item>, after: ReadonlyMap<string, Item>): readonly string[] {
  return [...before].flatMap(([key, item]) => {
    const now = after.get(key);
    if (now === undefined) return [`${key} is missing`];
    const versions = [item, now].map(({ marks }) => Number(marks?.["version"] ?? 0));
    if ((versions[0] ?? 0) > (versions[1] ?? 0)) return [`${key} went back from ${versions.join(" to ")}`];
    const isFinal = /^(?:VOTE#|LOG#)/.test(item.sk) || item.pk === "FREEZE" || item.pk === "QUARANTINE";
    return isFinal && JSON.stringify(item) !== JSON.stringify(now) ? [`${key} changed`] : [];
  });
}
