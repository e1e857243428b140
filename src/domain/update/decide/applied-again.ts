import { imageNameOf } from "../../image/reference.ts";
import { toIso, type EpochMs } from "../../shared/time.ts";
import { type ApplierNames, isApplier, type RestoredDigest } from "../../workload/appliers.ts";
import type { ContainerState, Observed } from "../../workload/observed.ts";
import { withoutDigests } from "../../workload/repository-digest.ts";
import type { LiveContainer, LiveWorkload } from "../../workload/workload.ts";
import { repositoryOf } from "./desired-image.ts";
import { keepNewest } from "./manual-change.ts";
import type { PatchingUpdate, WorkloadRecord } from "../state/workload.ts";

/** The part of an update that its patch writes. */
export type Written = Pick<PatchingUpdate, "changes"> & { readonly restart?: PatchingUpdate["restart"] | undefined };

/** What a loss of images depends on besides the object. */
export interface LossInputs {
  /** True if the pods of the lost images were not ready. */
  readonly isDoubtful: boolean;
  /** The owner's names of programs that apply manifests. */
  readonly appliers: ApplierNames | undefined;
}

/** A container before a manifest was applied again, and the program that applied it. */
interface Lost {
  readonly container: ContainerState;
  /** The image that the manifest names. */
  readonly image: string;
  /** Undefined if a person or another image replaced the image. */
  readonly manager: string | undefined;
}

/**
 * Returns the digests that a manifest took off the object, if it was applied again: each image that
 * Lookout had written is still there, or is the image that its last author wrote, from a program
 * that applies manifests.
 *
 * Returns undefined if nothing was taken off the object, or if a person or another image did it.
 *
 * @param written - the update on the object that is not observed yet, or the last observed one.
 */
export function appliedAgain(
  record: Pick<WorkloadRecord, "observed">,
  written: Written | undefined,
  live: LiveWorkload,
  { isDoubtful, appliers }: LossInputs,
  now: EpochMs,
): readonly RestoredDigest[] | undefined {
  const lost = lostImages(record.observed, written, live, appliers);
  if (lost.length === 0) return undefined;
  const restored = lost.flatMap(({ container, image, manager }): RestoredDigest[] => {
    const reference = repositoryOf(container);
    const digest = reference?.digest ?? container.digest;
    if (manager === undefined || reference === undefined || digest === undefined) return [];
    const about = { imageName: imageNameOf(reference), digest, tag: reference.tag ?? "", image };
    return [{ ...about, manager, at: writtenAt(live, manager, now), isDoubtful }];
  });
  return restored.length === lost.length ? restored : undefined;
}

/** Returns the last update, if its images were on the object at the last observation. */
export function landedOn({ landed, observed }: WorkloadRecord): Written | undefined {
  const isObserved = landed?.changes.every(({ list, name, to }) =>
    observed.containers.some((one) => one.list === list && one.name === name && one.image === to),
  );
  if (landed === undefined || isObserved !== true) return undefined;
  return { changes: landed.changes, restart: "restart" in landed ? landed.restart : undefined };
}

/** Returns the containers whose image Lookout had written, and that lost it. */
function lostImages(
  observed: Observed,
  written: Written | undefined,
  live: LiveWorkload,
  appliers: ApplierNames | undefined,
): readonly Lost[] {
  const isRestartLost = written?.restart !== undefined && live.restartedAt !== written.restart.to;
  return observed.containers.flatMap((before) => {
    const change = written?.changes.find(({ list, name }) => list === before.list && name === before.name);
    const container = change === undefined ? before : { ...before, image: change.to, digest: change.digest };
    const now = live.containers.find(({ list, name }) => list === before.list && name === before.name);
    const isRestart = change !== undefined && change.from === change.to;
    const isOurs = isRestart || container.image !== before.applied;
    const isLost = now?.image !== container.image || (isRestart && isRestartLost);
    if (now === undefined || !isOurs || !isLost) return [];
    return [{ container, image: now.image, manager: applierOf(now, before, appliers) }];
  });
}

/** Returns the program that applied the same image as before, or undefined. */
function applierOf(
  { image, imageOwner }: LiveContainer,
  { applied }: ContainerState,
  appliers: ApplierNames | undefined,
): string | undefined {
  if (imageOwner === undefined || applied !== image) return undefined;
  return isApplier(imageOwner, appliers) ? imageOwner.manager : undefined;
}

/** Returns when a manager wrote the images. Whoever writes an object may claim any instant. */
function writtenAt({ lastWriter }: LiveWorkload, manager: string, now: EpochMs): RestoredDigest["at"] {
  return lastWriter?.manager === manager && lastWriter.at < now ? lastWriter.at : now;
}

/** Returns the restored digests of a record, with later ones. */
export function withRestored(
  { restored = [] }: WorkloadRecord,
  added: readonly RestoredDigest[],
): readonly RestoredDigest[] {
  return keepNewest([...(withoutDigests(restored, added) ?? []), ...added]);
}

/** Returns the reason of an update that a manifest took off the object. */
export function whyAppliedAgain(restored: readonly RestoredDigest[]) {
  const detail = restored.map(({ manager, image, at }) => `${manager} restored ${image} at ${toIso(at)}`).join(", ");
  return { reason: "manifest-applied-again", detail } as const;
}
