import type * as z from "zod/mini";
import { ok, problem, type Result } from "#domain/shared/result";
import { NewerRecordError, PermanentError } from "#ports/errors";
import type { Item, ItemKey, Items } from "#ports/items";
import type { UnreadableItem } from "#ports/unreadable-items";
import { readShape } from "./shape.ts";

/** One kind of stored item. Each kind has a file in this folder, with its keys, its reads and its writes. */
export interface Kind<Value> {
  /** The name of the kind, for people: `freeze`. */
  readonly name: string;
  /** The form that this Lookout writes. It reads all older forms. */
  readonly form: number;
  /** The shape of values of this form. */
  readonly shape: z.ZodMiniType<Value>;
  /** The steps from each older form to the next one. The first step turns form 1 into form 2. */
  readonly older?: readonly FormStep[];
  /** The step from the next form back to this one. A newer Lookout writes it one release later. */
  readonly next?: FormStep;
  /** Returns whether a value is at its own key. A copied row would otherwise be read as another one. Absent if the value does not tell. */
  isAt?(value: Value, key: ItemKey): boolean;
  /**
   * Returns what stands for an item that can't be read, by its key alone. A kind that closes a gate
   * has it, so that the gate stays closed.
   */
  readonly closed?: (key: ItemKey) => Value | undefined;
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
  throw item.form > newestRead(kind) ? new NewerRecordError(message) : new PermanentError(message);
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

/** Turns a value of one form into another. The problem says what is wrong with the value. */
export type FormStep = (value: unknown) => Result<unknown, string>;

/** Returns the step from values of a shape. */
export function formStep<Value>(shape: z.ZodMiniType<Value>, convert: (value: Value) => unknown): FormStep {
  return (value) => {
    const read = readShape(shape, value);
    return read.ok ? ok(convert(read.value)) : read;
  };
}

/** The members of a kind that read its values. */
export type KindForms<Value> = Pick<Kind<Value>, "form" | "shape" | "older" | "next">;

/** Returns the newest form that can be read. */
export function newestRead({ form, next }: Pick<Kind<unknown>, "form" | "next">): number {
  return next === undefined ? form : form + 1;
}

/**
 * Reads a value of a form from 1 to {@link newestRead}. The problem says what is wrong with it: `its
 * member "by" is missing`.
 */
export function readForm<Value>(kind: KindForms<Value>, form: number, value: unknown): Result<Value, string> {
  const steps = form > kind.form ? (kind.next === undefined ? [] : [kind.next]) : (kind.older ?? []).slice(form - 1);
  let converted = value;
  for (const step of steps) {
    const read = step(converted);
    if (!read.ok) return read;
    converted = read.value;
  }
  return readShape(kind.shape, converted);
}

/** Returns the value of an item. The problem says why the item can't be read. */
export function reading<Value>(kind: Kind<Value>, item: Item): Result<Value, string> {
  const { form } = item;
  if (!Number.isInteger(form) || form < 1) return problem("has no form: another program wrote it, so delete it");
  if (form > newestRead(kind)) return problem(`has the form ${form} of a newer Lookout: run that version`);
  if (item.value === undefined) return problem("is damaged: it is no JSON");
  const read = readForm(kind, form, item.value);
  if (!read.ok) return problem(`is damaged: ${read.problem}`);
  return kind.isAt?.(read.value, item) === false ? problem("is damaged: it belongs to another place") : read;
}
