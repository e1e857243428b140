import { isObject } from "#domain/shared/json";
import { ok, problem, type Result } from "#domain/shared/result";
import { NewerRecordError, PermanentError } from "#ports/errors";
import type { Item, ItemKey, Items } from "#ports/items";
import type { UnreadableItem } from "#ports/unreadable-items";

/** One kind of stored item. Each kind has a file in this folder, with its keys, its reads and its writes. */
export interface Kind<Value> {
  /** The name of the kind, for people: `freeze`. */
  readonly name: string;
  /** The form that this Lookout writes. */
  readonly form: number;
  /**
   * The highest form that this Lookout reads. It reads all forms from 1 on. The default is `form`. A
   * form is read one release before it is written, so that a roll-back finds no newer form.
   */
  readonly reads?: number;
  /** Returns a value of a form from 1 to `reads`. The problem says what is wrong with the value: `its member "by" is missing`. */
  readonly read: (value: unknown, form: number, key: ItemKey) => Result<Value, string>;
  /**
   * Returns what stands for an item that can't be read, by its key alone. A kind that closes a gate
   * has it, so that the gate stays closed.
   */
  readonly closed?: (key: ItemKey) => Value | undefined;
}

/** Returns the highest form of a kind that this Lookout reads. */
export function highestForm({ form, reads = form }: Pick<Kind<unknown>, "form" | "reads">): number {
  return reads;
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
  throw item.form > highestForm(kind) ? new NewerRecordError(message) : new PermanentError(message);
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

/** Returns the value of an item. The problem says why the item can't be read. */
export function reading<Value>(kind: Kind<Value>, item: Item): Result<Value, string> {
  if (!Number.isInteger(item.form) || item.form < 1)
    return problem("has no form: another program wrote it, so delete it");
  if (item.form > highestForm(kind)) return problem(`has the form ${item.form} of a newer Lookout: run that version`);
  if (item.value === undefined) return problem("is damaged: it is no JSON");
  const value = kind.read(item.value, item.form, item);
  return value.ok ? value : problem(`is damaged: ${value.problem}`);
}

/** The type of a member of a stored object. */
export type MemberType = "string" | "number" | "boolean" | "map" | "list";

/**
 * Returns the reader of objects with these members.
 *
 * @param optional - members that may be missing.
 */
export function objectWith<Value>(
  needed: Readonly<Record<string, MemberType>>,
  optional: Readonly<Record<string, MemberType>> = {},
) {
  return (value: unknown): Result<Value, string> => {
    if (!isObject(value)) return problem("it is not a map");
    const present = Object.entries(optional).filter(([name]) => Object.hasOwn(value, name));
    const wrong = [...Object.entries(needed), ...present].find(([name, type]) => typeIn(value, name) !== type);
    if (wrong === undefined) return ok(value as Value);
    const [name, type] = wrong;
    return problem(`its member "${name}" ${Object.hasOwn(value, name) ? `is not a ${type}` : "is missing"}`);
  };
}

function typeIn(value: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  if (Array.isArray(member)) return "list";
  return typeof member === "object" && member !== null ? "map" : typeof member;
}
