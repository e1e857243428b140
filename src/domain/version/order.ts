import { compareTexts } from "../shared/text-order.ts";

/** One identifier of a pre-release. Numbers compare as numbers, other identifiers as text. */
export type PrereleaseIdentifier = string | number;

/** The empty list of identifiers of a release. */
export const noPrerelease: readonly PrereleaseIdentifier[] = [];

/** The three numbers of a version that ranges compare. */
export interface RangeNumbers {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** All numbers of a version. A missing number is 0. */
export interface VersionNumbers extends RangeNumbers {
  readonly fourth: number;
  readonly fifth: number;
  readonly sixth: number;
}

/** Compares versions by the numbers of a range: negative when the first is lower. */
export function compareRangeNumbers(a: RangeNumbers, b: RangeNumbers): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

/** Compares versions by their numbers alone: negative when the first is lower. */
export function compareNumbers(a: VersionNumbers, b: VersionNumbers): number {
  return compareRangeNumbers(a, b) || a.fourth - b.fourth || a.fifth - b.fifth || a.sixth - b.sixth;
}

/**
 * Compares two pre-releases of one version: negative when the first is lower, zero when they are
 * equal. A release is higher than each of its pre-releases.
 *
 * @see https://semver.org/#spec-item-11
 */
export function comparePrereleases(a: readonly PrereleaseIdentifier[], b: readonly PrereleaseIdentifier[]): number {
  if (a.length === 0 || b.length === 0) return b.length - a.length;
  for (let index = 0; index < a.length && index < b.length; index++) {
    const order = compareIdentifiers(a[index] ?? 0, b[index] ?? 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareIdentifiers(a: PrereleaseIdentifier, b: PrereleaseIdentifier): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  if (typeof b === "number") return 1;
  return compareTexts(a, b);
}

/**
 * Compares two lists of counters: negative when the first is lower. Counters are digits without
 * leading zeros, of any length. A missing counter is the lowest.
 */
export function compareCounters(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < a.length && index < b.length; index++) {
    const [one = "", other = ""] = [a[index], b[index]];
    const order = one.length - other.length || compareTexts(one, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Compares tags of equal versions by their text, so that the order is stable. */
export function compareTies(a: string, b: string): number {
  return compareTexts(b, a);
}
