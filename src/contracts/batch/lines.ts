import * as z from "zod";
import { readJson } from "#domain/shared/json-errors";
import { ok, problem, type Result } from "#domain/shared/result";
import { parseInstant } from "#domain/shared/time";
import { suffixRules } from "#domain/version/suffix";
import { expected } from "../expected.ts";
import { faultInLine } from "./line-errors.ts";
import { formOfWindow } from "../config/window-form.ts";

/*
 * The schemas of batch lines. They reject unknown members, because a misspelt limit would limit
 * nothing.
 */

/**
 * Matches the offset of UTC at the end of an instant. Batch lines accept only UTC, but other verbs
 * accept any offset.
 */
const ofUtc = /(?:z|[+-]00:00)$/i;

/** The schema of an RFC 3339 instant in UTC. */
export const instant = z.string().transform((text, context) => {
  const at = ofUtc.test(text) ? parseInstant(text) : undefined;
  if (at !== undefined) return at;
  const message = "expected an instant of UTC such as 2026-11-21T00:30:00Z";
  context.issues.push({ code: "custom", message, input: text });
  return z.NEVER;
});

const order = z.enum(["asc", "desc"]).exactOptional();

/** The limits of the policies that compare versions. */
const versions = {
  range: z.string().exactOptional(),
  allowPrerelease: z.boolean().exactOptional(),
  suffixes: z.enum(suffixRules).exactOptional(),
};

const PolicySchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("semver"), ...versions }),
  z.strictObject({ kind: z.literal("latest") }),
  z.strictObject({ kind: z.literal("digest") }),
  z.strictObject({ kind: z.literal("regex"), pattern: z.string() }),
  z.strictObject({ kind: z.literal("alphabetical"), order }),
  z.strictObject({ kind: z.literal("numerical"), order }),
  z.strictObject({ kind: z.literal("pinned"), ...versions }),
]);

const FilterSchema = z.strictObject({
  pattern: z.string().exactOptional(),
  extract: z.string().exactOptional(),
  include: z.array(z.string()).exactOptional(),
  exclude: z.array(z.string()).exactOptional(),
});

const TagSchema = z.strictObject({
  name: z.string(),
  digest: z.string().exactOptional(),
  movedAt: instant.exactOptional(),
});

/** The schema of a line of `lookout policy elect --batch`. */
export const ElectLineSchema = z.strictObject({
  policy: PolicySchema,
  filter: FilterSchema.exactOptional(),
  current: z.strictObject({ tag: z.string(), digest: z.string().exactOptional() }).nullish(),
  allowDowngrade: z.boolean().exactOptional(),
  tags: z.array(z.union([z.string(), TagSchema], "expected a text, or an object with name, digest and movedAt")),
  explain: z.boolean().exactOptional(),
});

/** The schema of a line of `lookout image parse --batch`. */
export const ImageLineSchema = z.strictObject({ reference: z.string() });

const WindowSchema = z
  .strictObject({
    effect: z.enum(["allow", "deny"]).exactOptional(),
    days: z.array(z.string()).exactOptional(),
    start: z.string().exactOptional(),
    end: z.string().exactOptional(),
    cron: z.string().exactOptional(),
    duration: z.string().exactOptional(),
    timeZone: z.string().exactOptional(),
  })
  .transform(({ effect, timeZone, ...parts }, context) => {
    const form = formOfWindow(parts);
    if (form.ok) return { effect, timeZone, ...form.value };
    const { part, message } = form.problem;
    context.issues.push({ code: "custom", message, path: [part], input: undefined });
    return z.NEVER;
  });

/** The schema of a line of `lookout window check --batch`. */
export const WindowLineSchema = z.strictObject({ windows: z.array(WindowSchema), at: instant });

/** Parses a line by a schema. The problem begins with its place in the line. */
export function readLine<Schema extends z.ZodType>(schema: Schema, line: string): Result<z.output<Schema>, string> {
  const read = readJson(line);
  return read.ok ? readQuestion(schema, read.value) : problem(`not JSON: ${read.problem}`);
}

/** Parses the value of a line by a schema. The problem begins with its place in the value. */
export function readQuestion<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): Result<z.output<Schema>, string> {
  const parsed = schema.safeParse(value, { error: expected });
  return parsed.success ? ok(parsed.data) : problem(faultInLine(parsed.error.issues, value));
}
