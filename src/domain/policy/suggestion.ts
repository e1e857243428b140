import { isDigit } from "../version/prerelease.ts";
import { emptyScan, prefixLength, scanNumbers } from "../version/scan.ts";
import { isCommit, noSuffix, readSuffix, type SuffixRule } from "../version/suffix.ts";
import { parseVersion } from "../version/version.ts";
import type { TagRejection } from "../shared/reasons.ts";
import { type CandidateTag, nameOf } from "./candidate-tag.ts";
import { parseTemplate } from "./extract-template.ts";
import { isRevision, type NewerSkipped, type NewerSkippedTag, newerSkippedTags, summaryOf } from "./newer-skipped.ts";
import { filterOf, selectTag, type SelectionRule, type TagPolicy } from "./policy.ts";
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
 */
export function adviseOn(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
): Advice | undefined {
  if (rule.policy.kind !== "semver") return undefined;
  const selection = selectTag(rule, current, tags);
  if (selection.kind === "none" && incomparable.has(selection.reason)) {
    const annotations = suggestFor(rule, current, tags);
    return annotations && { annotations };
  }
  const skipped = newerSkippedTags(rule, current, tags, selection.kind === "none" ? undefined : selection.tag);
  if (skipped.length === 0) return undefined;
  const annotations = suggestFollowing(rule, rule.policy, current, tags, skipped);
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
  const wanted = wantedTags(rule, tags);
  const proposals = proposalsFor(current.tag, rule).filter((one) => isValidBeside(policy, one));
  return proposals.find((one) => compares(one, current, wanted))?.annotations;
}

/** Returns whether a proposal keeps the written limits valid: versions have none beside another policy. */
function isValidBeside({ range, allowPrerelease }: VersionPolicy, { annotations }: Proposal): boolean {
  return !("policy" in annotations) || (range === undefined && !allowPrerelease);
}

