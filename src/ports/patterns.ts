import type { CompilePattern } from "#domain/policy/tag-pattern";

/** The pattern engine. */
export interface Patterns {
  /**
   * Returns the pattern compiler. The first call is slow, so callers call this method only if they
   * have a pattern.
   */
  compiler(): Promise<CompilePattern>;
  /**
   * Resolves after the process has had time for other work. Only one caller continues at a time.
   */
  readonly turn: () => Promise<void>;
}
