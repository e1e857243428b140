import * as z from "zod";
import { ok, problem, type Result } from "#domain/shared/result";
import { isObject, valueAt } from "#domain/shared/json";
import { shortened } from "#domain/shared/shown-text";
import { sharedChannelKeys } from "./channels.ts";
import { imageRegistryAdvice } from "./image-registry-keys.ts";
import { ConfigurationSchema } from "./schema.ts";
import { secretAt } from "./secrets.ts";
import { didYouMean, nearest } from "#domain/shared/nearest";

/** The parsed `lookout.yaml`, with defaults. Hosts are in lower case, and paths are unchanged. */
export type Configuration = z.output<typeof ConfigurationSchema>;

/** One cluster of `lookout.yaml`. */
export type ClusterConfiguration = Configuration["clusters"][number];

/**
 * One receiver of `lookout.yaml`. A receiver's entry contains the place of its secret, not the
 * secret.
 */
export type ReceiverConfiguration = Configuration["receivers"][number];

/**
 * One registry of `lookout.yaml`. A registry's entry contains the place of its password, not the
 * password.
 */
export type RegistryConfiguration = Configuration["registries"][number];

/** One entry of `channels`, with the keys of its kind. The entry contains the place of its secret, not the secret. */
export type ChannelConfiguration = Configuration["channels"][number];

/** A problem of a configuration. */
export interface ConfigurationProblem {
  /** The path of the faulty key: `clusters[1].context`. Empty for the whole file. */
  readonly path: string;
  /**
   * The same path as a list of keys and indexes, where indexes start at 0. If a key is missing, the
   * last step is that key.
   */
  readonly steps: readonly (string | number)[];
  /** The shortened value. Absent if the value is missing, is a whole entry, or may be a secret. */
  readonly value?: string;
  /** The expected value or the fault. In a sentence, this text follows the path and the value. */
  readonly message: string;
}

/**
 * Validates the content of `lookout.yaml` and adds the defaults. An empty file or section
 * (`clusters:`) gets the defaults.
 *
 * @returns the configuration, or the first {@link mostProblems} problems and the number of the
 *   others. A malformed entry does not hide the problems of other entries.
 */
export function parseConfiguration(input: unknown): Result<Configuration, readonly ConfigurationProblem[]> {
  const given = withoutEmptySections(input);
  const parsed = ConfigurationSchema.safeParse(given);
  if (parsed.success) return ok(parsed.data);
  return problem(firstProblems(parsed.error.issues, given));
}

/**
 * The maximum number of problems of a file that are listed. The time of each problem grows with the
 * file.
 */
export const mostProblems = 100;

/** Returns the first problems of a file. The last row counts the others, if there are others. */
function firstProblems(found: readonly z.core.$ZodIssue[], input: unknown): readonly ConfigurationProblem[] {
  const issues = found.flatMap(insideUnion);
  const schema = z.toJSONSchema(ConfigurationSchema, { io: "input" });
  const listed: ConfigurationProblem[] = [];
  for (const issue of issues) {
    if (listed.length === mostProblems) break;
    listed.push(...problemsOf(issue, input, schema, mostProblems - listed.length));
  }
  const more = issues.reduce((sum, issue) => sum + problemCount(issue), 0) - listed.length;
  return more === 0 ? listed : [...listed, { path: "", steps: [], message: moreProblems(more) }];
}

/** Returns the issues of the form that the value has, if a key accepts several forms. */
function insideUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const ofForm = issue.errors.find((errors) =>
    errors.every(({ code, path }) => path.length > 0 || code !== "invalid_type"),
  );
  if (ofForm === undefined) return [issue];
  return ofForm.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

function problemCount(issue: z.core.$ZodIssue): number {
  return issue.code === "unrecognized_keys" ? issue.keys.length : 1;
}

