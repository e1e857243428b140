import { SQSClient } from "@aws-sdk/client-sqs";
import { awsClientOptions } from "../shared/aws.ts";

/**
 * Opens a client with the environment's region and credentials. Requests go to `AWS_ENDPOINT_URL`
 * if it is set, for every queue.
 */
export function sqsClient(): SQSClient {
  return new SQSClient({ ...awsClientOptions, useQueueUrlAsEndpoint: false });
}
