import type { Result } from "../shared/result.ts";

/**
 * A compiled pattern in RE2 syntax.
 *
 * It takes time linear in the tag, whatever the pattern is: a user's pattern must hold up nobody.
 *
 * @see https://github.com/google/re2/wiki/Syntax
 */
export interface TagMatcher {
  /** The pattern as its author wrote it. */
  readonly text: string;
  /** By the number of the group, 0 being the whole match; undefined for a group without a name. */
  readonly groupNames: readonly (string | undefined)[];
  /** The most steps of a match for each character of a tag. */
  readonly steps: number;
  /**
   * Finds the leftmost match in a tag: at any place, unless the pattern has anchors.
   *
   * @returns what each group holds, by its number; undefined for a group that took no part. Undefined: the pattern does not match.
   */
  readonly match: (tag: string) => TagMatch | undefined;
}

/** What each group of a pattern holds, by its number; 0 is the whole match. */
export type TagMatch = readonly (string | undefined)[];

/** Why a text is no pattern. `message` shows the text and the part that is wrong, for people. */
export interface PatternProblem {
  readonly code: "pattern-invalid";
  readonly message: string;
}

/** Compiles a pattern; the domain is given it, because a regular expression engine is a library's. */
export type CompilePattern = (text: string) => Result<TagMatcher, PatternProblem>;

/** Stands in for a pattern that can't be read: it takes no tag, so that nothing is widened. */
export function matchesNothing(text: string): TagMatcher {
  return { text, groupNames: [undefined], steps: 0, match: () => undefined };
}

/** Patterns are at most this long: nobody writes longer ones, and a program grows with its pattern. */
export const longestPattern = 1_000;
