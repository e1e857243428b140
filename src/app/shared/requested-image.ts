import { imageNameOf } from "#domain/image/reference";
import { nameOf } from "#domain/policy/policy";
import { desiredKept, isNewerThan, keptFor, keptOf } from "#domain/update/decide/kept-image";
import type { DesiredImage } from "#domain/update/decide/desired-image";
import { findSkip, type KeptImage, type SkippedByPerson } from "#domain/workload/control";
import { skipsOf } from "./skipped-tags.ts";
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
  const { container, record, own } = selected;
  const kept = keptOf(container, record);
  const shown = { ...walked, skipped: [...walked.skipped, ...skipsOf(selected).map(skippedTag)] };
  if (kept !== undefined && (keepsAnyway || (await keepsImage(selected, walked)))) {
    const desired = await keptImage(kept, selected);
    const advice = walked.desired.advice === undefined ? {} : { advice: walked.desired.advice };
    const available = availableOf(walked);
    const newer = desired.kind === "satisfied" && available !== undefined ? { available } : {};
    return { ...shown, desired: { ...desired, ...newer, ...advice }, tag: kept.tag };
  }
  const { desired } = walked;
  const skip =
    desired.kind === "change"
      ? findSkip({ imageName: imageNameOf(selected.name), tag: desired.change.tag }, record.skips, selected.reads.now())
      : undefined;
  if (skip === undefined || own.policy.kind !== "digest") return shown;
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

/** Returns the tag that a container would get without its kept image. */
function availableOf({ desired }: WalkedContainer): string | undefined {
  return desired.kind === "change" ? desired.change.tag : undefined;
}

/** Returns whether a walk found an image that did not exist when a person asked for the kept one. */
async function isNewer(
  kept: KeptImage,
  { own, name, reads }: SelectedContainer,
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
  return isNewerThan(kept.newest, own, { tag: candidate, name: tag, digest });
}

/** Returns the kept image. A rollback asks no registry: its image ran here before. */
async function keptImage(kept: KeptImage, selected: SelectedContainer): Promise<DesiredImage> {
  const { container, own, record } = selected;
  const desired = desiredKept(container, own, kept, record.blocked);
  return desired.kind === "change" && kept.as === "set" ? withPlatforms(selected, desired.change) : desired;
}

/** Returns whether a desired image is one to which a person rolls back. */
export function isRequestedRollback(desired: DesiredImage, record: SelectedContainer["record"]): boolean {
  return desired.kind === "change" && keptFor(desired.change, record)?.as === "rollback";
}
