import { SendMessageBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import pLimit from "p-limit";
import { TransientError } from "#ports/errors";
import { asking } from "../shared/aws-errors.ts";
import { inRequests } from "../shared/request-limits.ts";

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
/** What one request takes. Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
const most = { entries: 10, bytes: 1_048_576 } as const;
/** Requests of one call that are in flight at once. */
const inFlight = 10;

/** Sends the messages of one call in as few requests as hold them. A failed request stops no other. */
export function sqsSender(client: SQSClient): Sender {
  return async (queue, messages) => {
    const limit = pLimit(inFlight);
    const requests = inRequests(messages, ({ body }) => Buffer.byteLength(body), most);
    const sent = await Promise.allSettled(requests.map((request) => limit(() => sendRequest(client, queue, request))));
    for (const one of sent) if (one.status === "rejected") throw one.reason;
  };
}

async function sendRequest(client: SQSClient, queue: string, messages: readonly Outgoing[]): Promise<void> {
  const doing = `sending ${messages.length} messages to ${nameOf(queue)}`;
  const command = new SendMessageBatchCommand({
    QueueUrl: queue,
    Entries: messages.map(({ body, group, delaySeconds = 0 }, index) => ({
      Id: String(index),
      MessageBody: body,
      ...(group === "" ? {} : { MessageGroupId: groupId(group) }),
      ...(delaySeconds === 0 ? {} : { DelaySeconds: delaySeconds }),
    })),
  });
  const { Failed: failed = [] } = await asking({ service: "SQS", doing, hopeless }, () => client.send(command));
  const [first] = failed;
  if (first === undefined) return;
  const code = first.Code ?? "unknown error";
  throw new TransientError(`SQS failed while ${doing}: it did not take one (${code})`);
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
