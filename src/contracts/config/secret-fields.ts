import type * as z from "zod";
import { parameterName, secretId } from "./aws.ts";
import { filePath, variable } from "./fields.ts";
import { marks } from "./marks.ts";
import { type PlaceKind, type SecretField, type SecretKey, secretKey } from "./secret-places.ts";

const forms: Readonly<Record<PlaceKind, z.ZodString>> = {
  variable,
  file: filePath("the path of a file"),
  parameter: parameterName,
  secret: secretId,
};

/**
 * Returns the keys of a secret for the schema of an entry, each with its mark.
 *
 * @param descriptions - the description of the key for each kind of place.
 */
export function secretFields<Field extends SecretField>(
  field: Field,
  descriptions: Readonly<Record<Field["places"][number], string>>,
): Record<SecretKey<Field>, z.ZodExactOptional<z.ZodString>> {
  const fields = field.places.map((kind: Field["places"][number]) => [
    secretKey(field, kind),
    forms[kind].exactOptional().describe(descriptions[kind]).register(marks, { secret: { field, kind } }),
  ]);
  return Object.fromEntries(fields) as Record<SecretKey<Field>, z.ZodExactOptional<z.ZodString>>;
}
