import { SQSClient } from "@aws-sdk/client-sqs";
import { awsClientOptions } from "../shared/aws.ts";

/**
 * Opens a client. Region, credentials and `AWS_ENDPOINT_URL` are those of the environment; without `useQueueUrlAsEndpoint` requests go
 * to that endpoint, whatever host the URLs of the queues have.
 */
export function sqsClient(): SQSClient {
  return new SQSClient({ ...awsClientOptions, useQueueUrlAsEndpoint: false });
}
