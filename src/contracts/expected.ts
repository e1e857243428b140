import * as z from "zod";
import { didYouMean, nearest } from "#domain/shared/nearest";

/**
 * Returns the message of a zod issue, to follow the name of the faulty part: `is missing; expected
 * a text`.
 *
 * Returns undefined for issues whose schema or library has a better message.
 */
export const expected: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return `${issue.input === undefined ? "is missing; " : ""}expected ${nouns[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `expected ${issue.values.map(String).join(" or ")}`;
    case "too_small":
      return issue.origin === "string" && issue.minimum === 1 ? "is empty" : `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}${issue.origin === "string" ? " characters" : ""}`;
    case "invalid_format":
      return issue.format === "datetime"
        ? "expected an instant with its zone, such as 2026-11-22T12:00:00Z"
        : undefined;
    case "invalid_union":
      return Array.isArray(issue.options) ? `expected ${issue.options.map(String).join(" or ")}` : undefined;
    case "unrecognized_keys":
      return unknownMember(issue.keys[0] ?? "", issue.inst instanceof z.ZodObject ? Object.keys(issue.inst.shape) : []);
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "not_multiple_of":
      return undefined;
  }
};

/** Returns the problem of an unknown member, with the nearest known name. */
export function unknownMember(name: string, known: readonly string[]): string {
  return `is not known here${didYouMean(nearest(name, known))}`;
}

const nouns: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
};
