import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type AwsRefusal, callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";

/** The approximate number of messages of a queue. */
export interface WaitingMessages {
  readonly kind: "counted";
  readonly messages: number;
}

/** Counts the messages of the queue of a URL. */
export async function countMessages(url: string, options: UserOptions): Promise<WaitingMessages | AwsRefusal> {
  const client = new SQSClient({ ...userClientOptions, ...options, useQueueUrlAsEndpoint: false });
  return callOnce(client, async () => {
    const { Attributes: attributes = {} } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["ApproximateNumberOfMessages"] }),
    );
    return { kind: "counted" as const, messages: Number(attributes.ApproximateNumberOfMessages ?? 0) };
  });
}
