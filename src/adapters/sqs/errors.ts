import { PermanentError, TransientError } from "#ports/errors";

/** Requests that stay wrong however often they are sent. A missing queue and denied access are not among them: a person mends those. */
const hopeless = new Set(["InvalidMessageContents", "BatchRequestTooLong"]);

/**
 * Runs a call of the client; what is unknown is transient, and the error itself is kept as the cause.
 *
 * @param doing - what was tried with which queue: `sending 3 messages to lookout-wake`
 * @see https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
 */
export async function asking<Answer>(doing: string, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    const name = error instanceof Error ? error.name : "unknown error";
    const message = `SQS failed while ${doing} (${name})`;
    throw hopeless.has(name)
      ? new PermanentError(message, { cause: error })
      : new TransientError(message, { cause: error });
  }
}
