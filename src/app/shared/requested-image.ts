import { imageNameOf } from "#domain/image/reference";
import { nameOf } from "#domain/policy/policy";
import { mayReplace } from "#domain/policy/young-tags";
import { currentImage, type DesiredImage, findBlocked } from "#domain/update/decide/desired-image";
import { desiredKept, isNewerThan, isNewSince, keptFor, keptOf, leftOf } from "#domain/update/decide/kept-image";
import { isDrift } from "#domain/workload/digest-drift";
import { findSkip, type KeptImage, type SkippedByPerson } from "#domain/workload/control";
import { skipsOf } from "./skipped-tags.ts";
import { imageBeforeMove } from "./digest-drift.ts";
import type { SkippedTag } from "./tag-walk.ts";
import { type SelectedContainer, selectionFailure, withPlatforms } from "./tag-image.ts";
import type { WalkedContainer } from "./together.ts";

/**
 * Returns the result of a walk with what people asked for: a container keeps the requested image
 * until the policy prefers a newer one, and no skipped tag is selected.
 */
export async function withRequests(
  selected: SelectedContainer,
  walked: WalkedContainer,
  keepsAnyway = false,
): Promise<WalkedContainer> {
  const { container, record } = selected;
  const kept = keptOf(container, record);
  const shown = {
    ...walked,
    skipped: [...walked.skipped, ...skipsOf(selected).map(skippedTag), ...leftTags(selected, walked)],
  };
  if (kept !== undefined && (keepsAnyway || (await keepsImage(selected, walked)))) {
    const desired = await keptEverywhere(kept, selected);
    const advice = walked.desired.advice === undefined ? {} : { advice: walked.desired.advice };
    const available = availableOf(walked) ?? leftNewest(selected, walked);
    const newer = desired.kind === "satisfied" && available !== undefined ? { available } : {};
    return { ...shown, desired: { ...desired, ...newer, ...advice }, tag: kept.tag };
  }
  const { desired } = walked;
  const skip =
    desired.kind === "change"
      ? findSkip({ imageName: imageNameOf(selected.name), tag: desired.change.tag }, record.skips, selected.reads.now())
      : undefined;
  if (skip === undefined) return shown;
  return { ...shown, desired: selectionFailure(container.name, "tag-skipped", `${skip.tag}: ${skip.by}: ${skip.why}`) };
}

/**
 * Returns whether a container keeps the image that a person requested. What has not landed comes first,
 * unless it can't come any more.
 */
export async function keepsImage(selected: SelectedContainer, walked: WalkedContainer): Promise<boolean> {
  const kept = keptOf(selected.container, selected.record);
  if (kept === undefined) return false;
  if (kept.landed !== true && (await keptImage(kept, selected)).kind === "change") return true;
  return !(await isNewer(kept, selected, walked));
}

function skippedTag({ tag, by, why, until }: SkippedByPerson): SkippedTag {
  return { tag, reason: "skipped-by-person", detail: `${by}: ${why}`, ...(until === undefined ? {} : { until }) };
}

/** Returns the tags that the container left for a requested version, and that the policy still prefers. */
function leftTags(
  { container, record }: SelectedContainer,
  { compared, tag: selected }: WalkedContainer,
): readonly SkippedTag[] {
  const left = leftOf(container, record);
  const { rule } = compared ?? {};
  if (left === undefined || rule === undefined || compared === undefined) return [];
  const current = currentImage(container);
  const preferred = compared.tags.filter((tag) => left.tags.includes(nameOf(tag)) && mayReplace(rule, current, tag));
  const detail = `${left.by}: ${left.why}`;
  return preferred
    .map(nameOf)
    .filter((tag) => tag !== selected)
    .map((tag) => ({ tag, reason: "left-by-person", detail }));
}

/** Returns the newest tag that the container left. Undefined if it can't get it, or if the tag is gone. */
function leftNewest({ container, name, record }: SelectedContainer, { compared }: WalkedContainer): string | undefined {
  const left = leftOf(container, record);
  const { tag, digest } = left?.newest ?? {};
  if (tag === undefined || left?.tags.includes(tag) !== true) return undefined;
  const isBlocked =
    digest !== undefined && findBlocked({ imageName: imageNameOf(name), digest }, record.blocked) !== undefined;
  return !isBlocked && compared?.tags.some((one) => nameOf(one) === tag) === true ? tag : undefined;
}

/** Returns the tag that a container would get without its kept image. */
function availableOf({ desired }: WalkedContainer): string | undefined {
  return desired.kind === "change" ? desired.change.tag : undefined;
}

/** Returns whether a walk found an image that did not exist when a person asked for the kept one. */
async function isNewer(
  kept: KeptImage,
  { container, own, name, record, reads }: SelectedContainer,
  { tag, desired, compared }: WalkedContainer,
): Promise<boolean> {
  if (tag === undefined) return false;
  const digest =
    desired.kind === "change"
      ? desired.change.digest
      : desired.kind === "failure"
        ? desired.selectionFailure.digest
        : undefined;
  if (tag === kept.newest.tag && digest !== undefined) {
    // While the newest digest of a tag is too young, a walk finds an older one.
    const latest = await reads.resolve(name, tag);
    if (latest.kind !== "manifest" || latest.digest !== digest) return false;
  }
  const candidate = compared?.tags.find((one) => nameOf(one) === tag) ?? tag;
  if (isNewSince(kept, leftOf(container, record), own, candidate)) return true;
  return isNewerThan(kept.newest, own, { tag: candidate, name: tag, digest });
}

/** Returns the kept image. A rollback asks no registry: its image ran here before. */
async function keptImage(kept: KeptImage, selected: SelectedContainer): Promise<DesiredImage> {
  const { container, own, record } = selected;
  const desired = desiredKept(container, own, kept, record.blocked);
  return desired.kind === "change" && kept.as === "set" ? withPlatforms(selected, desired.change) : desired;
}

/** Returns the kept image, with its digest if some pods run another digest of its tag, which has moved. */
async function keptEverywhere(kept: KeptImage, selected: SelectedContainer): Promise<DesiredImage> {
  const desired = await keptImage(kept, selected);
  const { digests } = selected.container;
  if (desired.kind !== "satisfied" || digests === undefined) return desired;
  const image = await imageBeforeMove(selected, kept.tag, kept.digest);
  const drifts = image !== undefined && isDrift(digests, image);
  return drifts ? keptImage({ ...kept, pinned: true }, selected) : desired;
}

/** Returns whether a desired image is one to which a person rolls back. */
export function isRequestedRollback(desired: DesiredImage, record: SelectedContainer["record"]): boolean {
  return desired.kind === "change" && keptFor(desired.change, record)?.as === "rollback";
}
