import type { TagRejection } from "../reasons.ts";
import { compareNumbers, compareTies } from "../version-order.ts";
import { rangeTakes, type VersionRange } from "../version-range.ts";
import {
  compareScans,
  emptyScan,
  scannedPrerelease,
  scanNumbers,
  scanSuffix,
  scanTag,
  type TagScan,
} from "../version-scan.ts";
import { type CandidateTag, laterOf, nameOf } from "./candidate-tag.ts";
import { bestIs, type Contest, type CurrentImage, verdictOf } from "./contest.ts";
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
}

/** A number alone that is longer is a date or a build number, not a version. */
const LONGEST_BARE_VERSION = 99_999;

/**
 * The highest version that fits wins, of the running tag's flavour and number of parts.
 *
 * A running tag that a filter's pattern does not match counts as the version that it is by itself: a lower one stays lower.
 */
export function semverContest(rule: VersionRule, current: CurrentImage | undefined, filter: TagFilter): Contest {
  const candidates = candidatesFor(rule, current, filter);
  if (candidates === undefined) {
    return {
      looksFor: "nothing",
      standing: () => ({ looksFor: "nothing" }),
      rejection: () => undefined,
      verdict: () => ({ kind: "none", reason: "current-tag-not-a-version" }),
    };
  }
  const { running, partCount, flavour } = candidates;
  const valueOf = isOpen(filter) ? nameOf : (tag: CandidateTag) => usableValue(filter, nameOf(tag));
  const looksFor = `${partCount} ${running?.bare === true ? "bare" : "plain"} ${flavour}`;
  return {
    looksFor,
    standing: (tags) => ({ looksFor, ...bestIs(highest(rule, candidates, tags, valueOf)) }),
    rejection: (tag) => rejection(rule, candidates, filter, nameOf(tag)),
    verdict({ best }) {
      if (best === undefined) return { kind: "none", reason: "no-tag-fits" };
      const order = running === undefined ? 1 : compareScans(scanOf(best, filter), running);
      return verdictOf(nameOf(best), order, current?.tag, rule.allowDowngrade);
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
  const text = current?.tag === undefined ? undefined : (extracted(filter, current.tag) ?? current.tag);
  if (text !== undefined && scanTag(text, running) && !isBuildNumber(running)) {
    return { partCount: running.partCount, flavour: text.slice(running.flavourFrom), running };
  }
  const isComparable = current === undefined || range !== undefined;
  return isComparable ? { partCount: 3, flavour: "", running: undefined } : undefined;
}

function scanOf(tag: CandidateTag, filter: TagFilter): TagScan {
  const scan = emptyScan();
  scanTag(extracted(filter, nameOf(tag)) ?? "", scan);
  return scan;
}

function isBuildNumber(scan: TagScan): boolean {
  return scan.partCount === 1 && scan.major > LONGEST_BARE_VERSION;
}

/** Two scans take turns: one holds the highest so far, the other the tag that is looked at. */
function highest(
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
    // Most tags end at their numbers; neither the suffix is read nor the range asked.
    if (value === undefined || !scanNumbers(value, scan)) continue;
    if (found !== undefined) {
      if (compareNumbers(scan, highestScan) < 0 || !scanSuffix(scan)) continue;
      const order = compareScans(scan, highestScan) || compareTies(nameOf(tag), nameOf(found));
      if (order === 0) found = laterOf(found, tag);
      if (order <= 0) continue;
    } else if (!scanSuffix(scan)) continue;
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
  if (isBuildNumber(scan)) return "not-a-version";
  if (scan.bare && wanted.running?.bare !== true) return "not-a-version";
  if (!hasFlavour(scan, wanted.flavour)) return "other-flavour";
  if (scan.partCount !== wanted.partCount) return "other-precision";
  return outside(rule, scan);
}

function outside({ range, allowPrerelease }: VersionRule, scan: TagScan): TagRejection | undefined {
  const isRelease = scan.prereleaseFrom === scan.prereleaseTo;
  if (range === undefined) return isRelease || allowPrerelease ? undefined : "pre-release";
  if (scanFits(range, scan, allowPrerelease)) return undefined;
  return isRelease || !scanFits(range, scan, true) ? "outside-range" : "pre-release";
}

function hasFlavour(scan: TagScan, flavour: string): boolean {
  return scan.text.length - scan.flavourFrom === flavour.length && scan.text.endsWith(flavour);
}

function scanFits(range: VersionRange, scan: TagScan, allowPrerelease: boolean): boolean {
  return rangeTakes(range, scan, scannedPrerelease(scan), allowPrerelease);
}

function tooOld(scan: TagScan, { allowDowngrade }: VersionRule, { running }: Candidates): TagRejection | undefined {
  if (running === undefined || allowDowngrade) return undefined;
  return compareScans(scan, running) < 0 ? "older-than-current" : undefined;
}
