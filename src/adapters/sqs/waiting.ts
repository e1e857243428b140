import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type AwsRefusal, callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";

/** A queue and its approximate number of messages. */
export interface WaitingIn {
  readonly url: string;
  readonly messages: number;
}

/** Counts the messages of queues, in the given order. */
export async function countMessages(
  urls: readonly string[],
  options: UserOptions,
): Promise<{ readonly kind: "counted"; readonly queues: readonly WaitingIn[] } | AwsRefusal> {
  const client = new SQSClient({ ...userClientOptions, ...options, useQueueUrlAsEndpoint: false });
  return callOnce(client, async () => {
    const queues = await Promise.all(urls.map((url) => count(client, url)));
    return { kind: "counted" as const, queues };
  });
}

async function count(client: SQSClient, url: string): Promise<WaitingIn> {
  const { Attributes: attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["ApproximateNumberOfMessages"] }),
  );
  return { url, messages: Number(attributes.ApproximateNumberOfMessages ?? 0) };
}
