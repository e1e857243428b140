import type { RE2JS, RE2JSSyntaxException } from "re2js";
import { type CompilePattern, longestPattern, type PatternProblem, type TagMatcher } from "#domain/policy/tag-pattern";
import { ok, problem, type Result } from "#domain/shared/result";
import { characterNumber, shortened } from "#domain/shared/shown-text";
import { type FindFault, type EngineFault, placeOfFault } from "./fault-place.ts";

/**
 * The maximum size of a compiled pattern, in steps. Above this size the engine can't backtrack, and
 * is twenty times as slow. Usual patterns have a fifth of these steps.
 *
 * @see https://github.com/golang/go/blob/master/src/regexp/backtrack.go (`maxBacktrackProg`, whose
 * value the engine copies)
 */
const mostSteps = 500;

/** Features of other engines that RE2 lacks, with their messages. */
const notInRe2: readonly (readonly [RegExp, string])[] = [
  [/^\(\?<?[=!]/, "RE2 has no lookaround"],
  [/^(?:\\[1-9k]|\(\?P=)/, "RE2 has no backreferences"],
];

/** Loads the pattern engine. Loading is slow, so call this only when there is a pattern. */
export async function loadPatternCompiler(): Promise<CompilePattern> {
  const { RE2JS, RE2Set } = await import("re2js");
  const findFault: FindFault = (text) => {
    try {
      // A set only parses the text. To compile each prefix of a large pattern would take seconds.
      new RE2Set().add(text);
      return undefined;
    } catch (error) {
      return faultOf(error);
    }
  };
  return (text) => {
    if (text === "") return refuse(text, "empty: .* matches any tag");
    if (text.length > longestPattern) return refuse(shortened(text, 40), `longer than ${longestPattern} characters`);
    try {
      const pattern = RE2JS.compile(text);
      const steps = pattern.programSize();
      if (steps > mostSteps)
        return refuse(
          text,
          `too large: the pattern and its repetitions have ${steps} steps, and at most ${mostSteps} are allowed`,
        );
      return ok(matcherOf(text, pattern));
    } catch (error) {
      return refuse(text, faultText(text, faultOf(error), findFault));
    }
  };
}

function matcherOf(text: string, pattern: RE2JS): TagMatcher {
  const groupNames = Array.from({ length: pattern.groupCount() + 1 }, () => undefined as string | undefined);
  for (const [name, group] of Object.entries(pattern.namedGroups())) groupNames[group] = name;
  return {
    text,
    groupNames,
    steps: pattern.programSize(),
    match: (tag) => (pattern.exec(tag) as (string | undefined)[] | null) ?? undefined,
  };
}

function refuse(text: string, why: string): Result<never, PatternProblem> {
  return problem({ code: "pattern-invalid", message: `"${text}": not a pattern (${why})` });
}

/**
 * Returns the fault in an error of the engine. An error without a description means that the
 * pattern is too large.
 */
function faultOf(error: unknown): EngineFault {
  const { error: fault = "too large", input = null } = error as Partial<RE2JSSyntaxException>;
  return { error: fault, input };
}

function faultText(text: string, fault: EngineFault, findFault: FindFault): string {
  const place = placeOfFault(text, fault, findFault);
  if (place === undefined) return fault.error;
  const [, why = fault.error] = notInRe2.find(([form]) => form.test(text.slice(place))) ?? [];
  return `character ${characterNumber(text, place)}: ${why}`;
}
