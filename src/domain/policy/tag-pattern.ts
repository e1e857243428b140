import type { Result } from "../shared/result.ts";

/**
 * A compiled pattern in RE2 syntax.
 *
 * A match takes linear time, so a user's pattern can't block other workloads.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
export interface TagMatcher {
  /** The pattern as its author wrote it. */
  readonly text: string;
  /**
   * The names of the groups by number; 0 is the whole match. Undefined for a group without a name.
   */
  readonly groupNames: readonly (string | undefined)[];
  /** The largest number of steps that a match takes for each character of a tag. */
  readonly steps: number;
  /**
   * Finds the leftmost match in a tag. A pattern without `^` and `$` may match a part of the tag.
   *
   * @returns the groups by number, or undefined if the pattern does not match. A group without a
   *   match is undefined.
   */
  readonly match: (tag: string) => TagMatch | undefined;
}

/** The groups of a match by number; 0 is the whole match. */
export type TagMatch = readonly (string | undefined)[];

/** The problem of an invalid pattern. `message` shows the text and the invalid part. */
export interface PatternProblem {
  readonly code: "pattern-invalid";
  readonly message: string;
}

/** Compiles a pattern. The engine is a library, so the domain receives it as an argument. */
export type CompilePattern = (text: string) => Result<TagMatcher, PatternProblem>;

/**
 * Returns a matcher in place of an invalid pattern. The matcher rejects every tag, because an
 * invalid pattern must not allow more tags.
 */
export function matchesNothing(text: string): TagMatcher {
  return { text, groupNames: [undefined], steps: 0, match: () => undefined };
}

/** The length of the longest pattern. The compiled program grows with the pattern. */
export const longestPattern = 1_000;
