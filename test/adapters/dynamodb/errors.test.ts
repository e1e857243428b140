import { ResourceNotFoundException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { asking } from "#adapters/dynamodb/errors";
import { PermanentError, TransientError } from "#ports/errors";

const cancelled = (...codes: readonly string[]): Error =>
  new TransactionCanceledException({
    ...{ message: "cancelled", $metadata: {} },
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

describe("a refusal of DynamoDB", () => {
  it.each([
    {
      because: "may be taken another time when a transaction lost a race",
      error: cancelled("None", "TransactionConflict"),
      thrown: new TransientError(
        "DynamoDB failed while storing it (TransactionCanceledException, None, TransactionConflict)",
      ),
    },
    {
      because: "is never taken when one part of a transaction is wrong in itself",
      error: cancelled("None", "ValidationError"),
      thrown: new PermanentError(
        "DynamoDB failed while storing it (TransactionCanceledException, None, ValidationError); AWS rejects the request, and a retry can't help",
      ),
    },
    {
      because: "may be taken another time when the table is not there",
      error: new ResourceNotFoundException({ message: "no", $metadata: {} }),
      thrown: new TransientError("DynamoDB failed while storing it (ResourceNotFoundException)"),
    },
    {
      because: "stays as it is when it was understood before",
      error: new PermanentError("it is too large"),
      thrown: new PermanentError("it is too large"),
    },
  ])("$because", async ({ error, thrown }) => {
    const failed = await asking("storing it", () => Promise.reject(error)).catch((reason: unknown) => reason);

    expect(failed).toBeInstanceOf(thrown.constructor);
    expect((failed as Error).message).toBe(thrown.message);
  });
});
