import Range from "semver/classes/range.js";
import validRange from "semver/ranges/valid.js";
import { ok, problem, type Result } from "../shared/result.ts";
import { shortened } from "../shared/shown-text.ts";
import {
  compareCounters,
  comparePrereleases,
  compareRangeNumbers,
  type PrereleaseIdentifier,
  type RangeNumbers,
} from "./order.ts";
import { noSuffix, readSuffix, semverIdentifiers, type Suffix, type SuffixRule } from "./suffix.ts";

/** One bound of a range: an operator and a version with three numbers. */
export interface Comparator extends RangeNumbers {
  readonly operator: "=" | "<" | ">" | "<=" | ">=";
  /** The suffix by each rule. With an empty shape, the bound accepts any flavour. */
  readonly suffix: Readonly<Record<Exclude<SuffixRule, "semver">, Suffix>>;
  /** The suffix as a pre-release of semver. */
  readonly identifiers: readonly PrereleaseIdentifier[];
}

/**
 * A parsed semver range. A version fits a range if it fits all bounds of one alternative. An
 * alternative without bounds fits any version.
 *
 * `prereleases` is the range with pre-releases allowed: in npm, open ends then begin at the first
 * pre-release (`1.x` at 1.0.0-0).
 */
export interface VersionRange {
  readonly text: string;
  /** True if a lower bound ends with `-0`, the lowest pre-release of semver: `>=1.0.0-0`. */
  readonly namesFirstPrerelease: boolean;
  readonly releases: readonly (readonly Comparator[])[];
  readonly prereleases: readonly (readonly Comparator[])[];
}

/** The problem of an invalid range. `message` shows the text and the position of the error. */
export interface RangeProblem {
  readonly code: "range-invalid";
  readonly message: string;
}

/** The position of an error and its reason. */
interface Fault {
  readonly at: number;
  readonly why?: string;
}

const LONGEST_RANGE = 1_000;

/**
 * Parses a range of npm's semver. A comma means "and", `=<` and `=>` mean `<=` and `>=`, and the
 * empty range fits any version.
 *
 * Rejects mistakes that npm reads as a wider range, such as `1.2 ||`, `+5` and `1.x.3`.
 *
 * @see https://github.com/npm/node-semver#ranges
 */
export function parseRange(text: string): Result<VersionRange, RangeProblem> {
  if (text.length > LONGEST_RANGE) return refuse(shortened(text, 40), `longer than ${LONGEST_RANGE} characters`);
  const sides = (isEmptyRange(text) ? "*" : text).replaceAll("=<", "<=").replaceAll("=>", ">=").split("||");
  let from = 0;
  for (const side of sides) {
    const fault = faultOfSide(side);
    if (fault !== undefined) return refuse(text, told(from + fault.at, fault.why));
    from += side.length + "||".length;
  }
  const releases = sides.map((side) => boundsOf(side, false));
  // If one side fits any release, npm ignores the other sides, even if they name a pre-release.
  const takesAny = releases.some((bounds) => bounds.length === 0);
  return ok({
    text,
    namesFirstPrerelease: [...text.matchAll(FIRST_PRERELEASE)].some(({ groups }) => groups?.upper === undefined),
    releases: takesAny ? [[]] : releases,
    prereleases: sides.map((side) => boundsOf(side, true)),
  });
}

/**
 * Matches a bound that ends with `-0`. `upper` is the sign of an upper bound: `<2.0.0-0` excludes
 * pre-releases, and names none.
 */
const FIRST_PRERELEASE = /(?<upper>(?:<=?|(?<=\s)-)\s*)?(?<![\d.])v?\d+\.\d+\.\d+-0+(?=$|[\s,|])/g;

/** Returns whether a text is an empty range: only blanks and `||`. */
export function isEmptyRange(text: string): boolean {
  return text.replaceAll("||", "").trim() === "";
}

function refuse(text: string, why: string): Result<never, RangeProblem> {
  return problem({ code: "range-invalid", message: `"${text}": not a range (${why})` });
}

function told(at: number, why: string | undefined): string {
  const place = `character ${Math.max(0, at) + 1}`;
  return why === undefined ? place : `${place}: ${why}`;
}

/** Matches the `v` of a version, because npm reads `>=v0.0.0` differently from `>=0.0.0`. */
const VERSION_PREFIX = /(?<![\w.+-])v/g;

