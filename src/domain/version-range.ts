import { compareNumbers, comparePrereleases, type PrereleaseIdentifier, type VersionNumbers } from "./version-order.ts";

/** One bound of a range, of three parts. */
export interface Comparator extends VersionNumbers {
  readonly operator: "=" | "<" | ">" | "<=" | ">=";
  readonly prerelease: readonly PrereleaseIdentifier[];
  /** What alone fits, where the bound names a flavour; empty: any does. */
  readonly flavour: string;
}

/**
 * A semver range, taken apart: a version fits when it fits every bound of one of the alternatives. An alternative without
 * bounds takes any version.
 *
 * `releases` is the range as it stands; `prereleases` is the same range where pre-releases are allowed, whose open ends npm
 * places below the first pre-release (`1.x` begins at 1.0.0-0).
 */
export interface VersionRange {
  readonly text: string;
  readonly releases: readonly (readonly Comparator[])[];
  readonly prereleases: readonly (readonly Comparator[])[];
}

/**
 * Whether a version of three parts fits a range.
 *
 * A pre-release fits only where the range names a pre-release of the same three parts, unless pre-releases are allowed. A bound that
 * names a flavour (`>=1.3.0-alpine`) counts as of the release, and takes versions of that flavour alone.
 *
 * @see https://github.com/npm/node-semver#prerelease-tags
 */
export function rangeTakes(
  range: VersionRange,
  version: VersionNumbers,
  prerelease: readonly PrereleaseIdentifier[],
  flavour: string,
  allowPrerelease: boolean,
): boolean {
  const alternatives = allowPrerelease ? range.prereleases : range.releases;
  // Loops without iterators: this is asked of every tag of a repository, and memory for each would be what most time goes into.
  for (let index = 0; index < alternatives.length; index++) {
    const bounds = alternatives[index];
    if (bounds !== undefined && holdAll(bounds, version, prerelease, flavour)) {
      if (prerelease.length === 0 || allowPrerelease || namesPrerelease(bounds, version)) return true;
    }
  }
  return false;
}

/** Whether a version of these numbers may fit a range, whatever stands behind them. It is enough to refuse most that don't fit. */
export function mayTake(range: VersionRange, version: VersionNumbers, allowPrerelease: boolean): boolean {
  const alternatives = allowPrerelease ? range.prereleases : range.releases;
  return alternatives.some((bounds) => bounds.every((bound) => mayHold(bound, version)));
}

function mayHold(bound: Comparator, version: VersionNumbers): boolean {
  const order = compareNumbers(version, bound);
  return order === 0 || holds(bound.operator, order);
}

function holdAll(
  bounds: readonly Comparator[],
  version: VersionNumbers,
  prerelease: readonly PrereleaseIdentifier[],
  flavour: string,
): boolean {
  for (let index = 0; index < bounds.length; index++) {
    const bound = bounds[index];
    if (bound === undefined) continue;
    const order = compareNumbers(version, bound) || comparePrereleases(prerelease, bound.prerelease);
    if (!holds(bound.operator, order) || (bound.flavour !== "" && bound.flavour !== flavour)) return false;
  }
  return true;
}

function namesPrerelease(bounds: readonly Comparator[], version: VersionNumbers): boolean {
  return bounds.some((bound) => bound.prerelease.length > 0 && compareNumbers(version, bound) === 0);
}

function holds(operator: Comparator["operator"], order: number): boolean {
  switch (operator) {
    case "=":
      return order === 0;
    case "<":
      return order < 0;
    case "<=":
      return order <= 0;
    case ">":
      return order > 0;
    case ">=":
      return order >= 0;
  }
}
