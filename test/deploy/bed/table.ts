import { DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { itemOf } from "#adapters/dynamodb/items";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { Item } from "#ports/items";
import type { Deployment } from "./deployment.ts";

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
