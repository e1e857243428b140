import { parseImageReference, imageNameOf } from "../../image/reference.ts";
import type { Reason } from "../../shared/reasons.ts";
import { toIso, type EpochMs } from "../../shared/time.ts";
import type { ActiveUpdate, BlockedDigest, WorkloadRecord } from "../state/workload.ts";
import type { ImageChange } from "../../workload/patch.ts";
import type { ContainerState } from "../../workload/observed.ts";
import { findBlocked, repositoryOf } from "./desired-image.ts";
import { isWrittenByLookout, labelledSeq } from "./unknown-update.ts";
import { updateLabelKey, updateLabelOf, type LiveWorkload } from "../../workload/workload.ts";

/** An image that an object had, with one of its digests. */
export type FormerImage = Pick<BlockedDigest, "imageName" | "digest" | "tag"> &
  Pick<ContainerState, "list" | "name" | "image">;

/**
 * Returns the blocked digests, with the digests that a user removed from the object since the last
 * observation.
 *
 * The author of a removed digest does not matter. A digest that Lookout's own patch replaced after
 * that observation is not a user's change, even if the record does not know the patch. A changed
 * digest under the same tag is no manual change either.
 */
export function blockRemoved(
  record: WorkloadRecord,
  live: LiveWorkload,
  installation: string,
  now: EpochMs,
): readonly BlockedDigest[] {
  const written = writtenSince(record, live, installation);
  const isOurs = labelledSeq(live, installation) > 0;
  const stood = record.observed.containers.flatMap((container) => {
    if (isOurs && isWrittenByLookout(live, container)) return [];
    const change = written.find(({ list, name }) => list === container.list && name === container.name);
    return change === undefined ? formerImages(container) : [{ ...change, image: change.to }];
  });
  return withBlocked(record, stood, record.seq, live, now);
}

/**
 * Returns the changes that Lookout wrote after its last observation, as the update label proves;
 * often empty.
 */
function writtenSince(
  { landed, observed }: WorkloadRecord,
  live: LiveWorkload,
  installation: string,
): readonly ImageChange[] {
  const updateLabel = live.labels[updateLabelKey];
  const since = landed !== undefined && updateLabel === updateLabelOf(installation, landed.seq, "forward");
  return since && updateLabel !== observed.updateLabel ? landed.changes : [];
}

/**
 * Blocks removed digests as {@link blockRemoved} does, for the images of an update that are not
 * observed yet.
 */
export function blockRemovedUpdate(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  now: EpochMs,
): readonly BlockedDigest[] {
  const stood = active.changes.map((change) => ({ ...change, image: change.to }));
  return withBlocked(record, stood, active.seq, live, now);
}

/**
 * Blocks removed digests as {@link blockRemoved} does, for the containers that an update does not
 * change.
 *
 * After a rollback, blocks the removed digests of all containers.
 */
export function blockRemovedBeside(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  now: EpochMs,
): readonly BlockedDigest[] {
  const isBeside = ({ name }: ContainerState): boolean => active.changes.every((change) => change.name !== name);
  const rolledBack = active.status === "rolling-back" && active.rollback.kind === "patched";
  const besides = record.observed.containers.filter((one) => rolledBack || isBeside(one));
  const stood = besides.flatMap((one) => restoredImages(one, rolledBack ? active.changes : []) ?? formerImages(one));
  return withBlocked(record, stood, record.seq, live, now);
}

/** Returns the image that a rollback wrote to a container in place of its former one. Undefined if it wrote none. */
function restoredImages(
  { list, name }: ContainerState,
  changes: readonly ImageChange[],
): readonly FormerImage[] | undefined {
  const change = changes.find((one) => one.list === list && one.name === name);
  if (change?.back === undefined) return undefined;
  const { tag, digest, to } = change.back;
  return [{ list, name, image: to, imageName: change.imageName, tag, digest }];
}

function withBlocked(
  record: WorkloadRecord,
  stood: readonly FormerImage[],
  seq: number,
  live: LiveWorkload,
  now: EpochMs,
): readonly BlockedDigest[] {
  const writer = live.lastWriter;
  const known = (one: FormerImage): BlockedDigest | undefined => findBlocked(one, record.blocked);
  const left = stood.filter((one) => !isUnchanged(one, live) && known(one)?.reason !== "changed-by-hand");
  const block = ({ imageName, digest, tag }: FormerImage): BlockedDigest => ({
    imageName,
    digest,
    tag,
    reason: "changed-by-hand",
    ...(writer === undefined ? {} : { by: `${writer.manager} at ${toIso(writer.at)}` }),
    seq,
    at: now,
  });
  // A user's removal replaces the block of a failed rollout.
  const others = record.blocked.filter((digest) => !left.some((one) => known(one) === digest));
  return keepNewest([...others, ...left.map(block)]);
}

/** Returns the block of a digest whose update failed. */
export function blockedBy(
  { imageName, digest, tag }: ImageChange,
  seq: number,
  reason: Reason,
  now: EpochMs,
): BlockedDigest {
  return { imageName, digest, tag, reason, seq, at: now };
}

/**
 * The maximum number of blocked digests that a record keeps, so that the record fits into one item.
 */
const mostBlocked = 100;

/** Returns the newest of the digests that a record keeps. */
export function keepNewest<Digest>(digests: readonly Digest[]): readonly Digest[] {
  return digests.slice(-mostBlocked);
}

/**
 * Returns the images of a container, one for each digest. Without a pin, pods and registry may
 * report the digests of a platform and of its index.
 */
export function formerImages(container: ContainerState): readonly FormerImage[] {
  const { list, name, image, digest, baseline } = container;
  const reference = repositoryOf(container);
  if (reference === undefined) return [];
  const pinned = reference.digest;
  const digests = new Set((pinned === undefined ? [digest, baseline] : [pinned]).filter((one) => one !== undefined));
  const about = { list, name, image, imageName: imageNameOf(reference), tag: reference.tag ?? "" };
  return [...digests].map((one) => ({ ...about, digest: one }));
}

function isUnchanged(before: FormerImage, live: LiveWorkload): boolean {
  const now = live.containers.find(({ list, name }) => list === before.list && name === before.name);
  // Whoever renames or removes a container says nothing about its image.
  if (now === undefined) return true;
  if (now.image === before.image) return true;
  const one = parseImageReference(before.image);
  const other = repositoryOf(now);
  if (!one.ok || other === undefined || imageNameOf(other) !== before.imageName) return false;
  return one.value.tag !== undefined && one.value.tag === other.tag;
}
