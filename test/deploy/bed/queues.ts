import {
  GetQueueAttributesCommand,
  ListQueuesCommand,
  type QueueAttributeName,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import type { AwsOptions } from "./emulator.ts";

/** The queues of a stack, for an operator. A unique part of its name identifies a queue. */
export interface StackQueues {
  names(): Promise<readonly string[]>;
  /** Sends messages in one batch. */
  send(queue: RegExp, ...bodies: readonly string[]): Promise<void>;
  /** Sets the visibility timeout of a queue. */
  hideFor(queue: RegExp, seconds: number): Promise<void>;
  /** Returns the number of kept messages. */
  kept(): Promise<number>;
  /** Returns the messages of a queue without deleting them. */
  read(queue: RegExp): Promise<readonly string[]>;
}

/** The counts of the visible and of the hidden messages of a queue. */
const messageCounts: QueueAttributeName[] = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"];

/** Returns the queues of a stack. */
export function queuesOf(options: AwsOptions, stack: string): StackQueues {
  const client = new SQSClient(options);
  const urls = async (): Promise<readonly string[]> =>
    (await client.send(new ListQueuesCommand({ QueueNamePrefix: `${stack}-` }))).QueueUrls ?? [];
  const urlOf = async (queue: RegExp): Promise<string> => {
    const [url, ...others] = (await urls()).filter((candidate) => queue.test(candidate));
    if (url === undefined || others.length > 0)
      throw new Error(`${String(queue)} does not match exactly one queue of ${stack}`);
    return url;
  };
  return {
    names: async () => (await urls()).map((url) => url.split("/").at(-1) ?? ""),
    async send(queue, ...bodies) {
      const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
      await client.send(new SendMessageBatchCommand({ QueueUrl: await urlOf(queue), Entries }));
    },
    async hideFor(queue, seconds) {
      const Attributes = { VisibilityTimeout: String(seconds) };
      await client.send(new SetQueueAttributesCommand({ QueueUrl: await urlOf(queue), Attributes }));
    },
    async kept() {
      const asked = { QueueUrl: await urlOf(/Kept/), AttributeNames: messageCounts };
      const { Attributes = {} } = await client.send(new GetQueueAttributesCommand(asked));
      return messageCounts.map((name) => Number(Attributes[name])).reduce((sum, one) => sum + one, 0);
    },
    async read(queue) {
      const asked = { QueueUrl: await urlOf(queue), MaxNumberOfMessages: 10, VisibilityTimeout: 0 };
      const { Messages = [] } = await client.send(new ReceiveMessageCommand(asked));
      return Messages.map(({ Body = "" }) => Body);
    },
  };
}
