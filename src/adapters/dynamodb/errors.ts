import { ConditionalCheckFailedException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import type { PermanentError, TransientError } from "#ports/errors";
import { type AwsCall, cancellationsOf, portErrorOf, withPortErrors } from "../shared/aws-errors.ts";

const permanent: ReadonlySet<string> = new Set([
  ...["ValidationException", "SerializationException", "ItemCollectionSizeLimitExceededException"],
  // Errors of the parts of a transaction:
  ...["ValidationError", "ItemCollectionSizeLimitExceeded"],
]);

const askingTable = (doing: string): AwsCall => ({ service: "DynamoDB", doing, permanent });

/**
 * Returns whether DynamoDB rejected a write, or any part of a transaction, because its condition
 * did not hold.
 */
export function conditionFailed(error: unknown): boolean {
  return error instanceof ConditionalCheckFailedException || cancellationsOf(error).includes("ConditionalCheckFailed");
}

/**
 * Returns whether a write did not happen only because another write of the same item ran at the same
 * moment. The conditions of such a write were not judged.
 */
export function conflicted(error: unknown): boolean {
  return (
    error instanceof TransactionConflictException ||
    (cancellationsOf(error).includes("TransactionConflict") && !conditionFailed(error))
  );
}

/**
 * Converts an error of DynamoDB into an error of the port, as {@link portErrorOf} does. A
 * transaction conflict is transient.
 *
 * @param doing - the action and its object: `reading the record of prod/shop/deployment/api`
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html
 */
export function toPortError(error: unknown, doing: string): TransientError | PermanentError {
  return portErrorOf(error, askingTable(doing));
}

/** Runs a call of the client, and converts its error with {@link toPortError}. */
export function asking<Answer>(doing: string, call: () => Promise<Answer>): Promise<Answer> {
  return withPortErrors(askingTable(doing), call);
}

/** Runs a conditional write. Returns false when its condition did not hold. */
export async function putIf(doing: string, write: () => Promise<unknown>): Promise<boolean> {
  return asking(doing, async () => {
    try {
      await write();
      return true;
    } catch (error) {
      if (conditionFailed(error)) return false;
      throw error;
    }
  });
}
