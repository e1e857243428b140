import { setTimeout as pause } from "node:timers/promises";
import { TransientError } from "#ports/errors";

/** The maximum number of consecutive rounds without progress. */
const mostIdleRounds = 6;

/**
 * Sends the part of a batch again that DynamoDB did not process. DynamoDB omits a part when it
 * throttles, or when the answer would be too large.
 *
 * @param round - sends the remaining part, and returns the part that DynamoDB did not process.
 * @param problem - returns the error text for a number of remaining requests.
 * @throws TransientError with the problem, after six consecutive rounds without progress.
 */
export async function untilNoneLeft<Request>(
  batch: readonly Request[],
  round: (left: readonly Request[]) => Promise<readonly Request[]>,
  problem: (left: number) => string,
): Promise<void> {
  let left = batch;
  for (let idleRounds = 0; left.length > 0;) {
    const undone = await round(left);
    idleRounds = undone.length < left.length ? 0 : idleRounds + 1;
    if (idleRounds === mostIdleRounds) throw new TransientError(problem(undone.length));
    if (idleRounds > 0) await pause(25 * 2 ** idleRounds);
    left = undone;
  }
}
