import * as z from "zod";
import { isObject } from "#domain/shared/json";
import type { PlaceKind, SecretField } from "./secret-places.ts";

/** The meaning of a field of `lookout.yaml`, besides its form. */
export interface Mark {
  /** True for the path of a file or folder, relative to `lookout.yaml`. */
  readonly isPath?: true;
  /** The secret whose place the field contains. */
  readonly secret?: { readonly field: SecretField; readonly kind: PlaceKind };
}

/** The marks of all schemas. */
export const marks = z.registry<Mark>();

/** A written field with a mark. */
export interface MarkedField {
  readonly mark: Mark;
  readonly value: string;
  /** The name of the entry that contains the field. Empty if no entry contains it. */
  readonly owner: string;
  /** The object that contains the field, and its key there. */
  readonly parent: Record<string, unknown>;
  readonly key: string;
}

type Schema = z.core.$ZodType;

/** Returns all fields of a value that its schema marks, in the order of the schema. */
export function markedFields(schema: Schema, value: unknown, owner = ""): readonly MarkedField[] {
  const { def } = opened(schema);
  if (def.type === "array" && Array.isArray(value))
    return value.flatMap((item) => markedFields(def.element, item, owner));
  if (def.type === "union") return optionsFor(def, value).flatMap((option) => markedFields(option, value, owner));
  if (def.type !== "object" || !isObject(value)) return [];
  const name = typeof value["name"] === "string" ? value["name"] : owner;
  return Object.entries(def.shape).flatMap(([key, field]) => {
    const { mark } = opened(field);
    const inner = value[key];
    return mark !== undefined && typeof inner === "string"
      ? [{ mark, value: inner, owner: name, parent: value, key }]
      : markedFields(field, inner, name);
  });
}

/** Returns the forms that a value may have: one of them if a key tells it. */
function optionsFor(def: z.core.$ZodUnionDef, value: unknown): readonly Schema[] {
  const key = "discriminator" in def ? (def as z.core.$ZodDiscriminatedUnionDef).discriminator : undefined;
  if (key === undefined || !isObject(value)) return def.options;
  return def.options.filter((option) => {
    const { def: form } = opened(option);
    const literal = form.type === "object" ? opened(form.shape[key] as Schema).def : undefined;
    return literal?.type === "literal" && literal.values.includes(value[key] as never);
  });
}

/** Returns the mark of the field at a path; undefined for a field without a mark. */
export function markAt(schema: Schema, steps: readonly (string | number)[]): Mark | undefined {
  const [step, ...rest] = steps;
  const { def, mark } = opened(schema);
  if (step === undefined) return mark;
  if (def.type === "union")
    return def.options.map((option) => markAt(option, steps)).find((found) => found !== undefined);
  const child = def.type === "array" ? def.element : def.type === "object" ? def.shape[step] : undefined;
  return child && markAt(child, rest);
}

/** Returns the form of a schema inside of its wrappers, with the marks of all layers. */
function opened(schema: Schema): { readonly def: z.core.$ZodTypes["_zod"]["def"]; readonly mark: Mark | undefined } {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const own = marks.get(schema);
  const inside = insideOf(def);
  if (inside === undefined) return { def, mark: own };
  const inner = opened(inside);
  return { def: inner.def, mark: own || inner.mark ? { ...inner.mark, ...own } : undefined };
}

function insideOf(def: z.core.$ZodTypes["_zod"]["def"]): Schema | undefined {
  if (def.type === "pipe") return def.in;
  return "innerType" in def ? def.innerType : undefined;
}
