import type * as z from "zod";

/**
 * Says in words for people what was expected of a part of a request, behind its name: `why: is missing`.
 *
 * Undefined where a schema's own text, or the library's, says it better.
 */
export const expected: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return issue.input === undefined ? "is missing" : `expected ${nouns[issue.expected] ?? issue.expected}`;
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
    case "custom":
    case "invalid_element":
    case "invalid_key":
    case "invalid_union":
    case "not_multiple_of":
    case "unrecognized_keys":
      return undefined;
  }
};

const nouns: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
};
