import { sourceMarks } from "../../gates/declared-source.ts";
import type { RunningImages } from "../../workload/health.ts";
import { settingAnnotations } from "../../settings/settings.ts";
import { type EpochMs, toIso } from "../../shared/time.ts";
import type { EndedUpdate, Hold, PatchingUpdate } from "../state/workload.ts";
import { keptLabels } from "../../workload/labels.ts";
import type { ImageChange } from "../../workload/patch.ts";
import { severalDigests } from "../../workload/digest-drift.ts";
import { type ContainerState, mostContainers, type Observed } from "../../workload/observed.ts";
import { repositoryOf } from "./desired-image.ts";
import {
  updateLabelKey,
  updateLabelOf,
  fieldManager,
  imageOf,
  type LiveContainer,
  type LiveWorkload,
} from "../../workload/workload.ts";

/**
 * Returns the observed part of a record after a read of the object. Unchanged images keep their
 * known digests.
 */
export function observedFrom(
  live: LiveWorkload,
  running: RunningImages | undefined,
  before: Observed | undefined,
  at: EpochMs,
): Observed {
  const updateLabel = live.labels[updateLabelKey];
  return {
    // The extra container shows that the pod exceeds the limit, so Lookout holds its updates.
    containers: live.containers.slice(0, mostContainers + 1).map((container) => {
      const old = before?.containers.find(isOf(container));
      // A restart pulls the tag again, so the earlier digest is outdated.
      const known = before?.restartedAt === live.restartedAt ? old : undefined;
      const seen = old === undefined ? { seenAt: at } : seenAtOf(old);
      return { ...containerFrom(container, running, known, seen), ...appliedTo(container, before) };
    }),
    annotations: settingAnnotations(live.annotations),
    sourceMarks: sourceMarks(live),
    ...labelsOf(live),
    ...(updateLabel === undefined ? {} : { updateLabel }),
    ...(live.restartedAt === undefined ? {} : { restartedAt: live.restartedAt }),
    ...(live.controller === undefined ? {} : { controller: live.controller }),
    ...(live.paused === undefined ? {} : { paused: live.paused }),
    ...(live.placement === undefined ? {} : { placement: live.placement }),
  };
}

function labelsOf({ labels, namedLabels }: LiveWorkload): Pick<Observed, "labels"> {
  const kept = { ...keptLabels(labels), ...namedLabels };
  return Object.keys(kept).length === 0 ? {} : { labels: kept };
}

/** Returns the hold of a workload after a user reverted an update. */
export function holdAfter(seq: number, live: LiveWorkload, now: EpochMs): Hold {
  const writer = live.lastWriter;
  const who = writer === undefined ? " by an unknown field manager" : ` by ${writer.manager} at ${toIso(writer.at)}`;
  return { reason: "reverted-by-user", at: now, seq, detail: `reverted${who}` };
}

/**
 * Returns whether a user reverted the last update: the object has its update label and the previous
 * images.
 */
export function wasReverted(landed: EndedUpdate, live: LiveWorkload, installation: string): boolean {
  return (
    live.labels[updateLabelKey] === updateLabelOf(installation, landed.seq, "forward") &&
    showsPreviousImages(landed, live)
  );
}

/** The part of an update that its patch writes. `restart` exists once the intent is stored. */
type Written = Pick<PatchingUpdate, "changes" | "restart">;

/** Returns whether each observed container still has its image, or still has none. */
export function showsImagesOf({ containers }: Observed, live: LiveWorkload): boolean {
  return containers.every((container) => {
    const now = live.containers.find(({ list, name }) => list === container.list && name === container.name);
    return now?.image === container.image && now.isUnset === container.isUnset;
  });
}

/** Returns whether the object shows the images and the restart of an update. */
export function showsDesiredImages(update: Written, live: LiveWorkload): boolean {
  const images = update.changes.every((change) => imageOf(live, change) === change.to);
  return images && (update.restart === undefined || live.restartedAt === update.restart.to);
}

/** Returns whether the object shows the images and the restart from before an update. */
export function showsPreviousImages(update: Written, live: LiveWorkload): boolean {
  const imagesBack = update.changes.every((change) => imageOf(live, change) === change.from);
  return imagesBack && (update.restart === undefined || live.restartedAt === update.restart.from);
}

