import { compareCounters } from "../version/order.ts";
import { emptyScan, scanNumbers } from "../version/scan.ts";
import { isCommit, noSuffix, type SuffixRule } from "../version/suffix.ts";
import { parseVersion } from "../version/version.ts";
import type { TagRejection } from "../shared/reasons.ts";
import { type CandidateTag, nameOf } from "./candidate-tag.ts";
import { parseTemplate } from "./extract-template.ts";
import {
  highestTags,
  isRevision,
  type NewerSkipped,
  type NewerSkippedTag,
  newerSkippedTags,
  summaryOf,
} from "./newer-skipped.ts";
import { decidingTags, filterOf, selectTag, type SelectionRule, type TagPolicy } from "./policy.ts";
import { alikeTags, hasMachine, isUnordered, patternOfTag, patternOfVersion } from "./suggested-pattern.ts";
import { filterTag, noFilter, type TagFilter, usableValue } from "./tag-filter.ts";
import type { TagMatcher } from "./tag-pattern.ts";
import type { CurrentImage } from "./tag-selector.ts";

/** Annotations without their prefix, that would let a policy follow the tags seen. */
export type Suggestion = Readonly<Record<string, string>>;

/** What users should know of the tags that a policy did not select. */
export interface Advice {
  /** The newer tags that the policy skipped. Absent if it skipped none. */
  readonly skipped?: NewerSkipped;
  /** Annotations that would work. Absent if none would. */
  readonly annotations?: Suggestion;
}

/**
 * Returns the newer tags that a policy skipped, and annotations that would follow the tags. Returns
 * undefined if there is nothing to say.
 *
 * @param tags - the tags of the repository, as far as they are known.
 * @param decisive - the {@link decisiveTags} of a long listing. Default: all tags.
 */
export function adviseOn(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
  decisive: readonly CandidateTag[] = tags,
): Advice | undefined {
  if (rule.policy.kind !== "semver") return undefined;
  const selection = selectTag(rule, current, decisive);
  if (selection.kind === "none" && incomparable.has(selection.reason)) {
    const annotations = suggestFor(rule, current, tags);
    return annotations && { annotations };
  }
  const selected = selection.kind === "none" ? undefined : selection.tag;
  const skipped = newerSkippedTags(rule, current, decisive, selected);
  if (skipped.length === 0) return undefined;
  const annotations = suggestFollowing(rule, rule.policy, current, tags, selected, skipped);
  return { skipped: summaryOf(skipped), ...(annotations && { annotations }) };
}

/**
 * Returns annotations that would work where a policy compares versions and can't compare the
 * running tag, or skipped newer tags.
 *
 * Each suggestion was tried on the tags. Returns undefined if nothing was skipped, or if no
 * annotation would help.
 */
export function suggestAnnotations(...asked: Parameters<typeof adviseOn>): Suggestion | undefined {
  return adviseOn(...asked)?.annotations;
}

/** Returns the few tags that decide a selection, and which newer tags it skips. */
export function decisiveTags(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
): readonly CandidateTag[] {
  return [...new Set([...decidingTags(rule, current, tags), ...highestTags(rule, current, tags)])];
}

type VersionPolicy = Extract<TagPolicy, { kind: "semver" | "pinned" }>;

/** A suggestion, and the rule that its annotations mean. */
interface Proposal {
  readonly annotations: Suggestion;
  readonly rule: SelectionRule;
  /** Returns whether the proposal is meant for a skipped tag. Absent: for any. */
  readonly isFor?: (skipped: NewerSkippedTag) => boolean;
}

/** Returns annotations under which the running tag can be compared. */
function suggestFor(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
): Suggestion | undefined {
  const { policy } = rule;
  if (current?.tag === undefined || policy.kind !== "semver") return undefined;
  const alike = alikeTags(current.tag, wantedTags(rule, tags), nameOf);
  const isAlone = alike.every((tag) => nameOf(tag) === current.tag);
  const proposals = proposalsFor(current.tag, rule, isAlone).filter((one) => goesWith(one, rule, policy));
  return proposals.find((one) => compares(one, current, alike))?.annotations;
}

/** Returns annotations under which a skipped tag would be selected. */
function suggestFollowing(
  rule: SelectionRule,
  policy: VersionPolicy,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
  selected: string | undefined,
  skipped: readonly NewerSkippedTag[],
): Suggestion | undefined {
  if (current?.tag === undefined) return undefined;
  // Most proposals follow none of the skipped tags, so they are not tried on all tags.
  const tried = [...skipped.map(({ tag }) => tag), ...(selected === undefined ? [] : [selected]), current.tag];
  const proposals = proposalsForVersion(current.tag, rule, policy, skipped)
    .filter((one) => goesWith(one, rule, policy))
    .filter((one) => follows(one, current, tried, skipped));
  if (proposals.length === 0) return undefined;
  // A proposal may also select a tag that is not wanted: by `semver`, a pre-release.
  const wanted = wantedTags(rule, tags);
  return proposals.find((one) => follows(one, current, wanted, skipped) && !mixes(one.rule, wanted))?.annotations;
}

