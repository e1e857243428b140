import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { openEnvelope } from "#contracts/messages/envelope-schema";
import { countFailed, type Invocation, type QueueFunction, type QueueMessage } from "../handler.ts";
import { comingAgain } from "./failed-messages.ts";
import { beforeTheEnd, lambdaHandler, type LambdaHandler } from "./shell.ts";
import type { Wired } from "./wiring/part.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

/**
 * Runs a function for all messages of a batch concurrently.
 *
 * The response lists the messages that failed or did not end in time. They come again after the
 * pause of {@link comingAgain}, also if the whole run failed. If a message arrives early, the function
 * sends the message to its queue again.
 */
export function queueShell(run: QueueFunction, settings: FunctionSettings): LambdaHandler<SQSEvent, SQSBatchResponse> {
  const comeAgain = comingAgain(settings);
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
      const records = event.Records.filter(({ messageId }) => failed.has(messageId));
      return failedAre(await comeAgain(records, context));
    } catch (error) {
      const left = await comeAgain(event.Records, context);
      // After an error, SQS would also deliver the messages again that were sent on.
      if (left.length < event.Records.length) return failedAre(left);
      throw error;
    }
  };
}

function failedAre(records: readonly SQSRecord[]): SQSBatchResponse {
  return { batchItemFailures: records.map(({ messageId: itemIdentifier }) => ({ itemIdentifier })) };
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
