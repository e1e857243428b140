import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type AwsRefusal, refusalOr } from "../shared/aws-errors.ts";
import { type CallerOptions, callerPatience } from "../shared/aws.ts";

/** A queue, and how many messages are in it, about. */
export interface WaitingIn {
  readonly url: string;
  readonly messages: number;
}

/** Counts the messages of queues; in the order that they were given. */
export async function countMessages(
  urls: readonly string[],
  options: CallerOptions,
): Promise<{ readonly kind: "counted"; readonly queues: readonly WaitingIn[] } | AwsRefusal> {
  const client = new SQSClient({ ...callerPatience, ...options, useQueueUrlAsEndpoint: false });
  return refusalOr(async () => {
    const queues = await Promise.all(urls.map((url) => count(client, url)));
    return { kind: "counted" as const, queues };
  }).finally(() => client.destroy());
}

async function count(client: SQSClient, url: string): Promise<WaitingIn> {
  const { Attributes: attributes = {} } = await client.send(
    new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["ApproximateNumberOfMessages"] }),
  );
  return { url, messages: Number(attributes.ApproximateNumberOfMessages ?? 0) };
}