/**
 * Returns whether the annotations of a proposal may stand beside the annotations of a rule. Limits of
 * versions are invalid under another policy, and a proposed pattern would replace the user's.
 */
function goesWith({ annotations }: Proposal, { filter }: SelectionRule, policy: VersionPolicy): boolean {
  const hasLimits = policy.range !== undefined || policy.allowPrerelease || policy.suffixes !== undefined;
  if (hasLimits && "policy" in annotations) return false;
  return (filter?.patterns.length ?? 0) === 0 || !("tag-pattern" in annotations);
}

/**
 * Returns the tags that the globs of a rule allow. The rule was matched with the tags before, so that
 * no glob is matched again for each proposal.
 */
function wantedTags({ filter }: SelectionRule, tags: readonly CandidateTag[]): readonly CandidateTag[] {
  if (filter === undefined) return tags;
  return tags.filter((tag) => {
    const filtered = filterTag(filter, nameOf(tag));
    return filtered.ok || !byGlobs.has(filtered.problem);
  });
}

const byGlobs: ReadonlySet<TagRejection> = new Set<TagRejection>(["not-included", "excluded"]);

const incomparable: ReadonlySet<string> = new Set(["current-tag-not-a-version", "current-tag-not-comparable"]);

/** Returns whether a rule can compare the running tag with all tags in its form. */
function compares({ rule }: Proposal, current: CurrentImage, alike: readonly CandidateTag[]): boolean {
  if (selectTag(rule, current, [...alike, current.tag ?? ""]).kind === "none") return false;
  if (rule.policy.kind === "digest") return true;
  return alike.every((tag) => usableValue(filterOf(rule), nameOf(tag)) !== undefined);
}

/** Returns whether a rule selects one of the skipped tags, and for the reason of the proposal. */
function follows(
  { rule, isFor = () => true }: Proposal,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
  skipped: readonly NewerSkippedTag[],
): boolean {
  // The tag that is pushed last is not known yet.
  if (rule.policy.kind === "regex") return skipped.some(({ tag }) => usableValue(filterOf(rule), tag) !== undefined);
  const selection = selectTag(rule, current, tags);
  return skipped.some((one) => selection.kind === "selected" && one.tag === selection.tag && isFor(one));
}

/**
 * Returns the proposals for a running tag that is no version, the most exact first. If no other tag
 * shows which numbers stay, all vary.
 */
function proposalsFor(running: string, rule: SelectionRule, isAlone: boolean): readonly Proposal[] {
  if (isUnordered(running)) return [];
  const hasCommit = running.split(/[-_.]/).some(isCommit);
  const all = patternOfTag(running, () => true);
  const long = patternOfTag(running, (digits) => digits.length >= fewestDigits);
  const patterns = (isAlone ? [all] : [long, all]).filter(({ groups }) => groups > 0 && groups <= mostGroups);
  const ordered = patterns.flatMap(({ text, groups }) => [comparing(text, groups, rule)]);
  if (ordered.length > 0) return ordered;
  if (hasCommit) return [newest(all.text, rule)];
  return all.groups === 0 ? [following(rule)] : [];
}

/** A number with this many digits is a date, a time or a build, and never the version of a system. */
const fewestDigits = 5;
const mostGroups = 6;

/** Returns the proposals for a running version, the smallest change first. */
function proposalsForVersion(
  running: string,
  rule: SelectionRule,
  policy: VersionPolicy,
  skipped: readonly NewerSkippedTag[],
): readonly Proposal[] {
  const withPolicy = (change: Partial<typeof policy>, annotations: Suggestion, isFor: Proposal["isFor"]): Proposal => {
    return { annotations, rule: { ...rule, policy: { ...policy, ...change } }, ...(isFor && { isFor }) };
  };
  const bySuffix = (suffixes: SuffixRule, isFor?: Proposal["isFor"]): readonly Proposal[] =>
    suffixes === policy.suffixes ? [] : [withPolicy({ suffixes }, { suffixes }, isFor)];
  const own = parseVersion(running) ?? noSuffix;
  if (rule.filter?.extract !== undefined) return [];
  return [
    withPolicy({ allowPrerelease: true }, { "allow-prerelease": "true" }, ({ reason }) => reason === "pre-release"),
    ...(policy.suffixes === "exact" ? bySuffix("flavour") : []),
    ...bySuffix("revision", ({ suffix }) => isRevision(suffix) || (suffix.forms.length === 0 && isRevision(own))),
    ...(own.flavour === "" && skipped.every(isMerged)
      ? bySuffix("semver", ({ suffix }) => suffix.forms.length + own.forms.length > 0)
      : []),
    ...withOtherNumbers(running, rule),
    ...(policy.range?.namesFirstPrerelease === true ? bySuffix("semver") : []),
  ];
}

