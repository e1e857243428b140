import Range from "semver/classes/range.js";
import { boundSuffix } from "./pre-release.ts";
import { ok, problem, type Result } from "./result.ts";
import { shortened } from "./shown-text.ts";
import { compareNumbers, comparePrereleases, type PrereleaseIdentifier, type VersionNumbers } from "./version-order.ts";

/** One bound of a range, of three parts. `=` is written as `""` in semver's own output. */
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

/** Why a text is no range. `message` shows the text and where it goes wrong, for people. */
export interface RangeProblem {
  readonly code: "range-invalid";
  readonly message: string;
}

const LONGEST_RANGE = 1_000;

/**
 * Reads an npm semver range; a comma means "and", `=<` and `=>` mean `<=` and `>=`.
 *
 * Two texts that npm takes for "any version" are refused, because they are what a slip leaves behind: an empty range, and an
 * empty side of `||`. So is a suffix that npm passes over.
 *
 * @see https://github.com/npm/node-semver#ranges
 */
export function parseRange(text: string): Result<VersionRange, RangeProblem> {
  if (text.length > LONGEST_RANGE) return refuse(shortened(text, 40), `longer than ${LONGEST_RANGE} characters`);
  const npm = text.replace(/,/g, " ").replace(/=</g, "<=").replace(/=>/g, ">=");
  const passedOver = SUFFIX_OF_SPAN.exec(npm);
  if (passedOver !== null)
    return refuse(text, `character ${passedOver.index + passedOver[0].length}: a suffix needs three numbers before it`);
  const hasEmptySide = npm.split("||").some((side) => side.trim() === "");
  const releases = hasEmptySide ? undefined : alternatives(npm, false);
  const prereleases = hasEmptySide ? undefined : alternatives(npm, true);
  if (releases !== undefined && prereleases !== undefined) return ok({ text, releases, prereleases });
  return refuse(text, npm.trim() === "" ? "empty; * takes any version" : `character ${placeOfFault(npm) + 1}`);
}

function refuse(text: string, why: string): Result<never, RangeProblem> {
  return problem({ code: "range-invalid", message: `"${text}": not a range (${why})` });
}

/** Undefined for what is no range: semver throws nothing else. */
function npmRange(text: string, includePrerelease: boolean): Range | undefined {
  try {
    return new Range(text, { includePrerelease });
  } catch {
    return undefined;
  }
}

function alternatives(npm: string, includePrerelease: boolean): readonly (readonly Comparator[])[] | undefined {
  return npmRange(npm, includePrerelease)?.set.map((comparators) =>
    comparators
      .filter(({ value }) => value !== "") // "" is any version: no bound
      .map(({ operator, semver }) => ({
        operator: operator === "" ? "=" : operator,
        major: semver.major,
        minor: semver.minor,
        patch: semver.patch,
        ...boundSuffix(semver.prerelease),
      })),
  );
}

/** A suffix behind a version with an x in it, which npm passes over: what it was to limit would be without a limit. */
const SUFFIX_OF_SPAN = /(?<![\w.+-])v?(?:\d+\.){0,2}[xX*](?:\.(?:\d+|[xX*]))*[-+]/;
/** An operator with its version, or whatever stands in the place of one. */
const COMPARATOR = /[<>=~^]+\s*\S*|\S+/g;
/** An operator, then numbers and dots: how far into a comparator its text makes sense. `version` where it comes to one. */
const WELL_FORMED =
  /^(?:>=|<=|~>|[<>=~^])?\s*v?(?<version>(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}(?:[-+][0-9A-Za-z.+-]*)?)?/;

/** The index of what npm does not take: the empty side of `||`, else the first comparator that is none, else the dash that joins no two. */
function placeOfFault(npm: string): number {
  let from = 0;
  let dash = 0;
  for (const side of npm.split("||")) {
    if (side.trim() === "") return Math.max(0, from - 1);
    for (const { 0: comparator, index } of side.matchAll(COMPARATOR)) {
      if (comparator === "-") dash = from + index;
      else if (npmRange(comparator, false) === undefined) return from + index + faultWithin(comparator);
    }
    from += side.length + "||".length;
  }
  return dash;
}

/** The index in a comparator of the first character that none can have there; of its first one where all are well but not the whole. */
function faultWithin(comparator: string): number {
  const match = WELL_FORMED.exec(comparator);
  const end = match?.[0].length ?? 0;
  return end === comparator.length && match?.groups?.version !== undefined ? 0 : end;
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
