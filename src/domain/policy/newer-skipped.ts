import { type SkipReason, skipReasons } from "../shared/reasons.ts";
import { compareTexts } from "../shared/text-order.ts";
import { compareCounters, compareNumbers, comparePrereleases, type VersionNumbers } from "../version/order.ts";
import { rangeTakes } from "../version/range.ts";
import { emptyScan, scanNumbers, type TagScan } from "../version/scan.ts";
import { readSuffix, type Suffix } from "../version/suffix.ts";
import { type CandidateTag, nameOf } from "./candidate-tag.ts";
import { filterOf, type SelectionRule, tagSelectorOf } from "./policy.ts";
import { candidatesFor, isKept, withoutLead } from "./semver.ts";
import { filterTag, usableValue } from "./tag-filter.ts";
import type { CurrentImage } from "./tag-selector.ts";

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
export interface SkippedTag {
  readonly tag: string;
  readonly reason: SkipReason;
  readonly numbers: VersionNumbers;
  readonly suffix: Suffix;
}

/** Returns a summary of {@link skippedTags}, or undefined if no tag was skipped. */
export function newerSkipped(...asked: Parameters<typeof skippedTags>): NewerSkipped | undefined {
  const skipped = skippedTags(...asked);
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
export function skippedTags(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: Iterable<CandidateTag>,
  selected: string | undefined,
): readonly SkippedTag[] {
  const { policy } = rule;
  if (policy.kind !== "semver") return [];
  const filter = filterOf(rule);
  const candidates = candidatesFor({ ...policy, allowDowngrade: rule.allowDowngrade }, current, filter);
  const runningScan = candidates?.running?.scan;
  const base = [selected, current?.tag].flatMap((tag) => {
    const text = tag === undefined ? undefined : (usableValue(filter, tag) ?? tag);
    return candidates === undefined ? [] : (versionOf(withoutLead(text, candidates) ?? "") ?? []);
  })[0];
  if (candidates === undefined || runningScan === undefined || base === undefined) return [];
  const selector = tagSelectorOf(rule, current);
  const found = new Map<string, SkippedTag>();
  const scan = emptyScan();
  for (const candidate of tags) {
    const tag = nameOf(candidate);
    // Most tags are older, so their suffixes are not read.
    if (candidates.lead === "" && filter.extract === undefined) {
      if (!scanNumbers(tag, scan) || compareCommon(scan, base.scan) < 0) continue;
    }
    const filtered = filterTag(filter, tag);
    const text = filtered.ok ? (withoutLead(filtered.value, candidates) ?? filtered.value) : undefined;
    const version = text === undefined ? undefined : versionOf(text);
    if (version === undefined || !(isNewer(version, base) || isOtherCommit(version, base))) continue;
    if (!isKept(policy, version.scan, runningScan)) continue;
    if (policy.range !== undefined && !rangeTakes(policy.range, version.scan, version.suffix, anyPrerelease)) continue;
    if (!policy.allowPrerelease && isPrerelease(version) && !isPrerelease(base)) continue;
    const reason = isOtherCommit(version, base) ? "other-commit" : selector.rejection(candidate, {});
    if (isSkipReason(reason)) found.set(tag, { tag, reason, numbers: version.scan, suffix: version.suffix });
  }
  return [...found.values()];
}

const anyPrerelease = { suffixes: "flavour", allowPrerelease: true } as const;

/** The order of reasons with equal counts, so that the summary never depends on the order of the tags. */
const reasonsInOrder = Object.keys(skipReasons).filter(isSkipReason);

function compareSkipped(one: SkippedTag, other: SkippedTag): number {
  return (
    compareNumbers(one.numbers, other.numbers) ||
    comparePrereleases(one.suffix.prerelease, other.suffix.prerelease) ||
    compareCounters(one.suffix.counters, other.suffix.counters) ||
    compareTexts(one.tag, other.tag)
  );
}

function summaryOf(skipped: readonly SkippedTag[]): NewerSkipped {
  const counts = new Map<SkipReason, number>(reasonsInOrder.map((reason) => [reason, 0]));
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one);
  return {
    count: Math.min(skipped.length, mostCounted),
    reason: most?.[0] ?? "other-flavour",
    tags: skipped
      .toSorted((one, other) => compareSkipped(other, one))
      .slice(0, mostExamples)
      .map(({ tag }) => tag),
  };
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
 * version. `1.28.1` is not newer than `1.28`, which may be the same image.
 */
function isNewer(version: ReadVersion, base: ReadVersion): boolean {
  const order = compareCommon(version.scan, base.scan);
  if (order !== 0) return order > 0;
  if (version.scan.partCount !== base.scan.partCount) return false;
  const { suffix } = version;
  if (suffix.flavour !== base.suffix.flavour) return false;
  const prerelease = comparePrereleases(suffix.prerelease, base.suffix.prerelease);
  if (prerelease !== 0) return prerelease > 0;
  return base.suffix.forms.length === 0 && isRevision(suffix);
}

const REVISION = /^(?:r|p|ls|rev|hardened|#ubuntu)?#$/i;

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
