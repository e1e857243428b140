/** Updates on the object that the record does not know, because the record is older than the object. */
import { imageOf, type LiveWorkload, fieldManager, updateLabelKey, updateLabelOf } from "../../workload/workload.ts";
import type { ImageChange } from "../../workload/patch.ts";
import type { Decision } from "../state/changes.ts";
import type { ActiveUpdate, RollingOutUpdate, UnpatchedUpdate, WorkloadRecord } from "../state/workload.ts";

/** Nine digits, so that a forged label leaves numbers for all updates to come. */
const numbered = /^(\d{1,9})(-back)?$/;

/** Returns the number in the object's update label. Returns 0 without a label of this installation. */
export function labelledSeq({ labels }: Pick<LiveWorkload, "labels">, installation: string): number {
  const label = labels[updateLabelKey] ?? "";
  if (!label.startsWith(`${installation}-`)) return 0;
  return Number(numbered.exec(label.slice(installation.length + 1))?.[1] ?? 0);
}

/**
 * Returns whether the label proves another update than the one that is to be patched: an update that
 * the record does not know had its number, or a later one.
 *
 * An earlier patch of a held update may land late, with the label of its number. It shows the desired
 * images, or a user's.
 */
export function isNumberTaken(active: UnpatchedUpdate, live: LiveWorkload, installation: string): boolean {
  const seq = labelledSeq(live, installation);
  if (seq !== active.seq) return seq > active.seq;
  if (isRolledBack(active, live, installation)) return true;
  return active.status === "released" && wroteOthers(active, live);
}

/** Returns whether the object shows images of a later update, or a rollback, that the record does not know. */
export function showsUnknownPatch(active: RollingOutUpdate, live: LiveWorkload, installation: string): boolean {
  const isLater = labelledSeq(live, installation) > active.seq || isRolledBack(active, live, installation);
  return isLater && wroteOthers(active, live);
}

/** Returns whether the label proves that an update was rolled back. */
export function isRolledBack({ seq }: Pick<ActiveUpdate, "seq">, live: LiveWorkload, installation: string): boolean {
  return live.labels[updateLabelKey] === updateLabelOf(installation, seq, "back");
}

/** Returns whether Lookout itself wrote other images than an update names. An unknown owner proves nothing. */
function wroteOthers({ changes }: { readonly changes: readonly ImageChange[] }, live: LiveWorkload): boolean {
  const others = changes.filter((change) => imageOf(live, change) !== change.to);
  return others.length > 0 && others.every((change) => isWrittenByLookout(live, change));
}

/** Returns whether Lookout wrote the image of a container, as the owner of the field proves. */
export function isWrittenByLookout(live: LiveWorkload, { list, name }: Pick<ImageChange, "list" | "name">): boolean {
  const container = live.containers.find((one) => one.list === list && one.name === name);
  return container?.imageOwner?.manager === fieldManager;
}

/**
 * Adds the number of the object's update label to the decision about an object, so that no later update
 * has a number that the object has had.
 */
export function withLabelledSeq(
  decision: Decision | undefined,
  record: Pick<WorkloadRecord, "seq">,
  { live, installation }: { readonly live: LiveWorkload; readonly installation: string },
): Decision | undefined {
  const seq = labelledSeq(live, installation);
  if (seq <= record.seq) return decision;
  return { ...decision, changes: { ...decision?.changes, seq }, transitions: decision?.transitions ?? [] };
}
