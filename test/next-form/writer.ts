/** The Lookout of form 2: it writes records of this form, and reads the ones of form 1. */
import * as z from "zod/mini";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { Item } from "#ports/items";
import { formStep, itemOf as itemAsIs, type KindForms } from "#stored/kind";
import { recordShape2, toForm2 } from "./record-form-2.ts";

export * from "#stored/kind";

/** The forms of its records. */
export const recordForms: KindForms<WorkloadRecord> = {
  form: 2,
  shape: recordShape2,
  older: [formStep(z.unknown(), toForm2)],
};

/** Returns a value as an item. The domain gives records of form 1. */
export const itemOf: typeof itemAsIs = (kind, key, value, more): Item => {
  const item = itemAsIs(kind, key, value, more);
  return kind.form === recordForms.form ? { ...item, value: toForm2(value) } : item;
};
