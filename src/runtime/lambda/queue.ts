import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { sqsClient } from "#adapters/sqs/client";
import { deliverAgain } from "#adapters/sqs/visibility";
import { openEnvelope } from "#contracts/messages/envelope-schema";
import { delivery, triggerOf } from "#contracts/routes";
import { countFailed, type Invocation, type QueueFunction, type QueueMessage } from "../handler.ts";
import { lambdaLog } from "./log.ts";
import { beforeTheEnd, lambdaHandler, type LambdaHandler } from "./shell.ts";
import type { Wired } from "./wiring/part.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

/**
 * Runs a function for all messages of a batch concurrently.
 *
 * The response lists the messages that failed or did not end in time. They come again after the
 * pause of {@link delivery}, also if the whole run failed. If a message arrives early, the function
 * sends the message to its queue again.
 */
export function queueShell(run: QueueFunction, settings: FunctionSettings): LambdaHandler<SQSEvent, SQSBatchResponse> {
  const comeAgain = returningSoon(settings);
  const handler = lambdaHandler<SQSEvent, SQSBatchResponse>(settings, async ({ Records }, invocation, wired) => {
    const failed = await Promise.all(
      Records.map(async ({ messageId: id, body }) =>
        (await runOne({ id, body }, run, invocation, wired)) === "again" ? [{ itemIdentifier: id }] : [],
      ),
    );
    countFailed(failed.flat().length, settings.name, wired);
    return { batchItemFailures: failed.flat() };
  });
  return async (event, context) => {
    try {
      const answer = await handler(event, context);
      const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
      await comeAgain(
        event.Records.filter(({ messageId }) => failed.has(messageId)),
        context,
      );
      return answer;
    } catch (error) {
      await comeAgain(event.Records, context);
      throw error;
    }
  };
}

async function runOne(
  { id, body }: QueueMessage,
  run: QueueFunction,
  invocation: Invocation,
  wired: Wired,
): Promise<"done" | "again"> {
  try {
    const envelope = openEnvelope(body);
    if (envelope !== undefined && (await wired.again(envelope))) {
      invocation.log.outcome({ id, outcome: { kind: "early" } });
      return "done";
    }
    return await beforeTheEnd(run({ id, body: envelope?.body ?? body }, invocation), invocation.signal);
  } catch (error) {
    invocation.log.failure({ id, error });
    return "again";
  }
}

/** The longest time for the visibility timeouts. The response needs the rest of the run. */
const mostMs = 1_000;
const forTheResponseMs = 200;

/**
 * Returns a function that lets failed messages come again soon. It never rejects: without it, they
 * come again after the visibility timeout of their queue. Dead letters keep this timeout, because SQS
 * keeps them for a user after their last delivery.
 */
function returningSoon({ name }: FunctionSettings) {
  const isDeadLetter = triggerOf(name)?.kind === "dead-letter";
  let client: ReturnType<typeof sqsClient> | undefined;
  const logOf = lambdaLog(name);
  return async (records: readonly SQSRecord[], context: Context): Promise<void> => {
    const [first] = records;
    const leftMs = Math.min(mostMs, context.getRemainingTimeInMillis() - forTheResponseMs);
    if (isDeadLetter || first === undefined || leftMs <= 0) return;
    try {
      client ??= sqsClient();
      await deliverAgain(client, first.eventSourceARN, records.map(returned), AbortSignal.timeout(leftMs));
    } catch (error) {
      logOf(context.awsRequestId).failure({ id: name, error });
    }
  };
}

/** Returns when a message is delivered again. After its last delivery, SQS moves it at once. */
function returned({ receiptHandle, attributes: { ApproximateReceiveCount: count } }: SQSRecord) {
  const receives = Math.max(1, Number(count) || 1);
  return { receiptHandle, afterSeconds: delivery.stackRetrySeconds[receives - 1] ?? 0 };
}
