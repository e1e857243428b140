import type { RE2JS, RE2JSSyntaxException } from "re2js";
import { type CompilePattern, longestPattern, type PatternProblem, type TagMatcher } from "#domain/policy/tag-pattern";
import { ok, problem, type Result } from "#domain/result";

/** A tag may take the time of each step at each of its characters; a pattern that people write comes to a tenth. */
const mostSteps = 1_000;

/** Loads the engine of patterns, which takes longer than all that is done without one: only who has a pattern asks for it. */
export async function loadPatternCompiler(): Promise<CompilePattern> {
  const { RE2JS } = await import("re2js");
  return (text) => {
    if (text === "") return refuse(text, "empty; leave it out to take any tag");
    if (text.length > longestPattern)
      return refuse(`${text.slice(0, 40)}…`, `longer than ${longestPattern} characters`);
    try {
      const pattern = RE2JS.compile(text);
      const steps = pattern.programSize();
      if (steps > mostSteps)
        return refuse(text, `too large: its repetitions come to ${steps} steps, ${mostSteps} at most`);
      return ok(matcherOf(text, pattern));
    } catch (error) {
      return refuse(text, faultIn(text, error));
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

/** The engine names the part that it can't take; where it does not, it ran out of something, and the pattern is too large. */
function faultIn(text: string, error: unknown): string {
  const { error: fault, input } = error as Partial<RE2JSSyntaxException>;
  if (fault === undefined) return "too large";
  const place = text.indexOf(input ?? text);
  return place < 1 ? fault : `character ${place + 1}: ${fault}`;
}
