import type { CompilePattern } from "#domain/policy/tag-pattern";

/** The pattern engine. */
export interface Patterns {
  /** Returns the pattern compiler. The first call is slow, so call this only when there is a pattern. */
  compiler(): Promise<CompilePattern>;
  /** Resolves after other work of the process had its turn. One caller proceeds at a time. */
  readonly turn: () => Promise<void>;
}
