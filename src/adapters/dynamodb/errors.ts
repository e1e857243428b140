import { ConditionalCheckFailedException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { PermanentError, TransientError } from "#ports/errors";

/** Requests that stay wrong however often they are sent. Denied access and a missing table are not among them: a person mends those, and then the same work can be done. */
const hopeless = new Set(["ValidationException", "SerializationException", "ItemCollectionSizeLimitExceededException"]);
const hopelessReasons = new Set(["ValidationError", "ItemCollectionSizeLimitExceeded"]);

/** Says whether a write, or any part of a transaction, was refused because its condition did not hold. */
export function conditionFailed(error: unknown): boolean {
  if (error instanceof TransactionCanceledException) return reasonsOf(error).includes("ConditionalCheckFailed");
  return error instanceof ConditionalCheckFailedException;
}

/** Says whether a transaction lost a race against another that wrote one of its items at the same moment. */
export function lostRace(error: unknown): boolean {
  return error instanceof TransactionCanceledException && reasonsOf(error).includes("TransactionConflict");
}

/**
 * Says what an error of DynamoDB means for the caller; the error itself is kept as the cause.
 *
 * What is unknown is transient. So are denied access, an unknown table and a lost race against another transaction.
 *
 * @param doing - what was tried with which object: `reading the record of prod/shop/deployment/api`
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
 */
export function toPortError(error: unknown, doing: string): TransientError | PermanentError {
  if (error instanceof TransientError || error instanceof PermanentError) return error;
  const name = error instanceof Error ? error.name : "unknown error";
  const reasons = error instanceof TransactionCanceledException ? reasonsOf(error) : [];
  const because = reasons.length === 0 ? name : `${name}: ${reasons.join(", ")}`;
  const message = `DynamoDB failed while ${doing} (${because})`;
  return hopeless.has(name) || reasons.some((reason) => hopelessReasons.has(reason))
    ? new PermanentError(`${message}; the request is refused as it is`, { cause: error })
    : new TransientError(message, { cause: error });
}

/** Runs a call of the client and throws what {@link toPortError} makes of its error. */
export async function asking<Answer>(doing: string, call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    throw toPortError(error, doing);
  }
}

/** Runs a conditional write; false when its condition did not hold. */
export async function putIf(doing: string, write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    if (conditionFailed(error)) return false;
    throw toPortError(error, doing);
  }
}

const reasonsOf = (error: TransactionCanceledException): readonly string[] =>
  (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None");
