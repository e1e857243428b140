import * as z from "zod";
import { ok, problem, type Result } from "#domain/shared/result";
import { isObject, valueAt } from "#domain/shared/json";
import { shortened } from "#domain/shared/shown-text";
import { ConfigurationSchema } from "./schema.ts";
import { didYouMean, nearest } from "#domain/shared/nearest";

/** The parsed `lookout.yaml`, with defaults. Hosts are in lower case, and paths are unchanged. */
export type Configuration = z.output<typeof ConfigurationSchema>;

/** One cluster of `lookout.yaml`. */
export type ClusterConfiguration = Configuration["clusters"][number];

/** One receiver of `lookout.yaml`. It names its secret and does not hold it. */
export type ReceiverConfiguration = Configuration["receivers"][number];

/** One registry of `lookout.yaml`. It names its password and does not hold it. */
export type RegistryConfiguration = Configuration["registries"][number];

/** A problem of a configuration. */
export interface ConfigurationProblem {
  /** `clusters[1].context`; empty for the whole file. */
  readonly path: string;
  /** The same path as keys, and indexes from 0. The last step of a missing key does not exist. */
  readonly steps: readonly (string | number)[];
  /** The value, shortened. Absent for a missing or whole entry, and where it could be a secret. */
  readonly value?: string;
  /** The expected value. It follows path and value in a sentence. */
  readonly message: string;
}

/**
 * Validates the content of `lookout.yaml` and adds the defaults. An empty file and an empty section
 * (`clusters:`) have the defaults.
 *
 * @returns all problems at once, at least one. Malformed entries are still compared with others.
 */
export function parseConfiguration(input: unknown): Result<Configuration, readonly ConfigurationProblem[]> {
  const given = withoutEmptySections(input);
  const parsed = ConfigurationSchema.safeParse(given);
  if (parsed.success) return ok(parsed.data);
  const schema = z.toJSONSchema(ConfigurationSchema, { io: "input" });
  return problem(parsed.error.issues.flatMap((issue) => problemsOf(issue, given, schema)));
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function withoutEmptySections(input: unknown): unknown {
  if (input === undefined || input === null) return {};
  if (typeof input !== "object" || Array.isArray(input)) return input;
  const sections = new Set(Object.keys(ConfigurationSchema.unwrap().shape));
  return Object.fromEntries(Object.entries(input).filter(([key, value]) => value !== null || !sections.has(key)));
}

function problemsOf(issue: z.core.$ZodIssue, input: unknown, schema: JsonSchema): readonly ConfigurationProblem[] {
  const steps = issue.path.map((step) => (typeof step === "number" ? step : String(step)));
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(steps, key, schema));
  const value = valueAt(input, steps);
  const expected = issue.code === "custom" ? issue.message : `expected ${issue.message}`;
  if (value === undefined) return [{ path: z.core.toDotPath(steps), steps, message: `is missing; ${expected}` }];
  const shown =
    isNamedSecret(steps) || (issue.code === "custom" && typeof value === "object") ? {} : { value: show(value) };
  return [{ path: z.core.toDotPath(steps), steps, ...shown, message: `${expected}${hintOf(issue, value)}` }];
}

/** The nearest one of the accepted words; empty for other problems. */
function hintOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code !== "invalid_value" || typeof value !== "string") return "";
  return didYouMean(nearest(value, issue.values.map(String)));
}

/** The value is left out: it may be a password, written in place of its name. */
function unknownKey(parent: readonly (string | number)[], key: string, whole: JsonSchema): ConfigurationProblem {
  const known = Object.keys(schemaAt(parent, whole)?.properties ?? {});
  const meant = nearest(key, known);
  const hint = meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
  const steps = [...parent, key];
  return { path: z.core.toDotPath(steps), steps, message: `is not a key that is known here; ${hint}` };
}

function schemaAt(steps: readonly (string | number)[], whole: JsonSchema): JsonSchema | undefined {
  let schema: unknown = whole;
  for (const step of steps) {
    if (!isSchema(schema)) return undefined;
    schema = typeof step === "number" ? schema.items : schema.properties?.[step];
  }
  return isSchema(schema) ? schema : undefined;
}

function isSchema(value: unknown): value is JsonSchema {
  return isObject(value);
}

function isNamedSecret(steps: readonly (string | number)[]): boolean {
  return /^(?:secret|password)(?:Env|Parameter|Id)$/.test(String(steps.at(-1)));
}

/** A URL may carry a password before its `@`. */
function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "a mapping";
  const json = JSON.stringify(value);
  const text = json.includes("@") ? `…${json.slice(json.lastIndexOf("@"))}` : json;
  return shortened(text, 80);
}
