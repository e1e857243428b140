import type { RE2JS, RE2JSSyntaxException } from "re2js";
import { type CompilePattern, longestPattern, type PatternProblem, type TagMatcher } from "#domain/policy/tag-pattern";
import { ok, problem, type Result } from "#domain/shared/result";
import { characterNumber, shortened } from "#domain/shared/shown-text";
import { type FindFault, type EngineFault, placeOfFault } from "./fault-place.ts";

/**
 * Up to so many the engine notes at which character it has been at which step, and comes nowhere twice. Beyond it follows all ways at once, with
 * what each group holds on each of them, and takes twenty times as long. A pattern that people write comes to a fifth.
 *
 * @see https://github.com/golang/go/blob/master/src/regexp/backtrack.go `maxBacktrackProg`, which the engine has taken over
 */
const mostSteps = 500;

/** What people know from other engines, and this one takes for a slip. */
const notInRe2: readonly (readonly [RegExp, string])[] = [
  [/^\(\?<?[=!]/, "looking around is not in RE2"],
  [/^(?:\\[1-9k]|\(\?P=)/, "references back are not in RE2"],
];

/** Loads the engine of patterns, which takes longer than all that is done without one: only who has a pattern asks for it. */
export async function loadPatternCompiler(): Promise<CompilePattern> {
  const { RE2JS, RE2Set } = await import("re2js");
  const findFault: FindFault = (text) => {
    try {
      // A set is not compiled before it is asked: to compile each beginning of a large pattern would take seconds.
      new RE2Set().add(text);
      return undefined;
    } catch (error) {
      return faultOf(error);
    }
  };
  return (text) => {
    if (text === "") return refuse(text, "empty; .* takes any tag");
    if (text.length > longestPattern) return refuse(shortened(text, 40), `longer than ${longestPattern} characters`);
    try {
      const pattern = RE2JS.compile(text);
      const steps = pattern.programSize();
      if (steps > mostSteps)
        return refuse(text, `too large: with its repetitions it comes to ${steps} steps, ${mostSteps} at most`);
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
    match: (tag) => (pattern.exec(tag) as (string | undefined)[] | null) ?? undefined,
  };
}

function refuse(text: string, why: string): Result<never, PatternProblem> {
  return problem({ code: "pattern-invalid", message: `"${text}": not a pattern (${why})` });
}

/** Where the engine says nothing, it ran out of something, and the pattern is too large. */
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
