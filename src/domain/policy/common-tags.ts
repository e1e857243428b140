import {
  type CandidateTag,
  type CurrentImage,
  nameOf,
  type SelectionRule,
  selectTag,
  tagSelectorOf,
} from "./policy.ts";

/** A container's policy, its running image and the tags of its repository. */
export interface Listed {
  readonly rule: SelectionRule;
  readonly current: CurrentImage;
  readonly tags: readonly CandidateTag[];
}

/**
 * Returns the tags that every repository has and every policy accepts.
 *
 * A container runs its tag, so its repository counts as having the tag, even if the listing lacks
 * it.
 */
export function commonTags(listed: readonly Listed[]): ReadonlySet<string> {
  const [first, ...others] = listed.map(acceptedTags);
  return others.reduce((common, accepted) => common.intersection(accepted), first ?? new Set<string>());
}

function acceptedTags({ rule, current, tags }: Listed): Set<string> {
  const known = current.tag === undefined ? tags : [...tags, current.tag];
  const selector = tagSelectorOf(rule, current);
  const ranking = selector.rank(known);
  return new Set(known.filter((tag) => selector.rejection(tag, ranking) === undefined).map(nameOf));
}

/**
 * Returns the tag that a container would get alone. Undefined if its running tag is the highest, or
 * is not known to be lower.
 */
export function tagAlone({ rule, current, tags }: Listed): string | undefined {
  const selection = selectTag(rule, current, tags);
  return selection.kind === "selected" ? selection.tag : undefined;
}
