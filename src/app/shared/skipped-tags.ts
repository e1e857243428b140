import { imageNameOf } from "#domain/image/reference";
import { type CandidateTag, nameOf } from "#domain/policy/policy";
import { mayReplace } from "#domain/policy/young-tags";
import { currentImage } from "#domain/update/decide/desired-image";
import { keptOf, leftOf } from "#domain/update/decide/kept-image";
import { findSkip, type SkippedByPerson } from "#domain/workload/control";
import type { StoredAdvice } from "#domain/workload/observed";
import type { SelectedContainer } from "./tag-image.ts";

/** Returns the skips of a container's repository that hold now. */
export function skipsOf({ name, record: { skips = [] }, reads }: SelectedContainer): readonly SkippedByPerson[] {
  const imageName = imageNameOf(name);
  return skips.filter(({ tag }) => findSkip({ imageName, tag }, skips, reads.now()) !== undefined);
}

/** Returns the tags that people do not let a workload skip or leave. Undefined if they skip none. */
export async function unskippedTags(
  selected: SelectedContainer,
  tags: readonly CandidateTag[],
): Promise<ReadonlySet<string> | undefined> {
  // A skip takes no running tag away: the policy compares the others with it.
  const current = currentImage(selected.container).tag;
  const skipped = new Set([...skipsOf(selected).map(({ tag }) => tag), ...(await leftTags(selected, tags))]);
  if (current !== undefined) skipped.delete(current);
  return skipped.size === 0 ? undefined : new Set(tags.map(nameOf).filter((tag) => !skipped.has(tag)));
}

/**
 * Returns the tags that a container left for a requested version. The newest of them is absent if it
 * has moved since.
 */
async function leftTags(
  { container, own, name, record, reads }: SelectedContainer,
  tags: readonly CandidateTag[],
): Promise<readonly string[]> {
  const left = leftOf(container, record);
  if (left === undefined) return [];
  const { tag, digest } = left.newest;
  const newest = tags.find((one) => nameOf(one) === tag && left.tags.includes(tag));
  if (newest === undefined || digest === undefined || !mayReplace(own, currentImage(container), newest))
    return left.tags;
  const read = await reads.resolve(name, nameOf(newest));
  const hasMoved = read.kind === "manifest" && read.digest !== digest;
  return hasMoved ? left.tags.filter((one) => one !== tag) : left.tags;
}

/** Returns an advice that counts the tags which people skip, if the policy would select one of them. */
export function adviceWithSkips(
  selected: SelectedContainer,
  tags: readonly CandidateTag[],
  advice: StoredAdvice | "none",
): StoredAdvice | "none" {
  const { container, own, record } = selected;
  const skipped = skipsOf(selected).map(({ tag }) => tag);
  // While a container keeps a requested version, its state says so.
  const left = keptOf(container, record) === undefined ? (leftOf(container, record)?.tags ?? []) : [];
  const names = new Set([...skipped, ...left]);
  if (names.size === 0) return advice;
  const current = currentImage(container);
  const wanted = tags.filter((tag) => names.has(nameOf(tag)) && mayReplace(own, current, tag));
  if (wanted.length === 0) return advice;
  const reason = wanted.some((tag) => skipped.includes(nameOf(tag))) ? "by-person" : "left-by-person";
  return { ...(advice === "none" ? {} : advice), skipped: { count: wanted.length, reason } };
}
