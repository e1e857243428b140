import { problem, type Result } from "#domain/shared/result";
import { NewerRecordError, PermanentError } from "#ports/errors";
import type { Item, ItemKey, Items } from "#ports/items";

/** One kind of stored item. Each kind has a file in this folder, with its keys, its reads and its writes. */
export interface Kind<Value> {
  /** The name of the kind, for people: `freeze`. */
  readonly name: string;
  /** The form that this Lookout writes. It reads all forms from 1 on. */
  readonly form: number;
  /** Returns a value of a form from 1 to `form`. The problem says what is wrong with the value: `its member "by" is missing`. */
  readonly read: (value: unknown, form: number) => Result<Value, string>;
  /** Returns whether a value is at its own key. A copied row would otherwise be read as another one. Absent if the value does not tell. */
  readonly isAt?: (value: Value, key: ItemKey) => boolean;
  /**
   * Returns what stands for an item that can't be read, by its key alone. A kind that closes a gate
   * has it, so that the gate stays closed.
   */
  readonly closed?: (key: ItemKey) => Value | undefined;
}

/** An item that this Lookout can't read. Other items can be read without it. */
export interface UnreadableItem {
  readonly kind: string;
  readonly key: ItemKey;
  /** What is wrong with it: `is damaged: its member "by" is missing`. */
  readonly why: string;
}

/** What the stored kinds work with. */
export interface Storage {
  readonly items: Items;
  /** Gets each item that a read of many leaves out. */
  readonly onUnreadable: (item: UnreadableItem) => void;
}

/** The reason of a closed gate whose item can't be read. */
export const unreadableWhy = "Lookout can't read this entry: look at lookout doctor";

/** Returns a value as an item. */
export function itemOf<Value>(
  { form }: Kind<Value>,
  { pk, sk }: ItemKey,
  value: Value,
  more: Pick<Item, "marks" | "dueAt" | "expiresAt"> = {},
): Item {
  return { pk, sk, form, value, ...more };
}

/**
 * Returns the value of an item.
 *
 * @throws NewerRecordError for a form of a newer Lookout.
 * @throws PermanentError for an item that is not of this kind.
 */
export function valueOf<Value>(kind: Kind<Value>, item: Item): Value {
  const read = reading(kind, item);
  if (read.ok) return read.value;
  const message = `the ${kind.name} at ${item.pk}, ${item.sk} ${read.problem}`;
  throw item.form > kind.form ? new NewerRecordError(message) : new PermanentError(message);
}

/** Returns the values of the items that can be read, and what stands for the others. */
export function valuesOf<Value>(
  kind: Kind<Value>,
  items: readonly Item[],
  { onUnreadable }: Pick<Storage, "onUnreadable">,
): readonly Value[] {
  return items.flatMap((item) => {
    const read = reading(kind, item);
    if (read.ok) return [read.value];
    const key = { pk: item.pk, sk: item.sk };
    onUnreadable({ kind: kind.name, key, why: read.problem });
    const closed = kind.closed?.(key);
    return closed === undefined ? [] : [closed];
  });
}

function reading<Value>({ form, read, isAt }: Kind<Value>, item: Item): Result<Value, string> {
  if (!Number.isInteger(item.form) || item.form < 1)
    return problem("has no form: another program wrote it, so delete it");
  if (item.form > form) return problem(`has the form ${item.form} of a newer Lookout: run that version`);
  if (item.value === undefined) return problem("is damaged: it is no JSON");
  const value = read(item.value, item.form);
  if (!value.ok) return problem(`is damaged: ${value.problem}`);
  return isAt?.(value.value, item) === false ? problem("is damaged: it belongs to another place") : value;
}
