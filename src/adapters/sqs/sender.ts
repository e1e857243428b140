import { SendMessageBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import pLimit from "p-limit";
import { TransientError } from "#ports/errors";
import { asking } from "../aws-trouble.ts";

/** One message to send. */
export interface Outgoing {
  readonly body: string;
  /** The group of the fair queue; empty: none. */
  readonly group: string;
  /** Whole seconds, at most 900. */
  readonly delaySeconds?: number;
}

/** Sends messages to the queue of a URL: all, or it throws, and some may have been sent. An empty list is fine. */
export type Sender = (queue: string, messages: readonly Outgoing[]) => Promise<void>;

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
const hopeless = new Set(["InvalidMessageContents", "BatchRequestTooLong"]);
/** Messages of one request. Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
const batchSize = 10;
/** Requests of one call that are in flight at once. */
const inFlight = 10;

/** Sends in batches. */
export function sqsSender(client: SQSClient): Sender {
  return async (queue, messages) => {
    const limit = pLimit(inFlight);
    const batches = Array.from({ length: Math.ceil(messages.length / batchSize) }, (_, index) =>
      messages.slice(index * batchSize, (index + 1) * batchSize),
    );
    await Promise.all(batches.map((batch) => limit(() => sendBatch(client, queue, batch))));
  };
}

async function sendBatch(client: SQSClient, queue: string, batch: readonly Outgoing[]): Promise<void> {
  const doing = `sending ${batch.length} messages to ${nameOf(queue)}`;
  const command = new SendMessageBatchCommand({
    QueueUrl: queue,
    Entries: batch.map(({ body, group, delaySeconds = 0 }, index) => ({
      Id: String(index),
      MessageBody: body,
      ...(group === "" ? {} : { MessageGroupId: groupId(group) }),
      ...(delaySeconds === 0 ? {} : { DelaySeconds: delaySeconds }),
    })),
  });
  const { Failed: failed = [] } = await asking({ service: "SQS", doing, hopeless }, () => client.send(command));
  if (failed.length === 0) return;
  const codes = [...new Set(failed.map(({ Code }) => Code ?? "unknown error"))].join(", ");
  throw new TransientError(`SQS failed while ${doing}: ${failed.length} were not taken (${codes})`);
}

/**
 * The form of a group: at most 128 letters, digits and punctuation of ASCII. A group only says who shares a queue fairly with whom.
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
function groupId(group: string): string {
  return group.replaceAll(/[^!-~]/g, "_").slice(0, 128);
}

function nameOf(queue: string): string {
  return queue.slice(queue.lastIndexOf("/") + 1);
}
