/** Returns the first item of each list, then the second item of each list, and so on. */
export function inTurns<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  return lists
    .flatMap((list) => list.map((item, turn) => ({ item, turn })))
    .sort((one, other) => one.turn - other.turn)
    .map(({ item }) => item);
}
