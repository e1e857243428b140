import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { awsClientOptions } from "../aws.ts";

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
 * Opens a client.
 *
 * An engine at an endpoint gets a region, credentials and a signature that mean nothing: it checks none of them.
 * Connections are kept alive. The caller calls `destroy()` at the end.
 */
export function dynamoClient({ endpoint }: DynamoEndpoint = {}): DynamoDBDocumentClient {
  const local = {
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    signer: { sign: signedAlike },
  };
  const client = new DynamoDBClient({
    ...(endpoint === undefined ? {} : { ...local, endpoint }),
    ...awsClientOptions,
  });
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** Signing costs a seventh of this client's processor time, and such an engine wants to see no more than the form of it. */
function signedAlike<Request extends { readonly headers: Record<string, string> }>(request: Request): Promise<Request> {
  const day = "20260101";
  const scope = `local/${day}/us-east-1/dynamodb/aws4_request`;
  request.headers["x-amz-date"] = `${day}T000000Z`;
  request.headers.authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host;x-amz-date, Signature=${"0".repeat(64)}`;
  return Promise.resolve(request);
}