/** Returns whether a tag without flavour is a release or the build of a main branch. */
function isMerged({ suffix }: NewerSkippedTag): boolean {
  return (
    suffix.flavour === "" &&
    suffix.forms.every((form) => /^(?:(?:main|master|trunk|develop|build|ci)[-.]?)?#$/.test(form))
  );
}

/**
 * Returns whether a policy would compare tags that must not replace each other: by the rule
 * `semver`, the builds of pull requests and other architectures.
 */
function mixes({ policy }: SelectionRule, tags: readonly CandidateTag[]): boolean {
  if (policy.kind !== "semver" || policy.suffixes !== "semver") return false;
  return tags.some((tag) => UNMERGED.test(nameOf(tag)) || hasMachine(nameOf(tag)));
}

/** Matches the build of a pull request or a branch of one person. */
const UNMERGED = /[-_.](?:pr|mr|pull|merge|feature|feat|fix|bugfix|issue|renovate|dependabot)(?=[-_.]|\d)/i;

/**
 * Returns a proposal that lets the numbers of a flavour change: `-alpine3.19`, `-debian-12-r3`. The
 * numbers are counters of the extracted version, so that no tag with lower numbers replaces a tag of
 * the same version.
 */
function withOtherNumbers(running: string, rule: SelectionRule): readonly Proposal[] {
  const scan = emptyScan();
  if (!scanNumbers(running, scan) || scan.partCount < 2) return [];
  const { text, groups } = patternOfVersion(scan);
  if (groups === 0) return [newest(text, rule)];
  if (groups === 1 || groups > mostGroups + 1) return [];
  const extract = Array.from({ length: groups }, (_, index) => `$${index + 1}`).join("-");
  const proposal = extracting(text, extract, rule);
  const counters = (tag: string) => parseVersion(usableValue(proposal.rule.filter ?? noFilter, tag) ?? "")?.counters;
  const own = counters(running) ?? [];
  return [{ ...proposal, isFor: ({ tag }) => compareCounters(counters(tag) ?? [], own) >= 0 }];
}

/** Returns a proposal that compares the groups of a pattern: one as a number, several as a version. */
function comparing(text: string, groups: number, rule: SelectionRule): Proposal {
  if (groups > 1)
    return extracting(text, Array.from({ length: groups }, (_, index) => `$${index + 1}`).join("."), rule);
  return {
    annotations: { policy: "numerical", "tag-pattern": text, "filter-extract": "$1" },
    rule: { ...rule, policy: { kind: "numerical", order: "asc" }, filter: filterFor(text, "$1") },
  };
}

function extracting(text: string, extract: string, rule: SelectionRule): Proposal {
  return {
    annotations: { "tag-pattern": text, "filter-extract": extract },
    rule: { ...rule, filter: filterFor(text, extract) },
  };
}

/** Returns a proposal for tags without an order: the tag that is pushed last. */
function newest(text: string, rule: SelectionRule): Proposal {
  return {
    annotations: { policy: "regex", "tag-pattern": text },
    rule: { policy: { kind: "regex", pattern: matcherOf(text) }, allowDowngrade: rule.allowDowngrade },
  };
}

/** Returns a proposal for a tag that moves, such as `stable`. */
function following(rule: SelectionRule): Proposal {
  return { annotations: { policy: "digest" }, rule: { ...rule, policy: { kind: "digest" } } };
}

/** Returns the filter of a proposal. {@link wantedTags} stands for the globs of the rule. */
function filterFor(text: string, extract: string): TagFilter {
  const matcher = matcherOf(text);
  const template = parseTemplate(extract, matcher.groupNames);
  if (!template.ok) throw new Error(template.problem.message);
  return { ...noFilter, patterns: [matcher], extract: template.value };
}

/** Returns a matcher of a pattern of this file, which means the same in RE2 and in JavaScript. */
function matcherOf(text: string): TagMatcher {
  const expression = new RegExp(text);
  const groups = text.split(/\((?!\?)/).length;
  return {
    text,
    groupNames: Array.from({ length: groups }),
    steps: text.length,
    match: (tag) => expression.exec(tag) ?? undefined,
  };
}
