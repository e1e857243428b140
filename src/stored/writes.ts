import type { Condition, Item, ItemKey, Items } from "#ports/items";

/** Stores an item, in place of any item with the same key. */
export async function put(items: Items, item: Item, doing: string): Promise<void> {
  await items.write([{ kind: "put", item }], doing);
}

/** Stores an item if a condition holds. Returns whether it was stored. */
export async function putIf(items: Items, item: Item, condition: Condition, doing: string): Promise<boolean> {
  return (await items.write([{ kind: "put", item, if: condition }], doing)).kind === "written";
}

/**
 * Removes an item. Returns false when the item did not exist.
 *
 * The item is read first, because a removal that a client repeats after a lost answer would find
 * nothing.
 */
export async function remove(items: Items, key: ItemKey, doing: string): Promise<boolean> {
  if ((await items.get(key, doing)) === undefined) return false;
  await items.write([{ kind: "remove", key }], doing);
  return true;
}
