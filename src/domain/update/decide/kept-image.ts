import { imageNameOf } from "../../image/reference.ts";
import { type CandidateTag, nameOf, type SelectionRule, selectTag } from "../../policy/policy.ts";
import { isPreferred, mayReplace } from "../../policy/young-tags.ts";
import type { ContainerSettings } from "../../settings/settings.ts";
import { canDrift } from "../../workload/digest-drift.ts";
import type { ContainerState } from "../../workload/observed.ts";
import type { ImageChange } from "../../workload/patch.ts";
import { sha256 } from "../../shared/sha256.ts";
import type { EpochMs } from "../../shared/time.ts";
import type { StateChanges } from "../state/changes.ts";
import type { BlockedDigest, EndedUpdate, RollingBackUpdate, WorkloadRecord } from "../state/workload.ts";
import type { KeptImage, KnownImage, LeftTags, RequestedVersion } from "../../workload/control.ts";
import { compareWithRunning, type DesiredImage, realignedImage, repositoryOf } from "./desired-image.ts";

/** Returns the image that a container keeps, or undefined if it keeps none. */
export function keptOf(
  container: Pick<ContainerState, "list" | "name" | "image" | "registry">,
  { kept }: Pick<WorkloadRecord, "kept">,
): KeptImage | undefined {
  return ofContainer(container, kept);
}

function ofContainer<Part extends Pick<KeptImage, "list" | "container" | "imageName">>(
  container: Pick<ContainerState, "list" | "name" | "image" | "registry">,
  parts: readonly Part[] | undefined,
): Part | undefined {
  const name = repositoryOf(container);
  return parts?.find(
    (one) =>
      one.list === container.list &&
      one.container === container.name &&
      name !== undefined &&
      one.imageName === imageNameOf(name),
  );
}

/**
 * Returns whether a policy prefers a selected image to the newest image that was known before. A tag
 * that moved to another digest is newer too.
 *
 * If the policy does not accept the known tag any more, nothing proves what is newer, unless it accepts one tag only:
 * whoever wrote that tag, such as a ServiceImage, wants it now.
 */
export function isNewerThan(
  newest: KnownImage,
  rule: ContainerSettings,
  selected: { readonly tag: CandidateTag; readonly name: string; readonly digest?: string | undefined },
): boolean {
  const { tag, digest, movedAt } = newest;
  if (tag === undefined) return false;
  if (selected.name === tag) return selected.digest !== undefined && digest !== undefined && selected.digest !== digest;
  const known = movedAt === undefined ? tag : { name: tag, movedAt };
  const current = { tag, ...(movedAt === undefined ? {} : { movedAt }) };
  if (selectTag(rule, current, [known]).kind === "none") return isOnlyTag(selected.name, rule);
  return isPreferred(rule, current, selected.tag, known);
}

/** Returns whether a policy names a tag as the only one. A tag has no `*`. */
function isOnlyTag(tag: string, { filter }: ContainerSettings): boolean {
  return filter?.include.length === 1 && filter.include[0]?.text === tag;
}

/** Returns the tags that a container left for a requested version. */
export function leftOf(
  container: Pick<ContainerState, "list" | "name" | "image" | "registry">,
  { left }: Pick<WorkloadRecord, "left">,
): LeftTags | undefined {
  return ofContainer(container, left);
}

/**
 * Returns whether a tag did not exist when a person asked for a version, and the policy prefers it to
 * that version. False if Lookout did not store which tags existed then, or for another policy.
 */
export function isNewSince(
  kept: Pick<KeptImage, "tag" | "at">,
  left: Pick<LeftTags, "tags" | "policy" | "at"> | undefined,
  rule: SelectionRule,
  tag: CandidateTag,
): boolean {
  if (left?.at !== kept.at || left.policy !== policyKey(rule) || left.tags.includes(nameOf(tag))) return false;
  return tagsAbove(rule, kept.tag, [tag]).length > 0;
}

/** Returns a short text that differs for policies that may prefer other tags. */
export function policyKey({ policy, filter }: SelectionRule): string {
  return sha256(JSON.stringify([policy, filter])).slice(0, 16);
}

/** Returns the tags that a policy prefers to a tag, in the given order. */
export function tagsAbove(rule: SelectionRule, tag: string, tags: readonly CandidateTag[]): readonly string[] {
  return tags.filter((one) => mayReplace({ ...rule, allowDowngrade: false }, { tag }, one)).map(nameOf);
}

/**
 * Returns the desired image of a container that keeps an image: the kept one.
 *
 * The baseline, which a policy accepts besides the running digest, is no requested version.
 */
