import { SendMessageBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import pLimit from "p-limit";
import { TransientError } from "#ports/errors";
import { asking } from "../aws-trouble.ts";
import { inRequests } from "../in-requests.ts";
import { type Outgoing, type Refusals, type Sender, sentTogether } from "./sender.ts";

/** @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
const hopeless = new Set(["InvalidMessageContents", "BatchRequestTooLong"]);
/** What one request takes. Source: https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html */
const most = { entries: 10, bytes: 1_048_576 } as const;
/** Requests to one queue that are in flight at once. */
const inFlight = 10;

/** Sends in as few requests as hold what is sent at about the same time. */
export function sqsSender(client: SQSClient): Sender {
  return sentTogether(async (queue, messages) => {
    const limit = pLimit(inFlight);
    const requests = inRequests(messages, ({ body }) => Buffer.byteLength(body), most);
    const refusals = await Promise.all(requests.map((request) => limit(() => sendRequest(client, queue, request))));
    return refusals.flat();
  });
}

async function sendRequest(client: SQSClient, queue: string, messages: readonly Outgoing[]): Promise<Refusals> {
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
  try {
    const { Failed: failed = [] } = await asking({ service: "SQS", doing, hopeless }, () => client.send(command));
    const codes = new Map(failed.map(({ Id, Code }) => [Id, Code ?? "unknown error"]));
    return messages.map((_, index) => {
      const code = codes.get(String(index));
      return code === undefined
        ? undefined
        : new TransientError(`SQS failed while ${doing}: it did not take one (${code})`);
    });
  } catch (error) {
    return messages.map(() => error as Error);
  }
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
