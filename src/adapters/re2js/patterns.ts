import { setImmediate } from "node:timers/promises";
import pLimit from "p-limit";
import type { CompilePattern } from "#domain/policy/tag-pattern";
import { memoize } from "#domain/shared/memoize";
import type { Patterns } from "#ports/patterns";

/** The maximum number of cached patterns. An installation uses fewer patterns at a time. */
const mostKept = 1_000;

/**
 * Returns the pattern engine for RE2 syntax, which is loaded on first use. Each pattern is compiled
 * once.
 *
 * @param stopped - aborts when the process stops. Then the turns of all callers fail.
 */
export function re2Patterns(stopped?: AbortSignal): Patterns {
  let loading: Promise<CompilePattern> | undefined;
  const oneAtATime = pLimit(1);
  return {
    turn: () => oneAtATime(() => setImmediate(undefined, { signal: stopped })),
    async compiler() {
      loading ??= import("./matcher.ts")
        .then(({ loadPatternCompiler }) => loadPatternCompiler())
        .then((compile) => memoize(mostKept, compile));
      return loading;
    },
  };
}
