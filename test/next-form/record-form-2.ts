import * as z from "zod/mini";
import { recordShape } from "#stored/record-shape";

/*
 * A form of the record that only tests know: its open update has another name, and its cause is an
 * object. A Lookout that takes a record of this form for one of form 1 finds no open update.
 */

const form1 = z.looseObject({ cause: z.string(), active: z.optional(z.unknown()) });

/** The members of form 2 that form 1 does not have. */
export const form2 = z.looseObject({
  because: z.object({ id: z.string() }),
  open: z.optional(z.unknown()),
  cause: z.optional(z.never()),
  active: z.optional(z.never()),
});

/** Returns a value of form 1 as one of form 2. */
export function toForm2(value: unknown): object {
  const { cause, active, ...same } = form1.parse(value);
  return { ...same, because: { id: cause }, ...(active === undefined ? {} : { open: active }) };
}

/** Returns a value of form 2 as one of form 1. */
export function toForm1({ because, open, cause: _, active: __, ...same }: z.infer<typeof form2>): object {
  return { ...same, cause: because.id, ...(open === undefined ? {} : { active: open }) };
}

/** The shape of form 2. The domain of the tests is the one of form 1. */
export const recordShape2 = z.pipe(z.pipe(form2, z.transform(toForm1)), recordShape);
