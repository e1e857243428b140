import { isObject } from "#domain/shared/json";
import { NewerRecordError, PermanentError } from "#ports/errors";
import type { Item, ItemKey, Items } from "#ports/items";

/** One kind of stored item. Each kind has a file in this folder, with its keys, its reads and its writes. */
export interface Kind<Value> {
  /** The name of the kind, for people: `freeze`. */
  readonly name: string;
  /** The form that this Lookout writes. It reads all forms from 1 on. */
  readonly form: number;
  /** Returns a value of a form from 1 to `form`, or undefined for a value that is not of this kind. */
  readonly read: (value: unknown, form: number) => Value | undefined;
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
  readonly why: "newer-form" | "damaged";
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
  if (read.kind === "value") return read.value;
  const where = `the ${kind.name} at ${item.pk}, ${item.sk}`;
  if (read.kind === "newer-form")
    throw new NewerRecordError(`${where} has the form ${item.form} of a newer Lookout: run that version`);
  throw new PermanentError(`${where} can't be read: another program wrote it, so delete it`);
}

/** Returns the values of the items that can be read, and what stands for the others. */
export function valuesOf<Value>(
  kind: Kind<Value>,
  items: readonly Item[],
  { onUnreadable }: Pick<Storage, "onUnreadable">,
): readonly Value[] {
  return items.flatMap((item) => {
    const read = reading(kind, item);
    if (read.kind === "value") return [read.value];
    const key = { pk: item.pk, sk: item.sk };
    onUnreadable({ kind: kind.name, key, why: read.kind });
    const closed = kind.closed?.(key);
    return closed === undefined ? [] : [closed];
  });
}

type Reading<Value> = { readonly kind: "value"; readonly value: Value } | { readonly kind: UnreadableItem["why"] };

function reading<Value>({ form, read }: Kind<Value>, item: Item): Reading<Value> {
  if (!Number.isInteger(item.form) || item.form < 1) return { kind: "damaged" };
  if (item.form > form) return { kind: "newer-form" };
  const value = read(item.value, item.form);
  return value === undefined ? { kind: "damaged" } : { kind: "value", value };
}

/** Returns the reader of objects that have these members, each with the type of the sample. */
export function objectWith<Value>(members: Readonly<Record<string, "string" | "number" | "boolean" | "object">>) {
  return (value: unknown): Value | undefined =>
    isObject(value) && Object.entries(members).every(([name, type]) => typeof value[name] === type && value[name] !== null)
      ? (value as Value)
      : undefined;
}
