import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { awsClientOptions } from "../shared/aws.ts";

/** A connection to DynamoDB, and the name of Lookout's table. */
export interface DynamoTable {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}

/**
 * Opens a client with the region and credentials of the environment. Connections are kept alive.
 * The caller calls `destroy()` at the end.
 *
 * @param settings - settings that replace the defaults.
 */
export function dynamoClient(settings: DynamoDBClientConfig = {}): DynamoDBDocumentClient {
  const client = new DynamoDBClient({ ...awsClientOptions, ...settings });
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** One write of a transaction. */
export type TransactionPart = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