/** Returns annotations under which a skipped tag would be selected. */
function suggestFollowing(
  rule: SelectionRule,
  policy: VersionPolicy,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
  skipped: readonly NewerSkippedTag[],
): Suggestion | undefined {
  if (current?.tag === undefined) return undefined;
  const wanted = wantedTags(rule, tags);
  const proposals = proposalsForVersion(current.tag, rule, policy).filter((one) => isValidBeside(policy, one));
  return proposals.find((one) => follows(one, current, wanted, skipped))?.annotations;
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

/** Returns whether a rule can compare the running tag, and selects no tag by accident. */
function compares({ rule }: Proposal, current: CurrentImage | undefined, tags: readonly CandidateTag[]): boolean {
  return selectTag(rule, current, tags).kind !== "none";
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

/** Returns the proposals for a running tag that is no version, the most exact first. */
function proposalsFor(running: string, rule: SelectionRule): readonly Proposal[] {
  const hasCommit = running.split(/[-_.]/).some(isCommit);
  const all = patternOf(running, () => true);
  const long = patternOf(running, (digits) => digits.length >= fewestDigits);
  const patterns = [long, all].filter(({ groups }) => groups > 0 && groups <= mostGroups);
  const ordered = patterns.flatMap(({ text, groups }) => [comparing(text, groups, rule)]);
  if (ordered.length > 0) return ordered;
  return hasCommit ? [newest(all.text, rule)] : [following(rule)];
}

/** A number with this many digits is a date, a time or a build, and never the version of a system. */
const fewestDigits = 5;
const mostGroups = 6;

/** Returns the proposals for a running version, the smallest change first. */
function proposalsForVersion(running: string, rule: SelectionRule, policy: VersionPolicy): readonly Proposal[] {
  const withPolicy = (change: Partial<typeof policy>, annotations: Suggestion, isFor: Proposal["isFor"]): Proposal => {
    return { annotations, rule: { ...rule, policy: { ...policy, ...change } }, ...(isFor && { isFor }) };
  };
  const bySuffix = (suffixes: SuffixRule, isFor?: Proposal["isFor"]): readonly Proposal[] =>
    suffixes === policy.suffixes ? [] : [withPolicy({ suffixes }, { suffixes }, isFor)];
  const own = parseVersion(running) ?? noSuffix;
  const wantsPrereleases = policy.allowPrerelease || policy.range?.namesFirstPrerelease === true;
  if (rule.filter?.extract !== undefined) return [];
  // Another pattern would end the limit of the written pattern.
  const hasPattern = filterOf(rule).patterns.length > 0;
  return [
    withPolicy({ allowPrerelease: true }, { "allow-prerelease": "true" }, ({ reason }) => reason === "pre-release"),
    ...(policy.suffixes === "exact" ? bySuffix("flavour") : []),
    ...bySuffix("revision", ({ suffix }) => isRevision(suffix) || (suffix.forms.length === 0 && isRevision(own))),
    ...bySuffix(
      "semver",
      ({ suffix }) => own.flavour === "" && suffix.flavour === "" && suffix.forms.length + own.forms.length > 0,
    ),
    ...(hasPattern ? [] : [...withOtherNumbers(running, rule), ...withFewerNumbers(running, rule)]),
    ...(wantsPrereleases ? bySuffix("semver") : []),
  ];
}

/** Returns a proposal that lets the numbers of a flavour change: `-alpine3.19`, `-debian-12-r3`. */
function withOtherNumbers(running: string, rule: SelectionRule): readonly Proposal[] {
  const scan = emptyScan();
  if (!scanNumbers(running, scan) || scan.partCount < 2) return [];
  const suffix = running.slice(scan.suffixFrom);
  if (!/\d/.test(suffix)) return [];
  const { text, counters } = suffixText(suffix);
  const pattern = `^${prefixText(running)}${numbersText(scan.partCount)}${text}$`;
  if (suffix.split(/[-_]/).some(isCommit)) return [newest(pattern.replaceAll(/\((?!\?)/g, "(?:"), rule)];
  // A counter behind the version is a counter of the extracted version too.
  const extract = ["$1", ...Array.from({ length: counters }, (_, index) => `$${index + 2}`)].join("-");
  return [extracting(pattern, extract, rule)];
}

/**
 * Returns a pattern for a suffix with any numbers and commits in place of its own. Counters are
 * groups.
 */
function suffixText(suffix: string): { readonly text: string; readonly counters: number } {
  const read = readSuffix(`1${suffix}`, 1, "flavour");
  const separator = suffix.startsWith("-") ? "-" : "";
  if (read === undefined || read.prerelease.length > 0) return { text: generalText(suffix), counters: 0 };
  const pieces = read.shape.split("#");
  return {
    text: quoted(separator) + pieces.map((piece) => generalText(piece.replaceAll("@", "0a0a0a0"))).join(numberGroup),
    counters: pieces.length - 1,
  };
}

const numberGroup = "(\\d+(?:\\.\\d+)*)";

/** Returns a proposal that compares two numbers where newer tags have more or fewer. */
function withFewerNumbers(running: string, rule: SelectionRule): readonly Proposal[] {
  const scan = emptyScan();
  if (!scanNumbers(running, scan) || scan.partCount < 2) return [];
  const text = `^${prefixText(running)}(\\d+\\.\\d+)(?:\\.\\d+)*${quoted(running.slice(scan.suffixFrom))}$`;
  return [extracting(text, "$1", rule)];
}

function prefixText(running: string): string {
  const prefix = running.slice(0, Math.max(0, prefixLength(running)));
  return /^v?$/i.test(prefix) ? "v?" : quoted(prefix);
}

function numbersText(count: number): string {
  return `(\\d+(?:\\.\\d+){${count - 1}})`;
}

/** Returns a pattern for a suffix with any numbers in place of its numbers, and any commits. */
function generalText(suffix: string): string {
  return suffix
    .split(/([-_])/)
    .map((piece) =>
      isCommit(piece) || /^\d{7,}$/.test(piece)
        ? commitText
        : quoted(piece).replaceAll(/\d+(?:\\\.\d+)*/g, "\\d+(?:\\.\\d+)*"),
    )
    .join("");
}

const commitText = "[0-9a-f]{7,40}";

/**
 * Returns a pattern for tags in the form of a tag, with a group for each of its numbers that varies,
 * and any commit in place of its commit. A number behind a letter, as in `alpine3`, does not vary.
 */
function patternOf(
  tag: string,
  varies: (digits: string) => boolean,
): { readonly text: string; readonly groups: number } {
  let groups = 0;
  const numberText = (digits: string, before: string): string => {
    const isFree = before === "" || !/[A-Za-z]/.test(before) || /(?:^|\d)[vVTrb]$/.test(before);
    if (!isFree || !varies(digits)) return digits;
    groups += 1;
    return `(\\d${[8, 10, 12, 14].includes(digits.length) ? `{${digits.length}}` : "+"})`;
  };
  const text = tag
    .split(/([-_.])/)
    .map((piece) => {
      if (isCommit(piece)) return (piece.startsWith("g") ? "g" : "") + commitText;
      const runs = piece.match(/\d+|\D+/g) ?? [];
      return runs
        .map((run, index) =>
          isDigit(run.charCodeAt(0)) ? numberText(run, runs.slice(0, index).join("")) : quoted(run),
        )
        .join("");
    })
    .join("");
  return { text: `^${text}$`, groups };
}

/** Returns a text as a pattern that matches only this text. */
function quoted(text: string): string {
  return text.replaceAll(".", "\\.");
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
