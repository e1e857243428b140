import { type CandidateTag, laterOf, nameOf, type RejectedTag } from "./candidate-tag.ts";
import type { TagSelector, CurrentImage, Selection } from "./tag-selector.ts";
import { newestSelector } from "./newest.ts";
import { orderedSelector } from "./ordered.ts";
import { runningSelector } from "./follow-running.ts";
import { pinnedSelector } from "./pinned.ts";
import { type KeptPart, semverSelector } from "./semver.ts";
import { filterSteps, noFilter, type TagFilter } from "./tag-filter.ts";
import type { TagMatcher } from "./tag-pattern.ts";
import type { VersionRange } from "../version/range.ts";
import type { SuffixRule } from "../version/suffix.ts";

export { nameOf };
export type { CandidateTag, CurrentImage, Selection, RejectedTag };

/**
 * The rule by which a container's tag is selected.
 *
 * `semver`: the highest version. `latest`: the tag that moved last. `regex`: the matching tag that
 * moved last. `alphabetical`, `numerical`: the last tag in the order, or with `desc` the first.
 * `digest`: the running tag, wherever it moves. `pinned`: the running tag; the highest version is
 * only shown.
 */
export type TagPolicy =
  | {
      readonly kind: "semver" | "pinned";
      readonly range?: VersionRange;
      readonly allowPrerelease: boolean;
      /** The way to read suffixes. Absent: `flavour`, or `semver` for a range that names `-0`. */
      readonly suffixes?: SuffixRule;
      /**
       * The part of the running version that stays. Absent if a candidate may differ in every part.
       */
      readonly keeps?: KeptPart;
    }
  | { readonly kind: "latest" }
  | { readonly kind: "regex"; readonly pattern: TagMatcher }
  | { readonly kind: "alphabetical" | "numerical"; readonly order: "asc" | "desc" }
  | { readonly kind: "digest" };

/** Returns whether only moved tags and the running tag can win under a policy. */
export function asksWhenMoved({ kind }: TagPolicy): boolean {
  return kind === "latest" || kind === "regex";
}

/**
 * Returns whether a selection needs the moves of tags: the tag that moved last wins, or the tag that
 * moved last among equal extracted values.
 */
export function usesMoves({ policy, filter }: Pick<SelectionRule, "policy" | "filter">): boolean {
  return asksWhenMoved(policy) || filter?.extract !== undefined;
}

/** A policy with its limits. */
export interface SelectionRule {
  readonly policy: TagPolicy;
  /** The filter of candidates. Absent if any tag may be a candidate. */
  readonly filter?: TagFilter;
  /** True if a lower or older tag is allowed when no higher tag fits. */
  readonly allowDowngrade: boolean;
}

/**
 * Selects the tag that a container should run.
 *
 * `semver`: the highest version that fits the range, with the suffix shape and number of parts of
 * the running tag. If the running tag is not a version, a version of three parts without suffix
 * replaces it. Such a replacement needs a range, unless nothing runs. An equal version in another
 * spelling changes nothing. A single number is a version only if the running tag is a single
 * number, and only with at most five digits. {@link TagPolicy} describes the other policies. Unless
 * downgrades are allowed, no policy selects a tag that may be lower or older than the running tag.
 *
 * The order of the tags and repeated tags don't change the result. An unreadable tag does not
 * affect other tags.
 *
 * @param current - the running image, or undefined if nothing runs.
 * @param tags - the tags of the repository. `digest` needs no tags.
 */
export function selectTag(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: Iterable<CandidateTag>,
): Selection {
  const tagSelector = tagSelectorOf(rule, current);
  return tagSelector.select(tagSelector.rank(tags));
}

/**
 * Returns the few tags of a listing that decide a selection: {@link selectTag} selects the same tag
 * from them. So a long listing can be read in parts.
 */
export function decidingTags(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: readonly CandidateTag[],
): readonly CandidateTag[] {
  const { best, running } = tagSelectorOf(rule, current).rank(tags);
  // A listing with another tag only lacks the running tag. An empty listing may be unknown.
  return [best, running, tags[0]].filter((tag) => tag !== undefined);
}

/**
 * Selects as {@link selectTag} does, and names each rejected tag once, in the given order.
 *
 * If the running tag can't be compared, the result names no tag.
 */
export function explainSelection(
  rule: SelectionRule,
  current: CurrentImage | undefined,
  tags: Iterable<CandidateTag>,
): { readonly selection: Selection; readonly rejected: readonly RejectedTag[] } {
  const listed = eachOnce(tags);
  const tagSelector = tagSelectorOf(rule, current);
  const ranking = tagSelector.rank(listed);
  const rejected = listed.flatMap((tag) => {
    const reason = tagSelector.rejection(tag, ranking);
    return reason === undefined ? [] : [{ tag: nameOf(tag), reason }];
  });
  return { selection: tagSelector.select(ranking), rejected };
}

/** Returns the latest entry of each tag. */
function eachOnce(tags: Iterable<CandidateTag>): readonly CandidateTag[] {
  const byName = new Map<string, CandidateTag>();
  for (const tag of tags) {
    const said = byName.get(nameOf(tag));
    byName.set(nameOf(tag), said === undefined ? tag : laterOf(said, tag));
  }
  return [...byName.values()];
}

/**
 * The most matching steps of one tag. Above this number, {@link cannotWin} does not match the tag.
 */
const mostStepsForOneTag = 100_000;

/** Returns the filter of a rule, with the pattern of its policy. */
export function filterOf({ policy, filter = noFilter }: SelectionRule): TagFilter {
  return policy.kind === "regex" ? { ...filter, patterns: [...filter.patterns, policy.pattern] } : filter;
}

/**
 * Returns whether a tag can't win: it is rejected, or lower than the running tag. If the result is
 * false, the tag may still lose.
 */
export function cannotWin(rule: SelectionRule, current: CurrentImage | undefined, tag: CandidateTag): boolean {
  if (nameOf(tag) === current?.tag || filterSteps(filterOf(rule), nameOf(tag)) > mostStepsForOneTag) return false;
  const tagSelector = tagSelectorOf(rule, current);
  return tagSelector.rejection(tag, tagSelector.rank([])) !== undefined;
}

/** Returns the tag selector of a rule for the running image. */
export function tagSelectorOf(rule: SelectionRule, current: CurrentImage | undefined): TagSelector {
  const { policy, allowDowngrade } = rule;
  const filter = filterOf(rule);
  switch (policy.kind) {
    case "semver":
      return semverSelector({ ...policy, allowDowngrade }, current, filter);
    case "pinned":
      return pinnedSelector(policy, current, filter);
    case "latest":
    case "regex":
      return newestSelector({ allowDowngrade }, current, filter);
    case "alphabetical":
    case "numerical":
      return orderedSelector({ kind: policy.kind, order: policy.order, allowDowngrade }, current, filter);
    case "digest":
      return runningSelector(current, filter);
  }
}
