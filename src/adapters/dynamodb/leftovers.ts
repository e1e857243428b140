import { setTimeout as pause } from "node:timers/promises";
import { TransientError } from "#ports/errors";

/** So many rounds in a row may do nothing. */
const mostIdleRounds = 6;

/**
 * Repeats the part of a batch that DynamoDB left. It leaves a part when it is throttled, or when
 * the answer would be too large.
 *
 * @param round - asks for the remaining part, and returns the part that DynamoDB left.
 * @param problem - says for people that so many are left.
 * @throws TransientError with the problem, after six rounds in a row that did nothing.
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
