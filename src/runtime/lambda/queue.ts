import type { SQSEvent } from "aws-lambda";
import { openEnvelope } from "#contracts/messages/envelope-schema";
import type { BatchResponse, Invocation, QueueFunction } from "../handler.ts";
import { beforeTheEnd, lambdaHandler, type LambdaHandler } from "./shell.ts";
import type { Wired } from "./wiring/part.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

/**
 * Runs a function for the batches of its queue.
 *
 * Each message is run by itself, all at once. What came before its time is sent again; what failed, or did not end in time, is listed, and
 * comes again.
 */
export function queueShell(run: QueueFunction, settings: FunctionSettings): LambdaHandler<SQSEvent, BatchResponse> {
  return lambdaHandler(settings, async ({ Records }, invocation, wired) => {
    const failed = await Promise.all(
      Records.map(async ({ messageId, body }) =>
        (await isDone(messageId, body, { run, invocation, wired })) ? [] : [{ itemIdentifier: messageId }],
      ),
    );
    return { batchItemFailures: failed.flat() };
  });
}

interface Running {
  readonly run: QueueFunction;
  readonly invocation: Invocation;
  readonly wired: Wired;
}

async function isDone(id: string, text: string, { run, invocation, wired }: Running): Promise<boolean> {
  try {
    const envelope = openEnvelope(text);
    if (envelope !== undefined && (await wired.again(envelope))) {
      invocation.log.outcome({ id, outcome: { kind: "early" } });
      return true;
    }
    const event = { Records: [{ messageId: id, body: envelope?.body ?? text }] };
    const { batchItemFailures } = await beforeTheEnd(run(event, invocation), invocation.signal);
    return batchItemFailures.length === 0;
  } catch (error) {
    invocation.log.failure({ id, error });
    return false;
  }
}
