import type { CompilePattern } from "#domain/policy/tag-pattern";
import { memoize } from "#domain/shared/memoize";
import type { Patterns } from "#ports/patterns";

/** How many patterns are kept: more than an installation has, and a bound for one whose patterns keep changing. */
const mostKept = 1_000;

/** Patterns in RE2 syntax. The engine is loaded when it is first asked for, and each text compiled once; of too many the oldest go. */
export function re2Patterns(): Patterns {
  let loading: Promise<CompilePattern> | undefined;
  return {
    async compiler() {
      loading ??= load();
      return loading;
    },
  };
}

/** Nothing of it is read by functions that meet no pattern. */
async function load(): Promise<CompilePattern> {
  const { loadPatternCompiler } = await import("./matcher.ts");
  return memoize(mostKept, await loadPatternCompiler());
}
