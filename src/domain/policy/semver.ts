import type { TagRejection } from "../shared/reasons.ts";
import { compareCounters, compareNumbers, comparePrereleases } from "../version/order.ts";
import { allowsPrerelease, mayTake, rangeTakes, type VersionRange } from "../version/range.ts";
import { emptyScan, prefixLength, scanNumbers, type TagScan } from "../version/scan.ts";
import { noSuffix, readSuffix, type Suffix, type SuffixRule } from "../version/suffix.ts";
import { type CandidateTag, laterOf, nameOf } from "./candidate-tag.ts";
import { type CompareEqualTags, equalTagOrder, replacesEqual, withRunning } from "./equal-tags.ts";
import { rankingOf, type TagSelector, type CurrentImage, selectionOf } from "./tag-selector.ts";
import { extracted, filterTag, isOpen, type TagFilter, usableValue } from "./tag-filter.ts";

/**
 * `major`: candidates keep the major number of the running version. `minor`: candidates keep its
 * major and minor number.
 */
export type KeptPart = "major" | "minor";

/** The versions that a policy accepts. */
export interface VersionRule {
  readonly range?: VersionRange;
  /**
   * The part of the version that must not change. Absent if the policy accepts any higher version.
   */
  readonly keeps?: KeptPart;
  /** Absent: `flavour`, or `semver` for a range that names `-0` where no flavour can be lost. */
  readonly suffixes?: SuffixRule;
  readonly allowPrerelease: boolean;
  readonly allowDowngrade: boolean;
}

/** A tag whose numbers and suffix are read, after its lead. */
interface ReadTag {
  readonly scan: TagScan;
  readonly suffix: Suffix;
}

/**
 * The form of a candidate for the running tag. `running` is absent when that tag is not a version.
 */
export interface Candidates {
  /** The words before the version, which candidates have too: `alpine-` of `alpine-v17.2.0`. */
  readonly lead: string;
  readonly partCount: number;
  readonly suffixes: SuffixRule;
  /** The suffix whose shape candidates have. */
  readonly suffix: Suffix;
  readonly running: ReadTag | undefined;
  /** True if the running tag looks like an invalid version, so no candidate is proved newer. */
  readonly isInDoubt: boolean;
}

/**
 * The highest first number of a version with fewer than three numbers. A higher number is a date or
 * a build number.
 */
const HIGHEST_FIRST_NUMBER = 99_999;

/** The text that may precede a version. */
const PREFIX = /^(?:version-|release-|v)/i;
/**
 * Dates with dashes: a year, a month and a day; a year and a month, alone or before a commit; dates
 * with the year at the end.
 */
const DATES_WITH_DASHES = [
  /^(?:19|20)\d\d-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])(?!\d)/,
  /^(?:19|20)\d\d-(?:0?[1-9]|1[0-2])(?:$|[-_.](?=[a-f]*\d)[0-9a-f]{6,}(?![0-9a-z]))/i,
  /^(?:0?[1-9]|[12]\d|3[01])-(?:0?[1-9]|[12]\d|3[01])-(?:19|20)\d\d(?!\d)/,
];

/**
 * Matches a number at the start that may belong to a version. Longer numbers are dates, build
 * numbers or commits.
 */
const NUMBER_FIRST = /^(?!\d{6}|[0-9a-f]{6,}(?![0-9a-z]))\d/i;

/**
 * Selects the highest version that fits, with the suffix shape and the number of parts of the
 * running tag.
 *
 * Lookout also compares a running tag that the filter rejects, so that Lookout selects no lower
 * version. A running tag that looks like an invalid version may be higher than any other tag.
 */
