import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

/** A connection to DynamoDB and the table that everything is stored in. */
export interface DynamoTable {
  readonly client: DynamoDBDocumentClient;
  readonly table: string;
}

/** Where DynamoDB answers. */
export interface DynamoEndpoint {
  /** URL of an engine that speaks DynamoDB's protocol; absent: AWS, with the region and credentials of the environment. */
  readonly endpoint?: string;
}

/**
 * Opens a client with short timeouts: one second to connect, five for a request, three attempts.
 *
 * An engine at an endpoint gets a region and credentials that mean nothing: it checks neither.
 * Connections are kept alive. The caller calls `destroy()` at the end.
 */
export function dynamoClient({ endpoint }: DynamoEndpoint = {}): DynamoDBDocumentClient {
  const local = { region: "us-east-1", credentials: { accessKeyId: "local", secretAccessKey: "local" } };
  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { ...local, endpoint }),
    maxAttempts: 3,
    // Without `throwOnRequestTimeout` a request that takes too long is logged and goes on for ever.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}