export function desiredKept(
  running: ContainerState,
  settings: ContainerSettings,
  { tag, digest, platforms, pinned }: Pick<KeptImage, "tag" | "digest" | "platforms" | "pinned">,
  blocked: readonly BlockedDigest[],
): DesiredImage {
  const container = { ...running, baseline: running.digest ?? running.baseline ?? unknownDigest };
  const always = { ...settings, strategy: "tag+digest" } as const;
  const desired = compareWithRunning(container, always, tag, { digest, platforms }, blocked);
  // The pods may run the digest, but new ones would pull the one that the tag has now. A restart would do so too.
  const isByTag =
    desired.kind === "change"
      ? pinned === true || desired.change.apply === "restart"
      : desired.kind === "satisfied" && pinned === true && canDrift(running);
  if (!isByTag) return desired;
  return realignedImage(container, { ...always, apply: "pin" }, tag, { digest, platforms }, blocked);
}

/** The digest of a container whose digest is not known, so that it differs from every other one. */
const unknownDigest = "unknown";

/** Returns the kept image that a change would bring back. Undefined for another change. */
export function keptFor(change: ImageChange, { kept = [] }: Pick<WorkloadRecord, "kept">): KeptImage | undefined {
  return kept.find(
    ({ list, container, imageName, tag, digest }) =>
      list === change.list &&
      container === change.name &&
      imageName === change.imageName &&
      tag === change.tag &&
      digest === change.digest,
  );
}

/**
 * Returns the changes of one update: those that people requested, by themselves, or else all. A
 * requested rollback passes gates that no other change may pass, so it comes first.
 */
export function requestedFirst(
  record: Pick<WorkloadRecord, "kept">,
  changes: readonly ImageChange[],
): { readonly changes: readonly ImageChange[]; readonly requested?: RequestedVersion } {
  const kept = changes.flatMap((change) => keptFor(change, record) ?? []);
  const [first] = kept.toSorted(
    (one, other) => Number(isRollback(other)) - Number(isRollback(one)) || other.at - one.at,
  );
  if (first === undefined) return { changes };
  const { by, why } = first;
  const as = isRollback(first) ? "rollback" : "set";
  const isOfRequest = (change: ImageChange): boolean => {
    const own = keptFor(change, record);
    return own !== undefined && isSameRequest(own, first) && isRollback(own) === isRollback(first);
  };
  return { changes: changes.filter(isOfRequest), requested: { as, by, why } };
}

/** Returns whether a kept image is that of a rollback which has not landed yet. */
function isRollback({ as, landed }: KeptImage): boolean {
  return as === "rollback" && landed !== true;
}

function isSameRequest(one: KeptImage, other: KeptImage): boolean {
  return one.at === other.at && one.as === other.as && one.by === other.by;
}

/**
 * Returns the part of the state that keeps the images of `lookout.dev/rollback-to`. Otherwise the
 * next evaluation would select the image that ran before the failed update.
 */
export function keptAfterRollback(
  { kept = [] }: Pick<WorkloadRecord, "kept">,
  { seq, changes, failure }: Pick<RollingBackUpdate, "seq" | "changes" | "failure">,
  now: EpochMs,
): Pick<StateChanges, "kept"> {
  const images = changes.flatMap(({ list, name, imageName, tag, digest, back }): readonly KeptImage[] => {
    if (back === undefined) return [];
    const image = {
      tag: back.tag,
      digest: back.digest,
      platforms: [],
      seq,
      landed: true,
      newest: { tag, digest },
    } as const;
    const person = { by: "lookout.dev/rollback-to", why: failure.detail, at: now };
    return [{ as: "rollback", ...person, list, container: name, imageName, ...image }];
  });
  if (images.length === 0) return {};
  const others = kept.filter(
    (one) => !images.some(({ list, container }) => list === one.list && container === one.container),
  );
  return { kept: [...others, ...images] };
}

/** Returns whether a person requested another version of a container after an update of it was selected. */
export function isReplacedByRequest(
  change: ImageChange,
  seq: number,
  { kept = [] }: Pick<WorkloadRecord, "kept">,
): boolean {
  const own = kept.find(({ list, container }) => list === change.list && container === change.name);
  return own !== undefined && seq <= own.seq && keptFor(change, { kept: [own] }) === undefined;
}

/**
 * Returns the kept images after an update that ended on the object. An image that the update brought
 * has landed. After the success of a newer update to another image, the container keeps none.
 */
export function keptAfter(
  { kept }: Pick<WorkloadRecord, "kept">,
  { seq, changes, status }: Pick<EndedUpdate, "seq" | "changes" | "status">,
): readonly KeptImage[] | undefined {
  const left = kept?.flatMap((one): readonly KeptImage[] => {
    const change = changes.find(({ list, name }) => list === one.list && name === one.container);
    if (change === undefined) return [one];
    const isBack = status === "rolled-back" && one.as === "rollback";
    if (isBack || (status === "succeeded" && keptFor(change, { kept: [one] }) !== undefined))
      return [{ ...one, landed: true }];
    return status === "succeeded" && seq > one.seq ? [] : [one];
  });
  return left === undefined || left.length === 0 ? undefined : left;
}
