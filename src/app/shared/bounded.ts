import pLimit from "p-limit";

/**
 * Runs a step for every item, at most `atOnce` at a time. Returns the results in the order of the
 * items.
 *
 * All steps run, even if some fail. Then the first failure is thrown.
 */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  atOnce: number,
  step: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const limit = pLimit(atOnce);
  return allOf(items.map((item) => limit(step, item)));
}

/**
 * Returns all results, as `Promise.all` does. A failure is thrown after all promises have ended.
 */
export async function allOf<const Promises extends readonly unknown[]>(
  promises: Promises,
): Promise<{ -readonly [Place in keyof Promises]: Awaited<Promises[Place]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
