import Range from "semver/classes/range.js";
import { normalPrerelease } from "./pre-release.ts";
import { ok, problem, type Result } from "./result.ts";
import { shortened } from "./shown-text.ts";
import { compareNumbers, comparePrereleases, type PrereleaseIdentifier, type VersionNumbers } from "./version-order.ts";

/** One bound of a range, of three parts. `=` is written as `""` in semver's own output. */
export interface Comparator extends VersionNumbers {
  readonly operator: "=" | "<" | ">" | "<=" | ">=";
  readonly prerelease: readonly PrereleaseIdentifier[];
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
 * empty side of `||`.
 *
 * @see https://github.com/npm/node-semver#ranges
 */
export function parseRange(text: string): Result<VersionRange, RangeProblem> {
  if (text.length > LONGEST_RANGE) return refuse(shortened(text, 40), `longer than ${LONGEST_RANGE} characters`);
  const npm = text.replace(/,/g, " ").replace(/=</g, "<=").replace(/=>/g, ">=");
  if (npm.split("||").every((side) => side.trim() !== "")) {
    try {
      return ok({ text, releases: alternatives(npm, false), prereleases: alternatives(npm, true) });
    } catch {
      // The only thing that semver throws is that the text is no range.
    }
  }
  return refuse(text, text.trim() === "" ? "empty; * takes any version" : `character ${placeOfFault(text) + 1}`);
}

function refuse(text: string, why: string): Result<never, RangeProblem> {
  return problem({ code: "range-invalid", message: `"${text}": not a range (${why})` });
}

/** @throws TypeError for what is no range. */
function alternatives(npm: string, includePrerelease: boolean): readonly (readonly Comparator[])[] {
  return new Range(npm, { includePrerelease }).set.map((comparators) =>
    comparators
      .filter(({ value }) => value !== "") // "" is any version: no bound
      .map(({ operator, semver }) => ({
        operator: operator === "" ? "=" : operator,
        major: semver.major,
        minor: semver.minor,
        patch: semver.patch,
        prerelease: normalPrerelease(semver.prerelease),
      })),
  );
}

/** Comparators of a range, with what may stand between them. What npm takes matches from end to end. */
const COMPARATOR =
  /\s*(?:>=|<=|=>|=<|~>|[<>=~^])?\s*v?(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?(?=[\s,|]|$)/y;
const BETWEEN = /\s*(?:\|\||,|\s-\s)?\s*/y;

/** The index of the first character that no range can have there; that of the first one when the parts are well but not the whole. */
function placeOfFault(text: string): number {
  let index = 0;
  while (index < text.length) {
    COMPARATOR.lastIndex = index;
    if (!COMPARATOR.test(text)) return index + faultWithin(text.slice(index));
    BETWEEN.lastIndex = COMPARATOR.lastIndex;
    BETWEEN.test(text);
    index = BETWEEN.lastIndex;
  }
  const written = text.trimEnd();
  return written.endsWith("|") ? written.length - 1 : 0;
}

/** How far into a comparator its text makes sense: the operator, then numbers and dots. */
function faultWithin(rest: string): number {
  return (
    /^\s*(?:>=|<=|=>|=<|~>|[<>=~^])?\s*v?(?:(?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2}(?:[-+][0-9A-Za-z.+-]*)?)?/.exec(
      rest,
    )?.[0].length ?? 0
  );
}

/**
 * Whether a version of three parts fits a range.
 *
 * A pre-release fits only where the range names a pre-release of the same three parts, unless pre-releases are allowed.
 *
 * @see https://github.com/npm/node-semver#prerelease-tags
 */
export function rangeTakes(
  range: VersionRange,
  version: VersionNumbers,
  prerelease: readonly PrereleaseIdentifier[],
  allowPrerelease: boolean,
): boolean {
  const alternatives = allowPrerelease ? range.prereleases : range.releases;
  // Loops without iterators: this is asked of every tag of a repository, and memory for each would be what most time goes into.
  for (let index = 0; index < alternatives.length; index++) {
    const bounds = alternatives[index];
    if (bounds !== undefined && holdAll(bounds, version, prerelease)) {
      if (prerelease.length === 0 || allowPrerelease || namesPrerelease(bounds, version)) return true;
    }
  }
  return false;
}

function holdAll(
  bounds: readonly Comparator[],
  version: VersionNumbers,
  prerelease: readonly PrereleaseIdentifier[],
): boolean {
  for (let index = 0; index < bounds.length; index++) {
    const bound = bounds[index];
    if (bound === undefined) continue;
    const order = compareNumbers(version, bound) || comparePrereleases(prerelease, bound.prerelease);
    if (!holds(bound.operator, order)) return false;
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
