import { parseDuration } from "../shared/duration.ts";
import { didYouMean, nearest } from "../shared/nearest.ts";
import { ok, problem, type Result } from "../shared/result.ts";
import type { DurationMs } from "../shared/time.ts";

/** Parses an annotation's text. The problem names the expected form. */
export type ReadValue<Value> = (text: string) => Result<Value, string>;

/** The problem of a setting that this version of Lookout lacks. */
export const notSupported = "is not supported by this version of Lookout";

/** Parses true or false, in the usual spellings. */
export function readBoolean(value: string): Result<boolean, string> {
  if (truthy(value)) return ok(true);
  if (/^(false|0|no|off)$/i.test(value.trim())) return ok(false);
  return problem("expected true or false");
}

/** Returns whether a text is a spelling of true. */
export function truthy(value: string): boolean {
  return /^(true|1|yes|on)$/i.test(value.trim());
}

/** Parses a duration. */
export function readDuration(value: string): Result<DurationMs, string> {
  return parseDuration(value.trim());
}

/** Parses a duration above zero. */
export function readTimeout(value: string): Result<DurationMs, string> {
  const parsed = readDuration(value);
  if (!parsed.ok) return parsed;
  return parsed.value > 0 ? parsed : problem("expected a duration above zero, such as 10m");
}

/** Returns a parser of texts that are not blank. */
export function readText(what: string): ReadValue<string> {
  return (value) => (value.trim() === "" ? problem(`expected ${what}`) : ok(value.trim()));
}

/**
 * Returns a parser of lists, separated by commas, with at least one text. Blank texts are dropped.
 */
export function readList(what: string): ReadValue<readonly string[]> {
  return (value) => {
    const texts = listed(value);
    return texts.length === 0 ? problem(`expected ${what}`) : ok(texts);
  };
}

/**
 * Parses an HTTP address. The problem does not contain the address, because an address may contain
 * a secret.
 */
export function readAddress(value: string): Result<string, string> {
  const isAddress = /^https?:/i.test(value.trim()) && URL.canParse(value.trim());
  return isAddress ? ok(value.trim()) : problem("expected an address, such as https://example.com/hook");
}

/** Splits a list at commas. Blank parts are dropped. */
export function listed(value: string): readonly string[] {
  return value
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** Returns a parser that accepts only the given words. */
export function oneOf<const Choice extends string>(choices: readonly Choice[]): ReadValue<Choice> {
  return (value) => {
    const written = value.trim();
    const found = choices.find((choice) => choice === written);
    if (found !== undefined) return ok(found);
    return problem(`expected one of ${choices.join(", ")}${didYouMean(nearest(written, choices))}`);
  };
}

/** Returns a result whose problem is only the text for users. */
export function mapProblem<Value>(result: Result<Value, { readonly message: string }>): Result<Value, string> {
  return result.ok ? result : problem(result.problem.message);
}
