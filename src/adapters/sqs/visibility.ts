import { ChangeMessageVisibilityBatchCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { TransientError } from "#ports/errors";
import { withPortErrors } from "../shared/aws-errors.ts";
import { queueUrlOf } from "./queue-url.ts";

/** A received message that is to be delivered again. */
export interface Returned {
  readonly receiptHandle: string;
  /** The pause before the next delivery, in whole seconds. */
  readonly afterSeconds: number;
}

/** The longest batch of a run. @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_ChangeMessageVisibilityBatch.html */
const mostEntries = 10;

/**
 * Lets SQS deliver messages again after a pause, instead of after the visibility timeout of their
 * queue.
 *
 * @param queueArn - the queue of all messages
 * @throws TransientError if a message keeps its timeout
 */
export async function deliverAgain(
  client: SQSClient,
  queueArn: string,
  messages: readonly Returned[],
  signal: AbortSignal,
): Promise<void> {
  const name = queueArn.split(":").at(-1) ?? "";
  const doing = `shortening the visibility timeout of ${messages.length} messages of ${name}`;
  for (let from = 0; from < messages.length; from += mostEntries) {
    const command = new ChangeMessageVisibilityBatchCommand({
      QueueUrl: queueUrlOf(queueArn),
      Entries: messages.slice(from, from + mostEntries).map(({ receiptHandle, afterSeconds }, index) => ({
        Id: String(index),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: afterSeconds,
      })),
    });
    const { Failed: failed = [] } = await withPortErrors({ service: "SQS", doing, permanent: new Set() }, () =>
      client.send(command, { abortSignal: signal }),
    );
    const [first] = failed;
    if (first !== undefined) throw new TransientError(`SQS failed while ${doing} (${first.Code ?? "unknown error"})`);
  }
}
