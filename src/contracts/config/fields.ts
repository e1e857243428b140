import * as z from "zod";
import { parseDuration } from "#domain/shared/duration";
import { parseRegistryHost } from "./registry-host.ts";

/*
 * The message of a field is a noun phrase: a problem reads `expected <message>`. Messages of whole
 * entries and of durations are complete.
 */

/** A text that is not blank. `expected` describes it. */
export const someText = (expected: string) => z.string(expected).regex(/\S/, expected);

/** A name in the form of a namespace: https://www.rfc-editor.org/rfc/rfc1123 §2.1 */
export const kubernetesName = z
  .string("a name of lower-case letters, digits and dashes")
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    "a name of at most 63 lower-case letters, digits and dashes, with no dash at its ends",
  );

/** The tracked namespaces of a cluster. */
export const Namespaces = z
  .strictObject(
    {
      allow: z
        .array(kubernetesName, "a list of namespaces")
        .readonly()
        .exactOptional()
        .describe("Only these namespaces. Default: all but the denied ones and those of Kubernetes itself."),
      deny: z
        .array(kubernetesName, "a list of namespaces")
        .readonly()
        .exactOptional()
        .describe("Never these namespaces. It wins over allow."),
    },
    "allow, deny or both",
  )
  .readonly();

/**
 * The name of an environment variable. Messages never show it, because it may be the secret by
 * mistake.
 */
export const variable = z
  .string("the name of an environment variable")
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    "the name of an environment variable (letters, digits and underscores), not its value",
  );

const aHost = 'a registry\'s host as in image references, "host.example" or "host:port", without a scheme';

/** The host of a registry. The result is in lower case. */
export const registryHost = z.string(aHost).transform((text, context) => {
  const host = parseRegistryHost(text);
  if (host !== undefined) return host;
  context.addIssue({ code: "invalid_format", format: "host", message: aHost });
  return z.NEVER;
});

/** A duration as in annotations. The result is in milliseconds. */
export const duration = z.string('a duration such as "10s", "1m30s" or "2h"').transform((text, context) => {
  const parsed = parseDuration(text);
  if (parsed.ok) return parsed.value;
  // The domain's message begins with the value, which the problem shows itself.
  context.addIssue({ code: "custom", message: parsed.problem.slice(`"${text}": `.length) });
  return z.NEVER;
});

const anAddress = '"host:port", for example "127.0.0.1:4040" or "[::1]:4040"';

/** The address of a server. The host has no brackets, also for IPv6. */
export const hostAndPort = z.string(anAddress).transform((text, context) => {
  const [, address, name, port] = /^(?:\[([0-9A-Fa-f:.]+)\]|([A-Za-z0-9.-]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = address ?? name;
  if (host !== undefined && Number(port) <= 65_535) return { host, port: Number(port) };
  context.addIssue({ code: "invalid_format", format: "address", message: anAddress });
  return z.NEVER;
});

/** Options that compare the entries of a list although some of them are invalid. */
export const besideOtherFaults = { when: isList };

function isList({ value }: { readonly value: unknown }): boolean {
  return Array.isArray(value);
}

/** Returns the members of an entry that may be malformed; none for any other value. */
export function partsOf(entry: unknown): Readonly<Record<string, unknown>> {
  return typeof entry === "object" && entry !== null ? { ...entry } : {};
}

/** Returns the schema of a list in which no two entries have the same value under a key. */
export function unique<Entry extends z.ZodType<Readonly<Record<Key, string>>>, Key extends string>(
  entry: Entry,
  key: Key,
  expected: string,
) {
  return z
    .array(entry, expected)
    .superRefine((entries, context) => {
      const first = new Map<string, number>();
      for (const [index, entry] of entries.entries()) {
        const { [key]: value } = partsOf(entry);
        if (typeof value !== "string") continue;
        const earlier = first.get(value);
        if (earlier === undefined) first.set(value, index);
        else
          context.addIssue({
            code: "custom",
            path: [index, key],
            message: `is already the ${key} of entry [${earlier}] of this list`,
          });
      }
    }, besideOtherFaults)
    .readonly();
}
