/**
 * The largest number of entries of a list, and the largest number of characters of all entries
 * together.
 */
export interface ListLimit {
  readonly entries: number;
  readonly characters: number;
}

/** Returns the items before the first item that exceeds a limit. */
export function firstThatFit<Item>(
  items: readonly Item[],
  charactersOf: (item: Item) => number,
  limit: ListLimit,
): readonly Item[] {
  const fitting: Item[] = [];
  let characters = 0;
  for (const item of items) {
    characters += charactersOf(item);
    if (fitting.length === limit.entries || characters > limit.characters) break;
    fitting.push(item);
  }
  return fitting;
}
