import type { CompilePattern } from "#domain/policy/tag-pattern";

/** The engine of patterns. */
export interface Patterns {
  /** Answers what compiles patterns. The first time takes long: who has none does not ask. */
  compiler(): Promise<CompilePattern>;
}
