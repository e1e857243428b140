import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { openEnvelope } from "#contracts/messages/envelope-schema";
import type { Invocation, QueueFunction, QueueMessage } from "../handler.ts";
import { beforeTheEnd, lambdaHandler, type LambdaHandler } from "./shell.ts";
import type { Wired } from "./wiring/part.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

/**
 * Runs a function for all messages of a batch concurrently.
 *
 * The response lists the messages that failed or did not end in time. If a message arrives early,
 * the function sends the message to its queue again.
 */
export function queueShell(run: QueueFunction, settings: FunctionSettings): LambdaHandler<SQSEvent, SQSBatchResponse> {
  return lambdaHandler(settings, async ({ Records }, invocation, wired) => {
    const failed = await Promise.all(
      Records.map(async ({ messageId: id, body }) =>
        (await runOne({ id, body }, run, invocation, wired)) === "again" ? [{ itemIdentifier: id }] : [],
      ),
    );
    return { batchItemFailures: failed.flat() };
  });
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
