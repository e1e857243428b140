import { type CandidateTag, laterOf, nameOf, type RejectedTag } from "./candidate-tag.ts";
import type { TagSelector, CurrentImage, Selection } from "./tag-selector.ts";
import { newestSelector } from "./newest.ts";
import { orderedSelector } from "./ordered.ts";
import { runningSelector } from "./follow-running.ts";
import { semverSelector } from "./semver.ts";
import { filterSteps, noFilter, type TagFilter } from "./tag-filter.ts";
import type { TagMatcher } from "./tag-pattern.ts";
import type { VersionRange } from "../version/range.ts";

export { nameOf };
export type { CandidateTag, CurrentImage, Selection, RejectedTag };

/**
 * Which tag of a repository a container is to run.
 *
 * `semver`: the highest version. `latest`: the tag that moved last. `regex`: the one of those that match. `alphabetical`, `numerical`:
 * the one that sorts last, or with `desc` first. `digest` follows the tag that it runs, wherever that moves.
 */
export type TagPolicy =
  | { readonly kind: "semver"; readonly range?: VersionRange; readonly allowPrerelease: boolean }
  | { readonly kind: "latest" }
  | { readonly kind: "regex"; readonly pattern: TagMatcher }
  | { readonly kind: "alphabetical" | "numerical"; readonly order: "asc" | "desc" }
  | { readonly kind: "digest" };

/** Says whether a policy asks when tags moved: nothing else can win under it but what was seen moving, and what runs. */
export function asksWhenMoved({ kind }: TagPolicy): boolean {
  return kind === "latest" || kind === "regex";
}

/** What is asked of the tags of a repository. */
export interface SelectionRule {
  readonly policy: TagPolicy;
  /** Absent: any tag may be a candidate. */
  readonly filter?: TagFilter;
  /** Lets the winner be lower than what runs, or older, when nothing higher fits. */
  readonly allowDowngrade: boolean;
}

/**
 * Selects the tag that a container is to run.
 *
 * `semver`: the highest version that fits the range, of the running tag's flavour and number of parts; where the running tag is
 * not a version, of three parts and without flavour, and only if there is a range or nothing runs. An equal version under another
 * spelling changes nothing. A number alone is a version only where a number alone runs, and up to five digits. The other policies
 * are as {@link TagPolicy} says. None selects what is lower than what runs, or older, or what may be for all that can be read of what runs,
 * unless a downgrade is allowed.
 *
 * The answer does not depend on the order of the tags, nor on how often one comes; a tag that can't be read rejects itself only.
 *
 * @param current - undefined: nothing runs.
 * @param tags - those of the repository. For `digest` they may be left out.
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
 * Selects as {@link selectTag} does, and names every tag that was no candidate: once, in the order in which they came.
 *
 * Where what runs can't be compared at all, no tag was looked at, and none is named.
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

/** Of several sayings about one tag the one that holds. */
function eachOnce(tags: Iterable<CandidateTag>): readonly CandidateTag[] {
  const byName = new Map<string, CandidateTag>();
  for (const tag of tags) {
    const said = byName.get(nameOf(tag));
    byName.set(nameOf(tag), said === undefined ? tag : laterOf(said, tag));
  }
  return [...byName.values()];
}

/** More steps take too long for a quick answer about one tag. */
const mostStepsForOneTag = 100_000;

/** Returns all that a tag has to match: the filter, and the policy's own pattern. */
export function filterOf({ policy, filter = noFilter }: SelectionRule): TagFilter {
  return policy.kind === "regex" ? { ...filter, patterns: [...filter.patterns, policy.pattern] } : filter;
}

/**
 * Says whether a tag that does not run can't be selected, whatever else there is: it is no candidate, or lower than what runs. Its push
 * lets no other tag be selected than before. False says nothing.
 */
export function cannotWin(rule: SelectionRule, current: CurrentImage | undefined, tag: CandidateTag): boolean {
  if (nameOf(tag) === current?.tag || filterSteps(filterOf(rule), nameOf(tag)) > mostStepsForOneTag) return false;
  const tagSelector = tagSelectorOf(rule, current);
  return tagSelector.rejection(tag, tagSelector.rank([])) !== undefined;
}

/** Sets a policy on what runs. */
export function tagSelectorOf(rule: SelectionRule, current: CurrentImage | undefined): TagSelector {
  const { policy, allowDowngrade } = rule;
  const filter = filterOf(rule);
  switch (policy.kind) {
    case "semver":
      return semverSelector({ ...policy, allowDowngrade }, current, filter);
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
