import type { CompilePattern } from "#domain/policy/tag-pattern";

/** The pattern engine. */
export interface Patterns {
  /**
   * Returns the pattern compiler. The first call is slow, so callers call it only for a pattern.
   */
  compiler(): Promise<CompilePattern>;
  /** Resolves after other work of the process has had its turn. One caller proceeds at a time. */
  readonly turn: () => Promise<void>;
}
