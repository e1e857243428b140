/**
 * Does the same for every item, for at most `atOnce` of them at a time.
 *
 * @returns the answers in the order of the items.
 * @throws the first error; what was begun goes on, nothing else is begun by who failed.
 */
export async function inParallel<Item, Answer>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<Answer>,
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  // All take from one iterator, so that each item is taken once.
  const rest = items.entries();
  const takeAll = async (): Promise<void> => {
    for (const [index, item] of rest) answers[index] = await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, takeAll));
  return answers;
}
