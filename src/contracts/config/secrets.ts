import type * as z from "zod";
import { markAt, markedFields } from "./marks.ts";
import { ConfigurationSchema } from "./schema.ts";
import type { ConfiguredSecret, PlaceKind, SecretRef } from "./secret-places.ts";

type Configuration = z.output<typeof ConfigurationSchema>;

/** Returns all secrets that a configuration names. The confidential secrets come first. */
export function secretsIn(configuration: Configuration): readonly ConfiguredSecret[] {
  const all = markedFields(ConfigurationSchema, configuration).flatMap(({ mark: { secret }, value, owner }) =>
    secret === undefined ? [] : [{ field: secret.field, owner, ref: { [secret.kind]: value } as SecretRef }],
  );
  const isPublic = ({ field }: ConfiguredSecret): boolean => field.isPublic === true;
  return [...all.filter((secret) => !isPublic(secret)), ...all.filter(isPublic)];
}

/** Returns a configuration with each path replaced by `resolve`. */
export function withPaths(configuration: Configuration, resolve: (path: string) => string): Configuration {
  const copy = structuredClone(configuration);
  for (const { mark, parent, key, value } of markedFields(ConfigurationSchema, copy))
    if (mark.isPath === true) parent[key] = resolve(value);
  return copy;
}

/**
 * Returns the confidential secret whose place a key of `lookout.yaml` names. Undefined for other
 * keys.
 */
export function secretAt(
  steps: readonly (string | number)[],
): { readonly name: string; readonly kind: PlaceKind } | undefined {
  const secret = markAt(ConfigurationSchema, steps)?.secret;
  if (secret === undefined || secret.field.isPublic === true) return undefined;
  return { name: secret.field.name, kind: secret.kind };
}