/** Returns the message that stands for the problems that are not listed. */
export function moreProblems(more: number): string {
  return more === 1 ? "has 1 more problem" : `has ${more} more problems`;
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function withoutEmptySections(input: unknown): unknown {
  if (input === undefined || input === null) return {};
  if (typeof input !== "object" || Array.isArray(input)) return input;
  const sections = new Set(Object.keys(ConfigurationSchema.unwrap().shape));
  // An empty mode may mean observe, so it gets no default.
  return Object.fromEntries(
    Object.entries(input).filter(([key, value]) => value !== null || key === "mode" || !sections.has(key)),
  );
}

function problemsOf(
  issue: z.core.$ZodIssue,
  input: unknown,
  schema: JsonSchema,
  most: number,
): readonly ConfigurationProblem[] {
  const steps = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  if (issue.code === "unrecognized_keys")
    return issue.keys.slice(0, most).map((key) => unknownKey(steps, key, schemaAt(steps, schema, input)));
  const value = valueAt(input, steps);
  const expected = issue.code === "custom" ? issue.message : `expected ${issue.message}`;
  if (value === undefined) return [{ path: z.core.toDotPath(steps), steps, message: `is missing; ${expected}` }];
  const shown =
    mayBeSecret(steps, issue) || (issue.code === "custom" && typeof value === "object") ? {} : { value: show(value) };
  return [{ path: z.core.toDotPath(steps), steps, ...shown, message: `${expected}${hintOf(issue, value)}` }];
}

/** Returns a hint with the nearest accepted word; empty for other problems. */
function hintOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code !== "invalid_value" || typeof value !== "string") return "";
  return didYouMean(nearest(value, issue.values.map(String)));
}

/** Returns the problem of an unknown key, without its value: the value may be a password. */
function unknownKey(
  parent: readonly (string | number)[],
  key: string,
  schema: JsonSchema | undefined,
): ConfigurationProblem {
  const known = Object.keys(propertiesOf(schema));
  const steps = [...parent, key];
  const advice = imageRegistryAdvice(parent, key);
  if (advice !== undefined)
    return {
      path: z.core.toDotPath(steps),
      steps,
      message: `is a key of ImageRegistry, and not a known key here; ${advice}`,
    };
  const meant = nearest(key, known);
  const hint = meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
  return { path: z.core.toDotPath(steps), steps, message: `is not a known key here; ${hint}` };
}

/** Returns the schema at a path. Of several forms, it is the one that the value at the path has. */
function schemaAt(steps: readonly (string | number)[], whole: JsonSchema, input: unknown): JsonSchema | undefined {
  let schema: unknown = whole;
  for (const [index, step] of steps.entries()) {
    if (!isSchema(schema)) return undefined;
    const next: unknown = typeof step === "number" ? schema.items : propertiesOf(schema)[step];
    schema = isSchema(next) ? formOf(next, valueAt(input, steps.slice(0, index + 1))) : undefined;
  }
  return isSchema(schema) ? schema : undefined;
}

/** Returns the form whose constants a value has. */
function formOf(schema: JsonSchema, value: unknown): JsonSchema | undefined {
  const hasConstants = ({ properties = {} }: JsonSchema): boolean =>
    Object.entries(properties).every(
      ([key, one]) => !isSchema(one) || one.const === undefined || one.const === valueAt(value, [key]),
    );
  return schema.oneOf === undefined ? schema : schema.oneOf.find(hasConstants);
}

/** Returns the properties of a mapping, also of a key that accepts other forms too. */
function propertiesOf({ properties, anyOf = [] }: JsonSchema = {}): NonNullable<JsonSchema["properties"]> {
  return properties ?? anyOf.find((form) => form.properties !== undefined)?.properties ?? {};
}

function isSchema(value: unknown): value is JsonSchema {
  return isObject(value);
}

/** Returns whether a user may have written a secret in place of its name, or of another text of a channel. */
function mayBeSecret(steps: readonly (string | number)[], { code }: z.core.$ZodIssue): boolean {
  const secret = secretAt(steps);
  const [section, , key] = steps;
  const isOfKind = section === "channels" && key !== undefined && !sharedChannelKeys.includes(String(key));
  return (secret !== undefined && secret.kind !== "file") || (isOfKind && code !== "invalid_value");
}

/**
 * Returns a value for a message. The text before an `@` is cut, because it may contain a password.
 */
function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  const json = JSON.stringify(value);
  const text = json.includes("@") ? `…${json.slice(json.lastIndexOf("@"))}` : json;
  return shortened(text, 80);
}
