import pLimit from "p-limit";

/**
 * Runs a step for every item, at most `atOnce` at a time, and answers what they came to in the order of the items.
 *
 * All are run, also when some fail; then the first failure is thrown.
 */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  step: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const limit = pLimit(atOnce);
  return allOf(items.map((item) => limit(step, item)));
}

/** Answers what all come to, as `Promise.all` does; but when some fail, all the others have ended before the first failure is thrown. */
export async function allOf<const Promises extends readonly unknown[]>(
  promises: Promises,
): Promise<{ -readonly [Place in keyof Promises]: Awaited<Promises[Place]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
