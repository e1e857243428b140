import { type SkipReason, skipReasons } from "../shared/reasons.ts";
import { compareTexts } from "../shared/text-order.ts";
import { compareCounters, compareNumbers, comparePrereleases, type VersionNumbers } from "../version/order.ts";
import { mayTake, rangeTakes } from "../version/range.ts";
import { emptyScan, scanNumbers, type TagScan } from "../version/scan.ts";
import { beginsPrerelease, noSuffix, readSuffix, type Suffix } from "../version/suffix.ts";
import { type CandidateTag, nameOf } from "./candidate-tag.ts";
import { filterOf, type SelectionRule, tagSelectorOf, type TagPolicy } from "./policy.ts";
import { type Candidates, candidatesFor, isKept, isOtherKind, withoutLead } from "./semver.ts";
import { isOpen, type TagFilter, usableValue } from "./tag-filter.ts";
import type { CurrentImage, TagSelector } from "./tag-selector.ts";

/** The newer tags that a policy skipped because of their form. */
export interface NewerSkipped {
  /** At most {@link mostCounted}, so that a stored count does not change with each build. */
  readonly count: number;
  /** The most frequent reason. */
  readonly reason: SkipReason;
  /** At most three of the tags, the highest first. */
  readonly tags: readonly string[];
}

/** The largest count. A table shows it as `10 or more`. */
export const mostCounted = 10;
const mostExamples = 3;

/** A skipped tag with its version. */
export interface NewerSkippedTag {
  readonly tag: string;
  readonly reason: SkipReason;
  readonly numbers: VersionNumbers;
  readonly suffix: Suffix;
}

/** Returns a summary of {@link newerSkippedTags}, or undefined if no tag was skipped. */
export function newerSkipped(...asked: Parameters<typeof newerSkippedTags>): NewerSkipped | undefined {
  const skipped = newerSkippedTags(...asked);
  return skipped.length === 0 ? undefined : summaryOf(skipped);
}

/**
 * Returns the tags that are newer than the selected tag, and that the policy skipped for their
 * suffix, their count of numbers, or as a newer pre-release of a running pre-release. Tags that
 * differ only in their commit count too, because their order is unknown.
 *
 * Tags outside the range and the filter are not wanted, so they are not counted. The result is
 * empty under any policy but `semver`, and if the running tag is no version.
 *
 * @param selected - the tag that the policy selects. Absent if it selects nothing.
 */
export function newerSkippedTags(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: Iterable<CandidateTag>,
  selected: string | undefined,
): readonly NewerSkippedTag[] {
  const compared = comparedBy(rule, current, selected);
  if (compared === undefined) return [];
  const found = new Map<string, NewerSkippedTag>();
  for (const candidate of highestNumbers(tags, compared)) {
    const version = newerVersion(candidate, compared);
    const reason = version === undefined ? undefined : reasonFor(candidate, version, compared);
    if (version === undefined || reason === undefined) continue;
    found.set(nameOf(candidate), { tag: nameOf(candidate), reason, numbers: version.scan, suffix: version.suffix });
  }
  return [...found.values()];
}

/**
 * Returns the tags of a listing that may be newer than the tag that the policy selects, at most
 * twice {@link mostRead}. {@link newerSkippedTags} finds the same tags among them.
 */
export function highestTags(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: Iterable<CandidateTag>,
): readonly CandidateTag[] {
  const compared = comparedBy(rule, current, undefined);
  if (compared === undefined) return [];
  // A lower tag may be selected, and then every tag above it counts.
  const scan = rule.allowDowngrade ? emptyScan() : compared.base.scan;
  // Pre-releases count only beside a pre-release, which may be selected too.
  const suffixes = [noSuffix, { ...noSuffix, prerelease: ["0"] }];
  const listed = [...tags];
  return [...new Set(suffixes.flatMap((suffix) => highestNumbers(listed, { ...compared, base: { scan, suffix } })))];
}

/** The version that other tags are compared with, and the rule. */
interface Compared {
  readonly policy: Extract<TagPolicy, { kind: "semver" | "pinned" }>;
  readonly filter: TagFilter;
  readonly candidates: Candidates;
  readonly selector: TagSelector;
  readonly running: TagScan;
  /** The selected version, or else the running version. */
  readonly base: ReadVersion;
  /** Receives scans, so that older tags need no object. */
  readonly scan: TagScan;
}

