import { imageNameOf } from "#domain/image/reference";
import { type CandidateTag, nameOf } from "#domain/policy/policy";
import { mayReplace } from "#domain/policy/young-tags";
import { currentImage } from "#domain/update/decide/desired-image";
import { findSkip, type SkippedByPerson } from "#domain/workload/control";
import type { StoredAdvice } from "#domain/workload/observed";
import type { SelectedContainer } from "./tag-image.ts";

/** Returns the skips of a container's repository that hold now. */
export function skipsOf({ name, record: { skips = [] }, reads }: SelectedContainer): readonly SkippedByPerson[] {
  const imageName = imageNameOf(name);
  return skips.filter(({ tag }) => findSkip({ imageName, tag }, skips, reads.now()) !== undefined);
}

/** Returns the tags that people do not let a workload skip. Undefined if they skip none. */
export function unskippedTags(
  selected: SelectedContainer,
  tags: readonly CandidateTag[],
): ReadonlySet<string> | undefined {
  // A skip takes no running tag away: the policy compares the others with it.
  const current = currentImage(selected.container).tag;
  const skipped = new Set(skipsOf(selected).flatMap(({ tag }) => (tag === current ? [] : [tag])));
  return skipped.size === 0 ? undefined : new Set(tags.map(nameOf).filter((tag) => !skipped.has(tag)));
}

/** Returns an advice that counts the tags which people skip, if the policy would select one of them. */
export function adviceWithSkips(
  selected: SelectedContainer,
  tags: readonly CandidateTag[],
  advice: StoredAdvice | "none",
): StoredAdvice | "none" {
  const names = new Set(skipsOf(selected).map(({ tag }) => tag));
  if (names.size === 0) return advice;
  const current = currentImage(selected.container);
  const wanted = tags.filter((tag) => names.has(nameOf(tag)) && mayReplace(selected.own, current, tag));
  if (wanted.length === 0) return advice;
  return { ...(advice === "none" ? {} : advice), skipped: { count: wanted.length, reason: "by-person" } };
}
