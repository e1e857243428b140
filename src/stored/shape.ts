import * as z from "zod/mini";
import { ok, problem, type Result } from "#domain/shared/result";
import { type Reason, reasons, type SkipReason, skipReasons } from "#domain/shared/reasons";
import type { DurationMs, EpochMs } from "#domain/shared/time";
import { shortened } from "#domain/shared/shown-text";

/*
 * The parts of the shapes of stored values. Members that a shape does not have are left out: an
 * optional member of a newer Lookout is no new form.
 */

/** The schemas of all members of a type, also of the optional ones. */
export type Members<Value> = { readonly [Name in keyof Value]-?: z.core.$ZodType<Value[Name]> };

/** Half of a character has no UTF-8, so a store would return another text. */
const isWhole = z.refine<string>((written) => written.isWellFormed());

/** A text, also an empty one. */
export const anyText = z.string().check(isWhole);
/** A text with at least one character. */
export const text = z.string().check(z.minLength(1), isWhole);
/** Returns a text that is part of a key. DynamoDB limits keys, and names that Lookout takes are in ASCII. */
export function keyText(most: number) {
  return z.string().check(z.minLength(1), z.maxLength(most), z.regex(/^[\x20-\x7e]*$/));
}
/** The name of a workload, of its cluster or of a registry's host. */
export const name = keyText(255);
/** A registry and a repository. */
export const imageName = keyText(520);
export const tag = keyText(128);
export const digest = keyText(300);
export const texts = z.readonly(z.array(anyText));
export const textMap = z.readonly(z.record(anyText, anyText));
export const yes = z.literal(true);

/** The end of the year 9999. Later instants have no text of RFC 3339. */
const lastInstant = 253_402_300_799_999;

/** An instant from 1970 to 9999. A sum of two instants can still be shown. */
export const instant = z.int().check(z.gte(0), z.lte(lastInstant)) as unknown as z.ZodMiniType<EpochMs>;
export const instants = z.readonly(z.record(z.string(), instant));
export const duration = z.int().check(z.gte(0), z.lte(lastInstant)) as unknown as z.ZodMiniType<DurationMs>;

/** The largest counter: keys have twelve digits for it. */
const mostCount = 999_999_999_999;

/** A counter from 0. */
export const count = z.int().check(z.gte(0), z.lt(mostCount));
/** A counter from 1. */
export const number = z.int().check(z.gte(1), z.lt(mostCount));

/** A reason. One that only a newer Lookout knows is read as {@link reasons | newer-reason}. */
export const reason = z.pipe(
  z.string(),
  z.transform((name): Reason => (Object.hasOwn(reasons, name) ? (name as Reason) : "newer-reason")),
);

/** A reason why newer tags were skipped, read as {@link reason} is. */
export const skipReason = z.pipe(
  z.string(),
  z.transform((name): SkipReason => (Object.hasOwn(skipReasons, name) ? (name as SkipReason) : "newer-reason")),
);

/** An optional member. */
export const maybe = z.exactOptional;

/** Returns the shape of a list. */
export function list<Value>(of: z.ZodMiniType<Value>): z.ZodMiniType<readonly Value[]> {
  return z.readonly(z.array(of));
}

/** Reads a value of a shape. The problem says what is wrong with it: `its member "by" is missing`. */
export function readShape<Value>(shape: z.ZodMiniType<Value>, value: unknown): Result<Value, string> {
  const read = shape.safeParse(value, { reportInput: true, error: () => unsaid });
  return read.success ? ok(read.data) : problem(faultIn(read.error));
}

/** The message of an issue whose shape has no message of its own. */
const unsaid = "?";

/** Returns what the first issue says about the value. */
function faultIn({ issues: [first] }: z.core.$ZodError): string {
  if (first === undefined) return "it can't be read";
  const issue = deepest(first);
  const place = shortened(issue.path.join("."), 120);
  const what = place === "" ? "it" : `its member "${place}"`;
  if (issue.code === "invalid_type" && issue.input === undefined) return `${what} is missing`;
  return `${what} is not as expected${issue.message === unsaid ? "" : `: ${issue.message}`}`;
}

/** Returns the issue within a union that came closest, with its whole path. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== "invalid_union") return issue;
  const within = issue.errors.flat().map((one) => deepest({ ...one, path: [...issue.path, ...one.path] }));
  return within.toSorted((one, other) => other.path.length - one.path.length)[0] ?? issue;
}
