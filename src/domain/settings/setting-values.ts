import { parseDuration } from "../duration.ts";
import { ok, problem, type Result } from "../result.ts";
import type { DurationMs } from "../time.ts";

/** Reads an annotation's text; the problem says what is expected. */
export type ReadValue<Value> = (text: string) => Result<Value, string>;

/** Reads true or false, in any spelling that people use. */
export function readBoolean(value: string): Result<boolean, string> {
  if (truthy(value)) return ok(true);
  if (/^(false|0|no|off)$/i.test(value.trim())) return ok(false);
  return problem("expected true or false");
}

/** Whether a text is a spelling of true. */
export function truthy(value: string): boolean {
  return /^(true|1|yes|on)$/i.test(value.trim());
}

/** Reads a length of time above zero. */
export function readTimeout(value: string): Result<DurationMs, string> {
  const parsed = parseDuration(value.trim());
  if (!parsed.ok) return problem(parsed.problem);
  return parsed.value > 0 ? parsed : problem("expected a duration above zero, such as 10m");
}

/** Reads one of some words. */
export function oneOf<const Choice extends string>(choices: readonly Choice[]): ReadValue<Choice> {
  return (value) => {
    const found = choices.find((choice) => choice === value.trim());
    return found === undefined ? problem(`expected one of ${choices.join(", ")}`) : ok(found);
  };
}

/** Keeps of a problem what people are told. */
export function mapProblem<Value>(result: Result<Value, { readonly message: string }>): Result<Value, string> {
  return result.ok ? result : problem(result.problem.message);
}
