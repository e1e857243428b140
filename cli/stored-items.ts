import type { FormCountView, KindFormsView, StoredItemsView, UnreadableItemView } from "#contracts/api/stored";
import type { Server } from "./server.ts";
import { readPages } from "./workloads.ts";

/** The forms of all stored items. */
export interface StoredForms {
  /** The version of Lookout that answered. */
  readonly version: string;
  /** The forms that the answering Lookout writes and reads. */
  readonly kinds: readonly KindFormsView[];
  readonly forms: readonly FormCountView[];
  /** The first unreadable items of each page. */
  readonly unreadable: readonly UnreadableItemView[];
  readonly unreadableItems: number;
}

/** Reads the forms of all stored items, page by page. */
export async function readStoredForms(server: Server): Promise<StoredForms> {
  const { first, all } = await readPages((query) => server.ask("listStoredItems", { query }));
  const { version, kinds } = first;
  return {
    version,
    kinds,
    forms: formsOf(kinds, all),
    unreadable: all.flatMap(({ unreadable }) => unreadable),
    unreadableItems: all.reduce((sum, { unreadableItems }) => sum + unreadableItems, 0),
  };
}

/** Returns the number of items by kind and form, in the order of the kinds. */
function formsOf(kinds: readonly KindFormsView[], pages: readonly StoredItemsView[]): readonly FormCountView[] {
  const counts = pages.flatMap(({ forms }) => forms);
  return kinds.flatMap(({ kind }) => {
    const ofKind = counts.filter((one) => one.kind === kind);
    const numbers = [...new Set(ofKind.map(({ form }) => form))].sort((one, other) => one - other);
    return numbers.map((form) => {
      const items = ofKind.filter((one) => one.form === form).reduce((sum, one) => sum + one.items, 0);
      return { kind, form, items };
    });
  });
}

/** Returns a number of items in words: `1,234 items`. */
export function itemsText(items: number): string {
  return items === 1 ? "1 item" : `${items.toLocaleString("en-US")} items`;
}

/** Returns the sum of all items. */
export function itemsIn(forms: readonly FormCountView[]): number {
  return forms.reduce((sum, { items }) => sum + items, 0);
}