export function semverSelector(rule: VersionRule, current: CurrentImage | undefined, filter: TagFilter): TagSelector {
  const candidates = candidatesFor(rule, current, filter);
  if (candidates === undefined) {
    return {
      rank: () => ({}),
      rejection: () => undefined,
      select: () => ({ kind: "none", reason: "current-tag-not-a-version" }),
    };
  }
  const { running, isInDoubt, suffixes } = candidates;
  const filtered = isOpen(filter) ? nameOf : (tag: CandidateTag) => usableValue(filter, nameOf(tag));
  const valueOf = candidates.lead === "" ? filtered : (tag: CandidateTag) => withoutLead(filtered(tag), candidates);
  const isExtracted = filter.extract !== undefined;
  const compareEqual = equalTagOrder(current, isExtracted, candidates.lead);
  return {
    rank(tags) {
      // An iterable may be read only once, and two values are read from it.
      const listed = isExtracted ? [...tags] : tags;
      const ranking = rankingOf(highestVersion(rule, candidates, listed, valueOf, compareEqual));
      return isExtracted ? withRunning(ranking, current, listed) : ranking;
    },
    rejection: (tag) => rejection(rule, candidates, filter, nameOf(tag)),
    select(ranking) {
      const { best } = ranking;
      const text = best === undefined ? undefined : withoutLead(extracted(filter, nameOf(best)), candidates);
      const read = text === undefined ? undefined : readTag(text, suffixes);
      if (best === undefined || read === undefined) return { kind: "none", reason: "no-tag-fits" };
      if (isInDoubt && !rule.allowDowngrade) return { kind: "none", reason: "current-tag-not-comparable" };
      const order = running === undefined ? 1 : compareRead(read, running);
      const isReplaced = order === 0 && replacesEqual(best, current, ranking, isExtracted);
      return selectionOf(nameOf(best), isReplaced ? 1 : order, current?.tag, rule.allowDowngrade);
    },
  };
}

/**
 * Returns the form of candidates, or undefined if the running tag is no version and the rule has no
 * range.
 */
export function candidatesFor(
  rule: VersionRule,
  current: CurrentImage | undefined,
  filter: TagFilter,
): Candidates | undefined {
  const texts = current?.tag === undefined ? [] : [extracted(filter, current.tag) ?? "", current.tag];
  for (const text of texts) {
    const lead = leadOf(text);
    const version = text.slice(lead.length);
    const suffixes = suffixesFor(rule, version);
    const running = readTag(version, suffixes);
    if (running === undefined || isBuildNumber(running.scan)) continue;
    return { lead, partCount: running.scan.partCount, suffixes, suffix: running.suffix, running, isInDoubt: false };
  }
  if (current !== undefined && rule.range === undefined) return undefined;
  const isInDoubt = texts.some(looksLikeVersion);
  const form = { lead: "", partCount: 3, suffix: noSuffix, running: undefined };
  return { ...form, suffixes: suffixesFor(rule, current?.tag), isInDoubt };
}

/**
 * Matches words before a version of three or more numbers: `alpine-v17.2.0`, `linux-amd64-2.20.3`.
 * Of two numbers, as in `ubuntu-22.04`, the word may name a system and its version. A suffix with a
 * dotted number, as in `alpine-3.19.1-2.4.1`, is a second version.
 */
const LEAD = /^(?:[A-Za-z][A-Za-z0-9.]*[-_])+(?=[vV]?\d+(?:\.\d+){2,5}(?![\d.]))(?![^-_]*[-_](?:.*[-_])?\d+\.\d)/;

/** Returns the words before a version; empty for a version with one of the prefixes or without. */
function leadOf(tag: string): string {
  if (prefixLength(tag) >= 0 && scanNumbers(tag, emptyScan())) return "";
  return LEAD.exec(tag)?.[0] ?? "";
}

/** Returns the text after the lead of candidates, or undefined for a tag with another lead. */
export function withoutLead(text: string | undefined, { lead }: Candidates): string | undefined {
  return text?.startsWith(lead) === true ? text.slice(lead.length) : undefined;
}