/** Maps npm's operators to literals, which JavaScript compares faster than npm's substrings. */
const OPERATORS = { "": "=", "=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">=" } as const;

/**
 * Returns the bounds of one side. Each part is parsed alone: npm has no comma, and a hyphen range
 * must stand alone.
 */
function boundsOf(side: string, includePrerelease: boolean): readonly Comparator[] {
  return side
    .split(",")
    .flatMap((part) => new Range(withoutPadding(part.replace(VERSION_PREFIX, "")), { includePrerelease }).set.flat())
    .filter(({ value }) => value !== "")
    .map(({ operator, semver: { major, minor, patch, prerelease } }) => {
      return { operator: OPERATORS[operator], major, minor, patch, ...boundSuffix(prerelease) };
    });
}

/** Matches the numbers of a version, and its suffix. */
const VERSION = /(\d[\dxX*.]*)(-[0-9A-Za-z.-]+)?/g;

/** Returns a side of a range without the leading zeros of its numbers, because npm rejects them. */
function withoutPadding(part: string): string {
  const plain = (text: string): string => text.replace(/^(-?)0+(?=\d+$)/, "$1");
  return part.replace(VERSION, (_, numbers: string, suffix = "") =>
    [numbers, suffix].map((text: string) => text.split(".").map(plain).join(".")).join(""),
  );
}

/**
 * Reads the suffix of a bound as the suffix of a tag. `-0` is the lowest pre-release. npm leaves
 * numbers from 2^53 - 1 on as texts.
 */
function boundSuffix(npmIdentifiers: readonly PrereleaseIdentifier[]): Pick<Comparator, "suffix" | "identifiers"> {
  const joined = npmIdentifiers.join(".");
  const identifiers = joined === "" ? [] : semverIdentifiers(joined);
  const isFirst = identifiers.length === 1 && identifiers[0] === 0;
  const text = joined === "" ? "" : `-${joined}`;
  const read = (rule: SuffixRule): Suffix =>
    (isFirst ? undefined : readSuffix(text, 0, rule)) ?? { ...noSuffix, prerelease: identifiers };
  return { suffix: { flavour: read("flavour"), exact: read("exact"), revision: read("revision") }, identifiers };
}

/** Returns the first fault of one side. All parts between commas must fit. */
function faultOfSide(side: string): Fault | undefined {
  const parts = side.split(",");
  let from = 0;
  for (const part of parts) {
    if (part.trim() === "" && parts.length > 1)
      return { at: from === 0 ? part.length : from - 1, why: "one side of the comma is empty" };
    const fault = faultOfPart(part);
    if (fault !== undefined) return { ...fault, at: from + fault.at };
    from += part.length + ",".length;
  }
  return undefined;
}

/** Matches an operator with its version, or any text in its place. */
const COMPARISON = /[<>=~^]+\s*\S*|\S+/g;
/** Matches a hyphen range: two versions without operators. */
const SPAN = /^\s*[^\s<>=~^]+\s+-\s+[^\s<>=~^]+\s*$/;

function faultOfPart(part: string): Fault | undefined {
  if (part.trim() === "") return { at: -1 };
  const texts = [...part.matchAll(COMPARISON)];
  for (const { 0: text, index } of texts) {
    const fault = text === "-" ? undefined : faultOfComparison(text);
    if (fault !== undefined) return { ...fault, at: index + fault.at };
  }
  const dash = texts.findLast(([text]) => text === "-");
  if (dash !== undefined && !SPAN.test(part)) return { at: dash.index };
  return validRange(withoutPadding(part)) === null
    ? { at: part.search(/\S/), why: "a version is longer than npm's limit" }
    : undefined;
}

/**
 * Matches an operator and up to three parts of a version. As in npm, `~>` and `~=` mean `~`, and
 * `^=` means `^`.
 */
const SHAPE = /^(?:[<>^]=?|~[>=]?|=)?\s*v?((?:\d+|[xX*])(?:\.(?:\d+|[xX*])){0,2})?/;
/** Matches a number that JavaScript can't represent exactly, or a number after an x. */
const ODD_NUMBER = /(?<!\d)(?:\d{17}|9\d{15})|(?<=[xX*]\.)\d/;
/**
 * Matches a suffix after one or two numbers, a pre-release after an x, or build metadata without a
 * number.
 */
const LACKS_NUMBERS = /^(?:\d+(?:\.\d+)?[-+]|[\dxX*.]*[xX*]-|[xX*.]+\+)/;
/**
 * Matches a pre-release and build metadata, as long as they are valid:
 * https://semver.org/#spec-item-9
 */
const SUFFIX = /^(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?/;

function faultOfComparison(text: string): Fault | undefined {
  const [matched = "", parts] = SHAPE.exec(text) ?? [];
  if (parts === undefined) return { at: matched.length };
  const from = matched.length - parts.length;
  const odd = parts.search(ODD_NUMBER);
  if (odd !== -1) return { at: from + odd };
  if (LACKS_NUMBERS.test(text.slice(from)))
    return { at: matched.length, why: "a suffix needs three numbers before it" };
  const [suffix = ""] = SUFFIX.exec(text.slice(matched.length)) ?? [];
  const end = matched.length + suffix.length;
  return end < text.length ? { at: end } : undefined;
}

/** The way in which a range reads a version. */
export interface RangeReading {
  readonly suffixes: SuffixRule;
  readonly allowPrerelease: boolean;
}

/**
 * Returns whether a version fits a range. The range compares the first three numbers.
 *
 * A pre-release fits only a range with a pre-release of the same three numbers, unless pre-releases
 * are allowed. A bound with a flavour (`>=1.3.0-alpine`) compares as its release does, and fits
 * only that flavour. By the rule `semver`, every suffix is an allowed pre-release.
 *
 * @see https://github.com/npm/node-semver#prerelease-tags
 */
export function rangeTakes(range: VersionRange, version: RangeNumbers, suffix: Suffix, reading: RangeReading): boolean {
  const allowPrerelease = allowsPrerelease(reading);
  const alternatives = allowPrerelease ? range.prereleases : range.releases;
  // The loops use no iterators, because iterators allocate memory, and this function runs for every
  // tag of a repository.
  for (let index = 0; index < alternatives.length; index++) {
    const bounds = alternatives[index];
    if (bounds !== undefined && holdAll(bounds, version, suffix, reading.suffixes)) {
      if (suffix.prerelease.length === 0 || allowPrerelease || namesPrerelease(bounds, version)) return true;
    }
  }
  return false;
}

/** Returns whether pre-releases are allowed. */
export function allowsPrerelease({ suffixes, allowPrerelease }: RangeReading): boolean {
  return allowPrerelease || suffixes === "semver";
}

/**
 * Returns whether a version with these numbers may fit a range. This check alone rejects most
 * versions.
 */
export function mayTake(range: VersionRange, version: RangeNumbers, allowPrerelease: boolean): boolean {
  const alternatives = allowPrerelease ? range.prereleases : range.releases;
  // As in rangeTakes, the loops allocate nothing.
  for (let index = 0; index < alternatives.length; index++) {
    const bounds = alternatives[index];
    if (bounds !== undefined && mayHoldAll(bounds, version)) return true;
  }
  return false;
}

function mayHoldAll(bounds: readonly Comparator[], version: RangeNumbers): boolean {
  for (let index = 0; index < bounds.length; index++) {
    const bound = bounds[index];
    if (bound !== undefined && !mayHold(bound, version)) return false;
  }
  return true;
}

function mayHold(bound: Comparator, version: RangeNumbers): boolean {
  const order = compareRangeNumbers(version, bound);
  return order === 0 || holds(bound.operator, order);
}

function holdAll(bounds: readonly Comparator[], version: RangeNumbers, suffix: Suffix, rule: SuffixRule): boolean {
  for (let index = 0; index < bounds.length; index++) {
    const bound = bounds[index];
    if (bound === undefined) continue;
    const order = compareRangeNumbers(version, bound) || compareSuffixes(suffix, bound, rule);
    if (!holds(bound.operator, order) || !hasFlavourOf(bound, suffix, rule)) return false;
  }
  return true;
}

/** Compares the suffix of a version with the suffix of a bound. Counters count only with a bound's. */
function compareSuffixes({ prerelease, counters }: Suffix, bound: Comparator, rule: SuffixRule): number {
  if (rule === "semver") return comparePrereleases(prerelease, bound.identifiers);
  const own = bound.suffix[rule];
  return (
    comparePrereleases(prerelease, own.prerelease) ||
    (own.counters.length === 0 ? 0 : compareCounters(counters, own.counters))
  );
}

function hasFlavourOf(bound: Comparator, suffix: Suffix, rule: SuffixRule): boolean {
  if (rule === "semver") return true;
  const own = bound.suffix[rule];
  return own.shape === "" || (rule === "revision" ? own.flavour === suffix.flavour : own.shape === suffix.shape);
}

function namesPrerelease(bounds: readonly Comparator[], version: RangeNumbers): boolean {
  return bounds.some(
    (bound) => bound.suffix.flavour.prerelease.length > 0 && compareRangeNumbers(version, bound) === 0,
  );
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
