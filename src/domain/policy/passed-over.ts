import {
  type CandidateTag,
  type CurrentImage,
  nameOf,
  type RejectedTag,
  type SelectionRule,
  selectTag,
} from "./policy.ts";
import { isPreferred } from "./young-tags.ts";

/**
 * Returns the tags that a policy prefers to a selected tag. They can't run in the workload now, or
 * the policy would have selected one of them.
 */
export function passedOver(
  rule: SelectionRule,
  current: CurrentImage,
  tags: readonly CandidateTag[],
  selected: string,
): readonly RejectedTag[] {
  const best = selectTag(rule, current, tags);
  if (best.kind === "none" || best.tag === selected) return [];
  const own = tags.find((tag) => nameOf(tag) === selected) ?? selected;
  const names = new Set(tags.filter((tag) => isPreferred(rule, current, tag, own)).map(nameOf));
  return [...names].map((tag) => ({ tag, reason: "passed-over" }));
}
