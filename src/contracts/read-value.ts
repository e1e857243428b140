import * as z from "zod";
import { briefJson, valueAt } from "#domain/shared/json";
import { ok, problem, type Result } from "#domain/shared/result";
import { shortened } from "#domain/shared/shown-text";
import { expected } from "./expected.ts";

/** The longest member name in a message. */
const longestPlace = 200;

/**
 * Parses a value by a schema. The problem has the place, the expected value and the given value:
 * `tags[2].name: expected a text, not 7`
 */
export function readValue<Schema extends z.ZodType>(schema: Schema, value: unknown): Result<z.output<Schema>, string> {
  const parsed = schema.safeParse(value, { error: expected });
  return parsed.success ? ok(parsed.data) : problem(firstFault(parsed.error.issues, value));
}

function firstFault(issues: readonly z.core.$ZodIssue[], value: unknown): string {
  // A misspelt member causes two issues: unknown and missing. The unknown name helps the user more.
  const issue = issues.find(isUnknownMember) ?? issues[0];
  return issue === undefined ? "the line is not valid for this verb" : faultOf(issue, value);
}

function faultOf(issue: z.core.$ZodIssue, whole: unknown): string {
  const { path, message } = issue;
  if (isUnknownMember(issue)) return `${placeText([...path, ...issue.keys.slice(0, 1)])}: ${message}`;
  const inner = issue.code === "invalid_union" ? issueOfMeantForm(issue.errors) : undefined;
  if (inner !== undefined) return faultOf({ ...inner, path: [...path, ...inner.path] }, whole);
  return `${placeText(path)}: ${message.startsWith("expected") ? besideValue(message, valueAt(whole, path)) : message}`;
}

function besideValue(message: string, value: unknown): string {
  return value === undefined ? `is missing; ${message}` : `${message}, not ${briefJson(value)}`;
}

function placeText(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "the line" : shortened(z.core.toDotPath(path), longestPlace);
}

function isUnknownMember(issue: z.core.$ZodIssue): issue is z.core.$ZodIssueUnrecognizedKeys {
  return issue.code === "unrecognized_keys";
}

/** Returns the first issue of the form whose kind matches. The user probably meant that form. */
function issueOfMeantForm(forms: readonly (readonly z.core.$ZodIssue[])[]): z.core.$ZodIssue | undefined {
  const meant = forms.find(
    ([first]) => first !== undefined && (first.code !== "invalid_type" || first.path.length > 0),
  );
  return meant?.find(isUnknownMember) ?? meant?.[0];
}