/**
 * Returns the way to read suffixes. A range that names `-0` means `semver` only if nothing runs, or
 * if the running tag has no flavour. Otherwise `>=16.0.0-0` would replace `-alpine` by `-bookworm`.
 */
function suffixesFor({ suffixes, range }: VersionRule, running: string | undefined): SuffixRule {
  if (suffixes !== undefined) return suffixes;
  if (range?.namesFirstPrerelease !== true) return "flavour";
  return running === undefined || readTag(running, "flavour")?.suffix.flavour === "" ? "semver" : "flavour";
}

function readTag(text: string, suffixes: SuffixRule): ReadTag | undefined {
  const scan = emptyScan();
  if (!scanNumbers(text, scan)) return undefined;
  const suffix = readSuffix(text, scan.suffixFrom, suffixes);
  return suffix === undefined ? undefined : { scan, suffix };
}

function compareRead(one: ReadTag, other: ReadTag): number {
  return compareNumbers(one.scan, other.scan) || compareSuffixes(one.suffix, other.suffix);
}

function compareSuffixes(one: Suffix, other: Suffix): number {
  return comparePrereleases(one.prerelease, other.prerelease) || compareCounters(one.counters, other.counters);
}

/**
 * Returns whether a text starts with a number that is no date, or has a dot between two numbers.
 */
function looksLikeVersion(text: string): boolean {
  return /\d\.\d/.test(text) || (NUMBER_FIRST.test(text.replace(PREFIX, "")) && !isDateWithDashes(text));
}

/** Returns whether a single number is a date or a build number. */
function isBuildNumber(scan: TagScan): boolean {
  return beginsDate(scan) || (scan.partCount === 1 && isDated(scan));
}

/** Returns whether a single number and its suffix are a date. */
function beginsDate({ partCount, text }: TagScan): boolean {
  return partCount === 1 && isDateWithDashes(text);
}

function isDateWithDashes(text: string): boolean {
  const numbers = text.replace(PREFIX, "");
  return DATES_WITH_DASHES.some((date) => date.test(numbers));
}

/**
 * Returns whether a version starts like a date or a build number. Three numbers are always a
 * version.
 */
function isDated({ partCount, major }: TagScan): boolean {
  return partCount < 3 && major > HIGHEST_FIRST_NUMBER;
}

/**
 * Returns the highest version that fits. Two scans are reused: for the highest tag so far, and for
 * the current tag.
 */
function highestVersion(
  rule: VersionRule,
  candidates: Candidates,
  tags: Iterable<CandidateTag>,
  valueOf: (tag: CandidateTag) => string | undefined,
  compareEqual: CompareEqualTags,
): CandidateTag | undefined {
  let scan = emptyScan();
  let highestScan = emptyScan();
  let highestSuffix = noSuffix;
  let found: CandidateTag | undefined;
  for (const tag of tags) {
    const value = valueOf(tag);
    // A tag with lower numbers than the highest tag can't win, so its suffix is not parsed. The
    // first tag is compared with zeros, and no number is negative.
    if (value === undefined || !scanNumbers(value, scan)) continue;
    const numbers = compareNumbers(scan, highestScan);
    const suffix = numbers < 0 ? undefined : fittingSuffix(value, scan, rule, candidates);
    if (suffix === undefined) continue;
    if (found !== undefined) {
      const order = numbers || compareSuffixes(suffix, highestSuffix) || compareNames(tag, found, compareEqual);
      if (order === 0) found = laterOf(found, tag);
      if (order <= 0) continue;
    }
    if (unfit({ scan, suffix }, rule, candidates) !== undefined) continue;
    [highestScan, scan] = [scan, highestScan];
    highestSuffix = suffix;
    found = tag;
  }
  return found;
}

/** Reads the suffix of a tag whose numbers may fit the range. */
function fittingSuffix(value: string, scan: TagScan, rule: VersionRule, candidates: Candidates): Suffix | undefined {
  return mayFit(rule, candidates, scan) ? readSuffix(value, scan.suffixFrom, candidates.suffixes) : undefined;
}

