import type { CompilePattern } from "#domain/policy/tag-pattern";

/** The pattern engine. */
export interface Patterns {
  /**
   * Returns the pattern compiler. The first call is slow, so callers call this method only if they
   * have a pattern.
   */
  compiler(): Promise<CompilePattern>;
}
