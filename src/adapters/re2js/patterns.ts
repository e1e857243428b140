import type { CompilePattern } from "#domain/policy/tag-pattern";
import { memoize } from "#domain/shared/memoize";
import type { Patterns } from "#ports/patterns";

/** The maximum number of cached patterns. An installation uses fewer patterns at a time. */
const mostKept = 1_000;

/**
 * Returns the pattern engine for RE2 syntax, which is loaded on first use. Each pattern is compiled
 * once.
 */
export function re2Patterns(): Patterns {
  let loading: Promise<CompilePattern> | undefined;
  return {
    async compiler() {
      loading ??= import("./matcher.ts")
        .then(({ loadPatternCompiler }) => loadPatternCompiler())
        .then((compile) => memoize(mostKept, compile));
      return loading;
    },
  };
}