/** Returns the base of a comparison, or undefined if the policy or the running tag has no version. */
function comparedBy(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  selected: string | undefined,
): Compared | undefined {
  const { policy, allowDowngrade } = rule;
  if (policy.kind !== "semver") return undefined;
  const filter = filterOf(rule);
  const candidates = candidatesFor({ ...policy, allowDowngrade }, current, filter);
  const running = candidates?.running?.scan;
  if (candidates === undefined || running === undefined) return undefined;
  const [base] = [selected, current?.tag].flatMap((tag) => {
    const text = tag === undefined ? undefined : (usableValue(filter, tag) ?? tag);
    return versionOf(withoutLead(text, candidates) ?? "") ?? [];
  });
  if (base === undefined) return undefined;
  return { policy, filter, candidates, selector: tagSelectorOf(rule, current), running, base, scan: emptyScan() };
}

/** The largest number of newer tags whose suffixes are read. */
const mostRead = 500;

/**
 * Returns the wanted tags with the highest numbers, at least as high as the base. Most tags are
 * lower, and a repository may have hundreds of thousands of tags.
 */
function highestNumbers(tags: Iterable<CandidateTag>, compared: Compared): readonly CandidateTag[] {
  let highest: NumberedTag[] = [];
  /** The lowest tag that still counts, once there are more than enough. */
  let floor: NumberedTag | undefined;
  for (const tag of tags) {
    const text = textOf(tag, compared);
    if (text === undefined || !mayBeNewer(text, compared)) continue;
    if (floor !== undefined && compareNumbered({ tag, numbers: compared.scan }, floor) < 0) continue;
    highest.push({ tag, numbers: { ...compared.scan } });
    if (highest.length < 2 * mostRead) continue;
    highest = cut(highest);
    floor = highest.at(-1);
  }
  return cut(highest).map(({ tag }) => tag);
}

interface NumberedTag {
  readonly tag: CandidateTag;
  readonly numbers: VersionNumbers;
}

/** Returns the highest tags. Of tags with equal numbers the longer are higher, as `-r10` is above `-r9`. */
function cut(tags: readonly NumberedTag[]): NumberedTag[] {
  return tags.toSorted((one, other) => compareNumbered(other, one)).slice(0, mostRead);
}

function compareNumbered(one: NumberedTag, other: NumberedTag): number {
  const [name, otherName] = [nameOf(one.tag), nameOf(other.tag)];
  return compareNumbers(one.numbers, other.numbers) || name.length - otherName.length || compareTexts(name, otherName);
}

/** Returns the text of a tag that may have a version, or undefined for a tag that the filter rejects. */
function textOf(tag: CandidateTag, { filter, candidates }: Compared): string | undefined {
  const value = isOpen(filter) ? nameOf(tag) : usableValue(filter, nameOf(tag));
  return value === undefined ? undefined : (withoutLead(value, candidates) ?? value);
}

/** Scans a text. Returns whether its numbers are wanted and not older. Leaves the numbers in `scan`. */
function mayBeNewer(text: string, { policy, running, base, scan }: Compared): boolean {
  if (!scanNumbers(text, scan) || compareCommon(scan, base.scan) < 0 || isOtherKind(scan, running)) return false;
  if (!isKept(policy, scan, running) || !isInRange(policy, scan)) return false;
  return wantsPrereleases(policy) || isPrerelease(base) || !beginsPrerelease(text, scan.suffixFrom);
}

/** Returns whether a policy asks for pre-releases. A range that names `-0` does, even if a flavour runs. */
function wantsPrereleases({ allowPrerelease, range }: Compared["policy"]): boolean {
  return allowPrerelease || range?.namesFirstPrerelease === true;
}

/** Returns the version of a wanted tag that is newer, or that only has another commit. */
function newerVersion(candidate: CandidateTag, compared: Compared): ReadVersion | undefined {
  const version = versionOf(textOf(candidate, compared) ?? "");
  if (version === undefined || !isInWholeRange(compared.policy, version)) return undefined;
  return isNewer(version, compared.base) || isOtherCommit(version, compared.base) ? version : undefined;
}

function isInRange({ range }: Compared["policy"], scan: TagScan): boolean {
  return range === undefined || mayTake(range, scan, true);
}

/** Returns whether a version fits the range with all pre-releases. The flavour of a bound counts too. */
function isInWholeRange({ range }: Compared["policy"], { scan, suffix }: ReadVersion): boolean {
  return range === undefined || rangeTakes(range, scan, suffix, { suffixes: "flavour", allowPrerelease: true });
}