/** Returns whether the object shows the images and the restart that a rollback of an update writes. */
export function showsRestoredImages(update: Written, live: LiveWorkload): boolean {
  const imagesBack = update.changes.every((change) => imageOf(live, change) === restoredImage(change));
  return imagesBack && (update.restart === undefined || live.restartedAt === update.restart.from);
}

/** Returns the image text of a container after the rollback of a change. A first image stays. */
export function restoredImage({
  from,
  to,
  back,
  isFirst,
}: Pick<ImageChange, "from" | "to" | "back" | "isFirst">): string {
  return back?.to ?? (isFirst === true ? to : from);
}

/** Returns whether a failed change stays on the object, because there is no image to which it returns. */
export function staysAfterFailure({ back, isFirst }: Pick<ImageChange, "back" | "isFirst">): boolean {
  return back === undefined && isFirst === true;
}

/**
 * Returns whether another field manager owns an image that the update changed.
 *
 * Only the owner of the image field shows this change. If the owner is unknown, the function
 * assumes that Lookout wrote the image.
 */
export function wasSetByOthers({ changes }: Pick<Written, "changes">, live: LiveWorkload): boolean {
  return changes.some(({ list, name, from, to }) => {
    const container = live.containers.find((one) => one.list === list && one.name === name);
    return from !== to && (container?.imageOwner?.manager ?? fieldManager) !== fieldManager;
  });
}

/** Returns the last image that anyone but Lookout wrote to a container, and its writer. */
function appliedTo(
  { list, name, image, imageOwner }: LiveContainer,
  before: Observed | undefined,
): Pick<ContainerState, "applied" | "appliedBy"> {
  const old = before?.containers.find((one) => one.list === list && one.name === name);
  const isOurs = imageOwner === undefined ? old !== undefined : imageOwner.manager === fieldManager;
  if (!isOurs) return { applied: image, ...(imageOwner && { appliedBy: imageOwner }) };
  const { applied, appliedBy } = old ?? {};
  return { ...(applied === undefined ? {} : { applied }), ...(appliedBy && { appliedBy }) };
}

function isOf({ list, name, image, isUnset }: LiveContainer): (old: ContainerState) => boolean {
  return (old) => old.list === list && old.name === name && old.image === image && old.isUnset === isUnset;
}

function seenAtOf({ seenAt }: ContainerState): Pick<ContainerState, "seenAt"> {
  return seenAt === undefined ? {} : { seenAt };
}

function containerFrom(
  { list, name, image, isUnset, registry, pullPolicy, imageOwner }: LiveContainer,
  running: RunningImages | undefined,
  known: ContainerState | undefined,
  seen: Pick<ContainerState, "seenAt">,
): ContainerState {
  const parts = {
    list,
    name,
    image,
    ...(registry === undefined ? {} : { registry }),
    ...selectionOf(known),
    ...seen,
    ...(imageOwner === undefined ? {} : { imageOwner }),
  };
  // Whatever the pods run, the object does not name it.
  if (isUnset === true) return { ...parts, isUnset };
  const samePulls = known?.pullPolicy === pullPolicy ? known : undefined;
  return {
    ...parts,
    ...(pullPolicy === undefined ? {} : { pullPolicy }),
    // A new pull policy replaces the pods, which may pull the tag again.
    ...digestFrom(image, samePulls?.digest ?? running?.[name]?.[0]),
    ...digestsOf({ list, name, image }, running, samePulls),
  };
}

/** Returns the different digests that the pods report. Pods that were not read keep the known ones. */
function digestsOf(
  container: Pick<LiveContainer, "list" | "name" | "image">,
  running: RunningImages | undefined,
  known: ContainerState | undefined,
): Pick<ContainerState, "digests"> {
  const digests = running === undefined ? known?.digests : severalDigests(container, running);
  return digests === undefined ? {} : { digests };
}

/** Returns the parts of a container that a selection stored. */
function selectionOf(known: ContainerState | undefined): Pick<ContainerState, "baseline" | "available" | "advice"> {
  return {
    ...(known?.baseline === undefined ? {} : { baseline: known.baseline }),
    ...(known?.available === undefined ? {} : { available: known.available }),
    ...(known?.advice === undefined ? {} : { advice: known.advice }),
  };
}

/** Returns the digest of an image: the pinned digest, otherwise the `seen` digest. */
function digestFrom(image: string, seen: string | undefined): Pick<ContainerState, "digest"> {
  const digest = repositoryOf({ image })?.digest ?? seen;
  return digest === undefined ? {} : { digest };
}