/** Orders two tags with equal values. Returns zero for two entries of one tag. */
function compareNames(one: CandidateTag, other: CandidateTag, compareEqual: CompareEqualTags): number {
  return nameOf(one) === nameOf(other) ? 0 : compareEqual(one, other);
}

function rejection(
  rule: VersionRule,
  candidates: Candidates,
  filter: TagFilter,
  tag: string,
): TagRejection | undefined {
  const filtered = filterTag(filter, tag);
  if (!filtered.ok) return filtered.problem;
  const version = withoutLead(filtered.value, candidates);
  if (version === undefined) return readTag(filtered.value, candidates.suffixes) ? "other-flavour" : "not-a-version";
  const read = readTag(version, candidates.suffixes);
  if (read === undefined) return "not-a-version";
  return unfit(read, rule, candidates) ?? tooOld(read, rule, candidates);
}

/** Returns the rejection of a read tag that does not depend on the running version. */
function unfit({ scan, suffix }: ReadTag, rule: VersionRule, wanted: Candidates): TagRejection | undefined {
  const running = wanted.running?.scan;
  if (isOtherKind(scan, running)) return "not-a-version";
  if (!hasShape(suffix, wanted)) return "other-flavour";
  if (scan.partCount !== wanted.partCount) return "other-precision";
  if (running !== undefined && !isKept(rule, scan, running)) return "outside-range";
  return outside(rule, scan, suffix, wanted);
}

/** Returns whether a version keeps the part of the running version that must not change. */
export function isKept({ keeps }: Pick<VersionRule, "keeps">, scan: TagScan, running: TagScan): boolean {
  if (keeps === undefined) return true;
  return scan.major === running.major && (keeps === "major" || scan.minor === running.minor);
}

/** Returns whether a candidate is a date, a build number or a single number, and the running tag is not. */
function isOtherKind(scan: TagScan, running: TagScan | undefined): boolean {
  if (isDated(scan) && (running === undefined || !isDated(running))) return true;
  return beginsDate(scan) || (scan.bare && running?.bare !== true);
}

/** Returns whether a version may fit the range, before its suffix is parsed. */
function mayFit({ range, allowPrerelease }: VersionRule, { suffixes }: Candidates, scan: TagScan): boolean {
  return range === undefined || mayTake(range, scan, allowsPrerelease({ suffixes, allowPrerelease }));
}

function outside(
  { range, allowPrerelease }: VersionRule,
  scan: TagScan,
  suffix: Suffix,
  { suffixes }: Candidates,
): TagRejection | undefined {
  const isAllowed = suffix.prerelease.length === 0 || allowsPrerelease({ suffixes, allowPrerelease });
  if (range === undefined) return isAllowed ? undefined : "pre-release";
  const fits = (allowed: boolean): boolean => rangeTakes(range, scan, suffix, { suffixes, allowPrerelease: allowed });
  if (fits(allowPrerelease)) return undefined;
  return isAllowed || !fits(true) ? "outside-range" : "pre-release";
}

/** Returns whether a suffix has the shape of the wanted suffix. */
function hasShape(suffix: Suffix, { suffix: wanted, suffixes }: Candidates): boolean {
  switch (suffixes) {
    case "semver":
      return true;
    case "flavour":
    case "exact":
      return suffix.shape === wanted.shape;
    case "revision": {
      const [short, long] =
        suffix.forms.length < wanted.forms.length ? [suffix.forms, wanted.forms] : [wanted.forms, suffix.forms];
      return suffix.flavour === wanted.flavour && short.every((form, index) => form === long[index]);
    }
  }
}

function tooOld(read: ReadTag, { allowDowngrade }: VersionRule, { running }: Candidates): TagRejection | undefined {
  if (running === undefined || allowDowngrade) return undefined;
  return compareRead(read, running) < 0 ? "older-than-current" : undefined;
}
