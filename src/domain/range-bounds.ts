import { boundSuffix, FIRST_OF_ALL } from "./pre-release.ts";
import type { Comparator } from "./version-range.ts";

/** How a version in a range limits others. */
export type Sign = "=" | "<" | ">" | "<=" | ">=" | "~" | "^";

/** A sign and its version, as they are written. */
export interface Comparison {
  readonly sign: Sign;
  /** Up to the first that is missing or an x. */
  readonly numbers: readonly number[];
  /** What stands behind three numbers, without its dash; empty for a release. Undefined: whatever may stand there. */
  readonly suffix: string | undefined;
}

/**
 * Answers the bounds that a comparison stands for, as npm has them.
 *
 * @param comparison - as it is written.
 * @param open - the suffix of a lower bound that names none: empty where it begins at the release, {@link FIRST_OF_ALL} where it begins at
 * the first pre-release.
 * @see https://github.com/npm/node-semver#advanced-range-syntax
 */
export function boundsOf(comparison: Comparison, open: string): readonly Comparator[] {
  const { sign, numbers, suffix } = comparison;
  if (numbers.length === 0) return sign === "<" || sign === ">" ? [bound("<", [], FIRST_OF_ALL)] : [];
  switch (sign) {
    case ">=":
      return [bound(">=", numbers, suffix ?? open)];
    case "~":
      return [bound(">=", numbers, suffix ?? open), belowNext(numbers.slice(0, 2))];
    case "^":
      return [bound(">=", numbers, suffix ?? open), belowNext(upToFirstNotZero(numbers))];
    case "=":
    case "<":
    case "<=":
    case ">":
      return suffix === undefined ? openBounds(sign, numbers, open) : [bound(sign, numbers, suffix)];
  }
}

/** What a version stands for that has an x, or fewer numbers than three: all that begin like it. */
function openBounds(sign: "=" | "<" | "<=" | ">", numbers: readonly number[], open: string): readonly Comparator[] {
  switch (sign) {
    case "=":
      return [bound(">=", numbers, open), belowNext(numbers)];
    case "<":
      return [bound("<", numbers, FIRST_OF_ALL)];
    case "<=":
      return [belowNext(numbers)];
    case ">":
      return [bound(">=", next(numbers), open)];
  }
}

/** A caret keeps the numbers up to the first that is not zero. */
function upToFirstNotZero(numbers: readonly number[]): readonly number[] {
  const first = numbers.findIndex((number) => number !== 0);
  return first === -1 ? numbers : numbers.slice(0, first + 1);
}

/** Ends before the first pre-release of what comes after all that begin with these numbers. */
function belowNext(numbers: readonly number[]): Comparator {
  return bound("<", next(numbers), FIRST_OF_ALL);
}

function next(numbers: readonly number[]): readonly number[] {
  return numbers.with(-1, (numbers.at(-1) ?? 0) + 1);
}

function bound(operator: Comparator["operator"], numbers: readonly number[], suffix: string): Comparator {
  const [major = 0, minor = 0, patch = 0] = numbers;
  return { operator, major, minor, patch, ...boundSuffix(suffix) };
}
