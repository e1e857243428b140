import { type MessageAttributeValue, SendMessageBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import pLimit from "p-limit";
import { TransientError } from "#ports/errors";
import { withPortErrors } from "../shared/aws-errors.ts";
import { inRequests } from "../shared/request-limits.ts";

/** One message to send. */
export interface Outgoing {
  readonly body: string;
  /** The message group of the fair queue. Empty if there is no group. */
  readonly group: string;
  /** The delay in whole seconds, at most 900. */
  readonly delaySeconds?: number;
  /** Texts for people and their tools, by their names. */
  readonly attributes?: Readonly<Record<string, string>>;
}

/**
 * Sends messages to the queue of a URL, or throws. After a throw, some messages may have been sent.
 * The list may be empty.
 */
export type Sender = (queue: string, messages: readonly Outgoing[]) => Promise<void>;

const permanent = new Set(["InvalidMessageContents", "BatchRequestTooLong"]);
/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
const most = { entries: 10, bytes: 1_048_576 } as const;
const requestsAtOnce = 10;

/**
 * Returns a sender that uses as few requests as possible. A failed request does not stop the
 * others.
 *
 * @param signal - aborts the requests. Absent if they have no other limit than the client's.
 */
export function sqsSender(client: SQSClient, signal?: AbortSignal): Sender {
  return async (queue, messages) => {
    const limit = pLimit(requestsAtOnce);
    const requests = inRequests(messages, ({ body }) => Buffer.byteLength(body), most);
    const sent = await Promise.allSettled(
      requests.map((request) => limit(() => sendRequest({ client, signal }, queue, request))),
    );
    for (const one of sent) if (one.status === "rejected") throw one.reason;
  };
}

async function sendRequest(
  { client, signal }: { readonly client: SQSClient; readonly signal: AbortSignal | undefined },
  queue: string,
  messages: readonly Outgoing[],
): Promise<void> {
  const doing = `sending ${messages.length} messages to ${queue.slice(queue.lastIndexOf("/") + 1)}`;
  const command = new SendMessageBatchCommand({
    QueueUrl: queue,
    Entries: messages.map(({ body, group, delaySeconds = 0, attributes }, index) => ({
      Id: String(index),
      MessageBody: body,
      ...(group === "" ? {} : { MessageGroupId: groupId(group) }),
      ...(delaySeconds === 0 ? {} : { DelaySeconds: delaySeconds }),
      ...(attributes === undefined ? {} : { MessageAttributes: attributesOf(attributes) }),
    })),
  });
  const { Failed: failed = [] } = await withPortErrors({ service: "SQS", doing, permanent }, () =>
    client.send(command, signal === undefined ? {} : { abortSignal: signal }),
  );
  const [first] = failed;
  if (first === undefined) return;
  const code = first.Code ?? "unknown error";
  throw new TransientError(`SQS failed while ${doing}: it rejected a message (${code})`);
}

function attributesOf(texts: Readonly<Record<string, string>>): Record<string, MessageAttributeValue> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, { DataType: "String", StringValue: text }]),
  );
}

/**
 * Returns a valid group id: at most 128 letters, digits and punctuation marks of ASCII.
 *
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessage.html
 */
function groupId(group: string): string {
  return group.replaceAll(/[^!-~]/g, "_").slice(0, 128);
}
