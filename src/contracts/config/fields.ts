import * as z from "zod";
import { readReapply } from "#domain/gates/reapply";
import { readPullGrace } from "#domain/settings/pull-grace";
import { formatDuration, parseDuration } from "#domain/shared/duration";
import type { DurationMs } from "#domain/shared/time";
import { personNamedBy } from "#domain/workload/appliers";
import { fieldManager } from "#domain/workload/workload";
import { marks } from "./marks.ts";
import { parseRegistryHost } from "./registry-host.ts";

/*
 * The message of a field is a noun phrase: a problem reads `expected <message>`. Messages of whole
 * entries and of durations are complete.
 */

/** Returns the schema of a text that is not blank. `expected` names the text in problems. */
export const someText = (expected: string) => z.string(expected).regex(/\S/, expected);

/** Returns the schema of a path, which is relative to the folder of `lookout.yaml`. */
export const filePath = (expected: string) => someText(expected).register(marks, { isPath: true });

/**
 * The schema of a name with the syntax of a namespace: https://www.rfc-editor.org/rfc/rfc1123 §2.1
 */
export const kubernetesName = z
  .string("a name of lower-case letters, digits and dashes")
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    "a name of at most 63 lower-case letters, digits and dashes, with no dash at its ends",
  );

const aNamespace = '"NAMESPACE" or "CLUSTER/NAMESPACE"; a "*" at the end stands for any text';

/** The schema of a pattern of namespaces. */
export const namespacePattern = z
  .string(aNamespace)
  .regex(/^(?:(?:\*|[a-z0-9][a-z0-9-]{0,62}\*?)\/)?(?:\*|[a-z0-9][a-z0-9-]{0,62}\*?)$/, aNamespace);

/** The schema of a cluster's tracked namespaces. */
export const Namespaces = z
  .strictObject(
    {
      allow: z
        .array(kubernetesName, "a list of namespaces")
        .readonly()
        .exactOptional()
        .describe("The tracked namespaces. Default: all namespaces, except denied namespaces and Kubernetes' own."),
      deny: z
        .array(kubernetesName, "a list of namespaces")
        .readonly()
        .exactOptional()
        .describe("The namespaces that Lookout never tracks. deny wins over allow."),
    },
    "allow, deny or both",
  )
  .readonly();

/**
 * The schema of the name of an environment variable. Messages never show the value, because a user
 * may have put the secret there.
 */
export const variable = z
  .string("the name of an environment variable")
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]*$/,
    "the name of an environment variable (letters, digits and underscores), not its value",
  );

const aHost = 'a registry\'s host as in image references, "host.example" or "host:port", without a scheme';

/** The schema of a registry's host. The result is in lower case. */
export const registryHost = z.string(aHost).transform((text, context) => {
  const host = parseRegistryHost(text);
  if (host !== undefined) return host;
  context.addIssue({ code: "invalid_format", format: "host", message: aHost });
  return z.NEVER;
});

/** The schema of a duration, as in annotations. The result is in milliseconds. */
export const duration = z.string('a duration such as "10s", "1m30s" or "2h"').transform((text, context) => {
  const parsed = parseDuration(text);
  if (parsed.ok) return parsed.value;
  // The domain's message begins with the value. The problem shows the value already.
  context.addIssue({ code: "custom", message: parsed.problem.slice(`"${text}": `.length) });
  return z.NEVER;
});

/** Returns the schema of a duration within bounds, which are valid too. */
export const durationWithin = (shortest: DurationMs, longest: DurationMs, example: string) =>
  duration.refine(
    (given) => given >= shortest && given <= longest,
    `expected ${formatDuration(shortest)} to ${formatDuration(longest)}, such as ${example}`,
  );

/** The schema of `reapply`, as in the annotation. */
export const reapply = z.string('"ask", or "after" and a duration').transform((text, context) => {
  const parsed = readReapply(text);
  if (parsed.ok) return parsed.value;
  context.addIssue({ code: "custom", message: parsed.problem });
  return z.NEVER;
});

/** The schema of `pullGrace`, as in the annotation. */
export const pullGrace = z.string('a duration such as "60s"').transform((text, context) => {
  const parsed = readPullGrace(text);
  if (parsed.ok) return parsed.value;
  context.addIssue({ code: "custom", message: parsed.problem });
  return z.NEVER;
});

const aManager = "a field manager of at most 128 printable characters, with * only at its end";

/** The schema of a field manager of a deploy tool. Names that also mean people are errors. */
const Applier = z.string(aManager).superRefine((name, context) => {
  const isName = name.length <= 128 && /^[!-)+-~](?:[ -)+-~]*[!-~])?$/.test(name);
  const person = isName ? personNamedBy(name) : undefined;
  if (isName && person === undefined) return;
  const message = isName
    ? `expected a manager that only your deploy tool uses: this name also means ${person ?? ""}, ${whose(person)}. Give the tool its own, for example kubectl apply --field-manager=deploy-bot`
    : `expected ${aManager}`;
  context.addIssue({ code: "custom", message });
});

function whose(manager: string | undefined): string {
  return manager === fieldManager ? "the manager of Lookout's own writes" : "with which people change images";
}

/** The schema of the field managers of deploy tools. */
export const Appliers = z.array(Applier, "a list of field managers").max(20, "at most 20 field managers").readonly();

/** Options of a check that runs even if some entries of the list are invalid. */
export const besideOtherFaults = { when: isList };

function isList({ value }: { readonly value: unknown }): boolean {
  return Array.isArray(value);
}

/** Returns the members of an entry, or none if the entry is not an object. */
export function partsOf(entry: unknown): Readonly<Record<string, unknown>> {
  return typeof entry === "object" && entry !== null ? { ...entry } : {};
}

/** Returns a list as it is, and an empty one for anything else. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
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
