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

/** Which versions a policy wants. */
export interface VersionRule {
  readonly range?: VersionRange;
  readonly allowPrerelease: boolean;
  readonly allowDowngrade: boolean;
}

/** What candidates must look like, for what runs now. `running` is missing when that is not a version. */
interface Candidates {
  readonly partCount: number;
  readonly flavour: string;
  readonly running: TagScan | undefined;
  /** Whether what runs looks like a version that can't be read: nobody can say that a candidate is not older. */
  readonly isInDoubt: boolean;
}

/** Where there are fewer than three numbers, a first one that is longer is a date or a build number, not a version. */
const HIGHEST_FIRST_NUMBER = 99_999;

/** What may stand before the numbers of a version. */
const PREFIX = /^(?:version-|release-|v)/i;
/** A year, a month and a day; a year and a month by themselves or before a commit; and the year behind the others. */
const DATES_WITH_DASHES = [
  /^(?:19|20)\d\d-(?:0?[1-9]|1[0-2])-(?:0?[1-9]|[12]\d|3[01])(?!\d)/,
  /^(?:19|20)\d\d-(?:0?[1-9]|1[0-2])(?:$|[-_.](?=[a-f]*\d)[0-9a-f]{6,}(?![0-9a-z]))/i,
  /^(?:0?[1-9]|[12]\d|3[01])-(?:0?[1-9]|[12]\d|3[01])-(?:19|20)\d\d(?!\d)/,
];

/**
 * Begins with a number that may be a version's. Six digits and more are a date or a build number, as {@link HIGHEST_FIRST_NUMBER} has it, and
 * as many hexadecimal ones by themselves a commit.
 */
const NUMBER_FIRST = /^(?!\d{6}|[0-9a-f]{6,}(?![0-9a-z]))\d/i;

/**
 * The highest version that fits wins, of the running tag's flavour and number of parts.
 *
 * A running tag of which a filter makes no version counts as the version that it is by itself: a lower one stays lower. One that looks like a
 * version and is none may be higher than any.
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

/** Where nothing runs, any release will do. */
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

/** Whether a text has a number in front that is no date's, or a dot between two. */
function looksLikeVersion(text: string): boolean {
  return /\d\.\d/.test(text) || (NUMBER_FIRST.test(text.replace(PREFIX, "")) && !isDateWithDashes(text));
}

/** One number that is a date or a build number. */
function isBuildNumber(scan: TagScan): boolean {
  return beginsDate(scan) || (scan.partCount === 1 && isDated(scan));
}

/** Whether what stands behind the one number of a scan makes a date of both. */
function beginsDate({ partCount, text }: TagScan): boolean {
  return partCount === 1 && isDateWithDashes(text);
}

function isDateWithDashes(text: string): boolean {
  const numbers = text.replace(PREFIX, "");
  return DATES_WITH_DASHES.some((date) => date.test(numbers));
}

/** Whether a version begins as a date does, or a build number: three numbers are a version, however long they are. */
function isDated({ partCount, major }: TagScan): boolean {
  return partCount < 3 && major > HIGHEST_FIRST_NUMBER;
}

/** Two scans take turns: one holds the highest so far, the other the tag that is looked at. */
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
    // Most tags end at their numbers: the suffix is read where these leave it open whether the tag is the highest. No numbers are below zero.
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

/** Why a scanned tag is no candidate, whatever version runs. */
function unfit(scan: TagScan, rule: VersionRule, wanted: Candidates): TagRejection | undefined {
  const { running, flavour, partCount } = wanted;
  if (isDated(scan) && (running === undefined || !isDated(running))) return "not-a-version";
  if (beginsDate(scan) || (scan.bare && running?.bare !== true)) return "not-a-version";
  if (!hasFlavour(scan, flavour)) return "other-flavour";
  if (scan.partCount !== partCount) return "other-precision";
  return outside(rule, scan, flavour);
}

/** Whether the range leaves it to what stands behind the numbers: what it does not is no candidate. */
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
