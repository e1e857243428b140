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
  const results: PromiseSettledResult<Result>[] = [];
  const left = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of left) [results[index]] = await Promise.allSettled([step(item)]);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value;
  });
}

/** Answers what all come to, as `Promise.all` does; but when some fail, all the others have ended before the first failure is thrown. */
export async function allOf<const Promises extends readonly unknown[]>(
  promises: Promises,
): Promise<{ -readonly [Place in keyof Promises]: Awaited<Promises[Place]> }> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
