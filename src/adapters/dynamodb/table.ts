import { setTimeout as pause } from "node:timers/promises";
import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { tableShape } from "#contracts/table";
import { PermanentError, TransientError } from "#ports/errors";
import type { DynamoTable } from "./client.ts";
import { toPortError } from "./errors.ts";

const looks = 60;
const msAtFirst = 5;
const msAtMost = 1_000;

const { dueIndex, expiryAttribute } = tableShape;

interface Keys {
  readonly partitionKey: string;
  readonly sortKey: string;
}

const keySchema = ({ partitionKey, sortKey }: Keys): CreateTableCommandInput["KeySchema"] => [
  { AttributeName: partitionKey, KeyType: "HASH" },
  { AttributeName: sortKey, KeyType: "RANGE" },
];
const keyText = ({ partitionKey, sortKey }: Keys): string => `${partitionKey}+${sortKey}`;

/** The table that the adapters need: keys, the sparse index, nothing else. What runs on AWS is deployed with the same shape. */
const shape = {
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [tableShape, dueIndex]
    .flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey])
    .map((name) => ({ AttributeName: name, AttributeType: "S" })),
  KeySchema: keySchema(tableShape),
  GlobalSecondaryIndexes: [
    { IndexName: dueIndex.name, KeySchema: keySchema(dueIndex), Projection: { ProjectionType: "KEYS_ONLY" } },
  ],
} satisfies Omit<CreateTableCommandInput, "TableName">;

/**
 * Makes sure that the table is there, and makes it where it is not: for local use, several at once are fine.
 *
 * @throws PermanentError for a table of that name with other keys, or without the index.
 */
export async function ensureDynamoTable(where: DynamoTable): Promise<void> {
  const { table } = where;
  const doing = `making sure that the table ${table} exists`;
  try {
    const found = (await describeTable(where)) ?? (await createTable(where));
    if (found) refuseOtherShape(table, found);
    await waitUntilActive(where, found);
    await expireItems(where);
  } catch (error) {
    throw toPortError(error, doing);
  }
}

/** Removes the table with all that is in it; one that is not there is fine. */
export async function dropDynamoTable({ client, table }: DynamoTable): Promise<void> {
  try {
    await client.send(new DeleteTableCommand({ TableName: table }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw toPortError(error, `dropping the table ${table}`);
  }
}

async function waitUntilActive(where: DynamoTable, found: TableDescription | undefined): Promise<void> {
  let status = found?.TableStatus;
  for (let look = 0; look < looks; look++) {
    if (status === "ACTIVE" || status === "UPDATING") return;
    await pause(Math.min(msAtFirst * 2 ** look, msAtMost));
    status = (await describeTable(where))?.TableStatus;
  }
  throw new TransientError(`the table ${where.table} is still ${status ?? "missing"} after ${looks} looks`);
}

async function describeTable({ client, table }: DynamoTable): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: table }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function createTable({ client, table }: DynamoTable): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new CreateTableCommand({ TableName: table, ...shape }))).TableDescription;
  } catch (error) {
    if (error instanceof ResourceInUseException) return describeTable({ client, table });
    throw error;
  }
}

function refuseOtherShape(table: string, found: TableDescription): void {
  const index = found.GlobalSecondaryIndexes?.find(({ IndexName }) => IndexName === dueIndex.name);
  const keys = [found.KeySchema, index?.KeySchema].map((schema) => schema?.map((key) => key.AttributeName).join("+"));
  if (keys[0] === keyText(tableShape) && keys[1] === keyText(dueIndex)) return;
  throw new PermanentError(
    `the table ${table} is not Lookout's: expected the keys ${keyText(tableShape)} and an index ${dueIndex.name} with ${keyText(dueIndex)}, ` +
      `found ${keys[0] ?? "none"} and ${keys[1] ?? "no such index"}; name another table`,
  );
}

async function expireItems({ client, table }: DynamoTable): Promise<void> {
  const { TimeToLiveDescription: now } = await client.send(new DescribeTimeToLiveCommand({ TableName: table }));
  if (now?.TimeToLiveStatus === "ENABLED" || now?.TimeToLiveStatus === "ENABLING") return;
  const wanted = { Enabled: true, AttributeName: expiryAttribute };
  await client.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification: wanted }));
}