/** Returns why a policy skips a newer version, or undefined if users know why. */
function reasonFor(
  candidate: CandidateTag,
  version: ReadVersion,
  { selector, base }: Compared,
): SkipReason | undefined {
  if (isOtherCommit(version, base)) return "other-commit";
  const reason = selector.rejection(candidate, {});
  return isSkipReason(reason) ? reason : undefined;
}

/** The order of reasons with equal counts, so that a summary never depends on the order of the tags. */
const reasonsInOrder = Object.keys(skipReasons).filter(isSkipReason);

/** Returns the count, the most frequent reason and examples of skipped tags. */
export function summaryOf(skipped: readonly NewerSkippedTag[]): NewerSkipped {
  const count = (reason: SkipReason): number => skipped.filter((one) => one.reason === reason).length;
  const [most = "other-flavour"] = reasonsInOrder.toSorted((one, other) => count(other) - count(one));
  return {
    count: Math.min(skipped.length, mostCounted),
    reason: most,
    tags: skipped
      .toSorted((one, other) => compareSkipped(other, one))
      .slice(0, mostExamples)
      .map(({ tag }) => tag),
  };
}

function compareSkipped(one: NewerSkippedTag, other: NewerSkippedTag): number {
  return (
    compareNumbers(one.numbers, other.numbers) ||
    comparePrereleases(one.suffix.prerelease, other.suffix.prerelease) ||
    compareCounters(one.suffix.counters, other.suffix.counters) ||
    compareTexts(one.tag, other.tag)
  );
}

function isSkipReason(reason: string | undefined): reason is SkipReason {
  return reason !== undefined && reason in skipReasons;
}

/** A version by the rule `flavour`. */
interface ReadVersion {
  readonly scan: TagScan;
  readonly suffix: Suffix;
}

function versionOf(text: string): ReadVersion | undefined {
  const scan = emptyScan();
  if (!scanNumbers(text, scan)) return undefined;
  const suffix = readSuffix(text, scan.suffixFrom, "flavour");
  return suffix === undefined ? undefined : { scan, suffix };
}

function isPrerelease({ suffix }: ReadVersion): boolean {
  return suffix.prerelease.length > 0;
}

/** Returns whether two tags are one version, with different commits. */
function isOtherCommit(version: ReadVersion, base: ReadVersion): boolean {
  const [one, other] = [version.suffix, base.suffix];
  return (
    one.shape.includes("@") &&
    one.shape === other.shape &&
    compareNumbers(version.scan, base.scan) === 0 &&
    comparePrereleases(one.prerelease, other.prerelease) === 0 &&
    compareCounters(one.counters, other.counters) === 0 &&
    version.scan.text !== base.scan.text
  );
}

/**
 * Returns whether a version is newer: its numbers are higher, or it is a revision of the same
 * version. `1.28.1` is not newer than `1.28`, which may be the same image. `0.10.1.1` is a revision
 * of `0.10.1`.
 */
function isNewer(version: ReadVersion, base: ReadVersion): boolean {
  const order = compareCommon(version.scan, base.scan);
  if (order !== 0) return order > 0;
  if (version.scan.partCount !== base.scan.partCount)
    return base.scan.partCount >= 3 && compareNumbers(version.scan, base.scan) > 0;
  const { suffix } = version;
  if (suffix.flavour !== base.suffix.flavour) return false;
  const prerelease = comparePrereleases(suffix.prerelease, base.suffix.prerelease);
  if (prerelease !== 0) return prerelease > 0;
  if (suffix.shape === base.suffix.shape) return compareCounters(suffix.counters, base.suffix.counters) > 0;
  return base.suffix.forms.length === 0 && isRevision(suffix);
}

const REVISION = /^(?:r|p|ls|rev|hardened|#ubuntu|\.?post|(?:patch|hotfix|security)[-_.]?)?#$/i;

/** Returns whether all counters of a suffix are revisions. A build of a branch, `main.5`, is none. */
export function isRevision({ forms }: Suffix): boolean {
  return forms.length > 0 && forms.every((form) => REVISION.test(form));
}

/** Compares the numbers that both versions have. */
function compareCommon(one: TagScan, other: TagScan): number {
  const count = Math.min(one.partCount, other.partCount);
  const [first, second] = [numbersOf(one), numbersOf(other)];
  for (let index = 0; index < count; index++) {
    const order = (first[index] ?? 0) - (second[index] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

function numbersOf({ major, minor, patch, fourth, fifth, sixth }: TagScan): readonly number[] {
  return [major, minor, patch, fourth, fifth, sixth];
}
