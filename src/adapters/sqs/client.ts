import { SQSClient } from "@aws-sdk/client-sqs";

/**
 * Opens a client with short timeouts: one second to connect, five for a request, three attempts.
 *
 * Region, credentials and `AWS_ENDPOINT_URL` are those of the environment. Without `useQueueUrlAsEndpoint` requests go to that endpoint,
 * whatever host the URLs of the queues have.
 */
export function sqsClient(): SQSClient {
  return new SQSClient({
    maxAttempts: 3,
    useQueueUrlAsEndpoint: false,
    // Without `throwOnRequestTimeout` a request that takes too long is logged and goes on for ever.
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
  });
}
