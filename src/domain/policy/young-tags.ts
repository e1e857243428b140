import { earliest, type EpochMs } from "../shared/time.ts";
import { type CandidateTag, type CurrentImage, nameOf, type SelectionRule, selectTag } from "./policy.ts";

/** A candidate that is not old enough yet. */
export interface YoungTag {
  readonly tag: CandidateTag;
  readonly digest: string;
  /** The instant at which the candidate is old enough. */
  readonly until: EpochMs;
}

/** Returns whether a policy selects a tag other than the running tag, if no other tag exists. */
export function mayReplace(rule: SelectionRule, current: CurrentImage, tag: CandidateTag): boolean {
  const selection = selectTag(rule, current, [tag]);
  return selection.kind === "selected" && selection.tag !== current.tag;
}

/** Returns the highest of the young tags, or undefined if there is none. */
export function highestYoung(
  rule: SelectionRule,
  current: CurrentImage,
  young: readonly YoungTag[],
): CandidateTag | undefined {
  const selection = selectTag(
    rule,
    current,
    young.map(({ tag }) => tag),
  );
  return selection.kind === "none" ? undefined : young.find(({ tag }) => nameOf(tag) === selection.tag)?.tag;
}

/** Returns whether a policy prefers the first tag. Both tags may replace the running tag. */
export function isPreferred(
  rule: SelectionRule,
  current: CurrentImage,
  one: CandidateTag,
  other: CandidateTag,
): boolean {
  const selection = selectTag(rule, current, [one, other]);
  return nameOf(one) !== nameOf(other) && selection.kind !== "none" && selection.tag === nameOf(one);
}

/**
 * Returns the young candidates, the next selected first: the first to be old enough, and the highest
 * of those that are old enough at one instant.
 *
 * The highest candidate does not come first: each push replaces it, so in a repository with frequent
 * pushes it is never old enough.
 */
export function inTurn(rule: SelectionRule, current: CurrentImage, young: readonly YoungTag[]): readonly YoungTag[] {
  return young.toSorted(
    (one, other) =>
      one.until - other.until ||
      Number(isPreferred(rule, current, other.tag, one.tag)) - Number(isPreferred(rule, current, one.tag, other.tag)),
  );
}

/** Returns the instant at which the first young candidate is old enough. Undefined without one. */
export function firstOldEnough(young: readonly YoungTag[]): EpochMs | undefined {
  return earliest(young.map(({ until }) => until));
}
