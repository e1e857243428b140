import type { Reach } from "../routes.ts";

/** The kinds of places of a secret, with the end of the key in `lookout.yaml`: `passwordFile`. */
const keyEnds = { variable: "Env", file: "File", parameter: "Parameter", secret: "Id" } as const;

/** A kind of place of a secret. */
export type PlaceKind = keyof typeof keyEnds;

/**
 * The place of a secret: the name of an environment variable, the path of a file, or the name or
 * ARN of an SSM parameter or of a secret in Secrets Manager.
 */
export type SecretRef = { [Kind in PlaceKind]: { readonly [Key in Kind]: string } }[PlaceKind];

/** A place of a secret in AWS. */
export type SecretPlace = Extract<SecretRef, { readonly parameter: string } | { readonly secret: string }>;

/**
 * A secret that entries of `lookout.yaml` may have. `secretFields` adds its keys to a schema. The
 * check at the start, paths, the settings view and the rights of functions follow from the schema.
 */
export interface SecretField {
  /** The beginning of its keys: `password` of `passwordEnv`, `passwordFile`, … */
  readonly name: string;
  readonly places: readonly PlaceKind[];
  /** The functions that reach this part read the secret. */
  readonly reach: Reach;
  /** The end of the default parameter's name. No two secrets of one part have the same end. */
  readonly ending: string;
  /** The content in messages, before the name of the entry. */
  readonly content: string;
  /** True for a content that is not confidential. The settings then show its place as it is written. */
  readonly isPublic?: true;
}

const anyPlace = ["variable", "file", "parameter", "secret"] as const satisfies readonly PlaceKind[];

/** The secret of a receiver. */
export const receiverSecret = {
  name: "secret",
  places: anyPlace,
  reach: "receivers",
  ending: "",
  content: "the secret of receiver",
} as const satisfies SecretField;

/** The secret of a channel: a token, a key or an address. */
export const channelSecret = {
  name: "secret",
  places: anyPlace,
  reach: "channels",
  ending: "",
  content: "the secret of channel",
} as const satisfies SecretField;

/** The key with which questions to a check are signed. */
export const checkSecret = {
  name: "secret",
  places: anyPlace,
  reach: "checks",
  ending: "",
  content: "the key of check",
} as const satisfies SecretField;

/** The password of a registry. */
export const registryPassword = {
  name: "password",
  places: anyPlace,
  reach: "registries",
  ending: "",
  content: "the password of registry",
} as const satisfies SecretField;

/** The certificate authorities of a registry. */
export const registryCa = {
  name: "ca",
  places: ["file", "parameter"],
  reach: "registries",
  ending: ".ca",
  content: "the certificate authorities of registry",
  isPublic: true,
} as const satisfies SecretField;

/** The keys of a secret in `lookout.yaml`. */
export type SecretKey<Field extends SecretField, Kind extends PlaceKind = Field["places"][number]> = Kind extends Kind
  ? `${Field["name"]}${(typeof keyEnds)[Kind]}`
  : never;

/** Returns the key of a secret for one kind of place. */
export function secretKey<Field extends SecretField, Kind extends PlaceKind>(
  { name }: Field,
  kind: Kind,
): SecretKey<Field, Kind> {
  return `${name}${keyEnds[kind]}` as SecretKey<Field, Kind>;
}

/** Returns all keys of a secret. */
export function secretKeys<Field extends SecretField>(field: Field): readonly SecretKey<Field>[] {
  return field.places.map((kind) => secretKey(field, kind) as SecretKey<Field>);
}

/** The secret of one entry of `lookout.yaml`. */
export interface ConfiguredSecret {
  readonly field: SecretField;
  /** The name of the entry. */
  readonly owner: string;
  /** The written place; undefined if the entry names none. */
  readonly ref: SecretRef | undefined;
}

/** Returns a secret of an entry. */
export function secretOf<Field extends SecretField>(
  field: Field,
  entry: { readonly name: string } & Readonly<Partial<Record<SecretKey<Field>, string>>>,
): ConfiguredSecret {
  const written: Readonly<Partial<Record<string, string>>> = entry;
  const kind = field.places.find((place) => written[secretKey(field, place)] !== undefined);
  const ref = kind && ({ [kind]: written[secretKey(field, kind)] } as SecretRef);
  return { field, owner: entry.name, ref };
}

/** Returns an entry without the keys of a secret. */
export function withoutSecret<Field extends SecretField, Entry extends object>(
  field: Field,
  entry: Entry,
): Omit<Entry, SecretKey<Field>> {
  const keys: readonly string[] = secretKeys(field);
  return Object.fromEntries(Object.entries(entry).filter(([key]) => !keys.includes(key))) as Omit<
    Entry,
    SecretKey<Field>
  >;
}

/**
 * Returns the place of a secret in AWS for a deployed stack. A variable or file of `lookout.yaml`
 * becomes a parameter of the stack, so the same file works locally.
 */
export function placeInAws({ field, owner, ref }: ConfiguredSecret, stack: string): SecretPlace {
  if (ref !== undefined && ("parameter" in ref || "secret" in ref)) return ref;
  // The name of a parameter can't contain a colon.
  return { parameter: `/${stack}/${field.reach}/${owner.replaceAll(":", "_")}${field.ending}` };
}
