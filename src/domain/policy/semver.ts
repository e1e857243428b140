import type { TagRejection } from "../shared/reasons.ts";
import { compareNumbers, compareTies } from "../version/order.ts";
import { mayTake, rangeTakes, type VersionRange } from "../version/range.ts";
import {
  compareScans,
  emptyScan,
  scannedPrerelease,
  scanNumbers,
  scanSuffix,
  scanTag,
  type TagScan,
} from "../version/scan.ts";
import { type CandidateTag, laterOf, nameOf } from "./candidate-tag.ts";
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
  readonly allowPrerelease: boolean;
  readonly allowDowngrade: boolean;
}

/**
 * The form of a candidate for the running tag. `running` is absent when that tag is not a version.
 */
interface Candidates {
  readonly partCount: number;
  readonly flavour: string;
  readonly running: TagScan | undefined;
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
 * Selects the highest version that fits, with the flavour and the number of parts of the running
 * tag.
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
  const { running, isInDoubt } = candidates;
  const valueOf = isOpen(filter) ? nameOf : (tag: CandidateTag) => usableValue(filter, nameOf(tag));
  return {
    rank: (tags) => rankingOf(highestVersion(rule, candidates, tags, valueOf)),
    rejection: (tag) => rejection(rule, candidates, filter, nameOf(tag)),
    select({ best }) {
      if (best === undefined) return { kind: "none", reason: "no-tag-fits" };
      if (isInDoubt && !rule.allowDowngrade) return { kind: "none", reason: "current-tag-not-comparable" };
      const order = running === undefined ? 1 : compareScans(scanOf(best, filter), running);
      return selectionOf(nameOf(best), order, current?.tag, rule.allowDowngrade);
    },
  };
}

/**
 * Returns the form of candidates, or undefined if the running tag is no version and the rule has no
 * range.
 */
function candidatesFor(
  { range }: VersionRule,
  current: CurrentImage | undefined,
  filter: TagFilter,
): Candidates | undefined {
  const running = emptyScan();
  const texts = current?.tag === undefined ? [] : [extracted(filter, current.tag) ?? "", current.tag];
  const text = texts.find((each) => scanTag(each, running) && !isBuildNumber(running));
  if (text !== undefined)
    return { partCount: running.partCount, flavour: text.slice(running.flavourFrom), running, isInDoubt: false };
  if (current !== undefined && range === undefined) return undefined;
  const isInDoubt = texts.some(looksLikeVersion);
  return { partCount: 3, flavour: "", running: undefined, isInDoubt };
}

function scanOf(tag: CandidateTag, filter: TagFilter): TagScan {
  const scan = emptyScan();
  scanTag(extracted(filter, nameOf(tag)) ?? "", scan);
  return scan;
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
): CandidateTag | undefined {
  let scan = emptyScan();
  let highestScan = emptyScan();
  let found: CandidateTag | undefined;
  for (const tag of tags) {
    const value = valueOf(tag);
    // A tag with lower numbers than the highest tag can't win, so its suffix is not parsed. The
    // first tag is compared with zeros, and no number is negative.
    if (value === undefined || !scanNumbers(value, scan) || compareNumbers(scan, highestScan) < 0) continue;
    if (!mayFit(rule, scan) || !scanSuffix(scan)) continue;
    if (found !== undefined) {
      const order = compareScans(scan, highestScan) || compareTies(nameOf(tag), nameOf(found));
      if (order === 0) found = laterOf(found, tag);
      if (order <= 0) continue;
    }
    if (unfit(scan, rule, candidates) !== undefined) continue;
    [highestScan, scan] = [scan, highestScan];
    found = tag;
  }
  return found;
}

function rejection(
  rule: VersionRule,
  candidates: Candidates,
  filter: TagFilter,
  tag: string,
): TagRejection | undefined {
  const filtered = filterTag(filter, tag);
  if (!filtered.ok) return filtered.problem;
  const scan = emptyScan();
  if (!scanTag(filtered.value, scan)) return "not-a-version";
  return unfit(scan, rule, candidates) ?? tooOld(scan, rule, candidates);
}

/** Returns the rejection of a scanned tag that does not depend on the running version. */
function unfit(scan: TagScan, rule: VersionRule, wanted: Candidates): TagRejection | undefined {
  const { running, flavour, partCount } = wanted;
  if (isDated(scan) && (running === undefined || !isDated(running))) return "not-a-version";
  if (beginsDate(scan) || (scan.bare && running?.bare !== true)) return "not-a-version";
  if (!hasFlavour(scan, flavour)) return "other-flavour";
  if (scan.partCount !== partCount) return "other-precision";
  if (running !== undefined && !isKept(rule, scan, running)) return "outside-range";
  return outside(rule, scan, flavour);
}

function isKept({ keeps }: VersionRule, scan: TagScan, running: TagScan): boolean {
  if (keeps === undefined) return true;
  return scan.major === running.major && (keeps === "major" || scan.minor === running.minor);
}

/** Returns whether a version may fit the range, before its suffix is parsed. */
function mayFit({ range, allowPrerelease }: VersionRule, scan: TagScan): boolean {
  return range === undefined || mayTake(range, scan, allowPrerelease);
}

function outside({ range, allowPrerelease }: VersionRule, scan: TagScan, flavour: string): TagRejection | undefined {
  const isRelease = scan.prereleaseFrom === scan.prereleaseTo;
  if (range === undefined) return isRelease || allowPrerelease ? undefined : "pre-release";
  if (scanFits(range, scan, flavour, allowPrerelease)) return undefined;
  return isRelease || !scanFits(range, scan, flavour, true) ? "outside-range" : "pre-release";
}

function hasFlavour(scan: TagScan, flavour: string): boolean {
  return scan.text.length - scan.flavourFrom === flavour.length && scan.text.endsWith(flavour);
}

function scanFits(range: VersionRange, scan: TagScan, flavour: string, allowPrerelease: boolean): boolean {
  return rangeTakes(range, scan, scannedPrerelease(scan), flavour, allowPrerelease);
}

function tooOld(scan: TagScan, { allowDowngrade }: VersionRule, { running }: Candidates): TagRejection | undefined {
  if (running === undefined || allowDowngrade) return undefined;
  return compareScans(scan, running) < 0 ? "older-than-current" : undefined;
}
