import { deepEqual } from "../../shared/deep-equal.ts";
import type { ActiveUpdate, WorkloadRecord } from "../state/workload.ts";
import type { Observed } from "../../workload/observed.ts";
import type { DesiredImage } from "./desired-image.ts";

/**
 * Returns whether an evaluation after a successful update would change nothing.
 *
 * The result is true if only the update changed the object, and each selected image is applied. A
 * blocked digest of the same repository may have been selected before, so that it must be found
 * again.
 */
export function selectionStillHolds(record: WorkloadRecord, active: ActiveUpdate, after: Observed): boolean {
  const { observed: before, pending, selectionFailures, needsEvaluation } = record;
  if (needsEvaluation === true || "reevaluate" in active || pending !== undefined || selectionFailures.length > 0)
    return false;
  // A request goes before the images that the policies selected for other containers.
  if (active.requested !== undefined) return false;
  if (record.blocked.some(({ imageName }) => active.changes.some((change) => change.imageName === imageName)))
    return false;
  return deepEqual(besideUpdate(before, active), besideUpdate(after, active));
}

function besideUpdate({ containers, annotations, sourceMarks }: Observed, { changes }: ActiveUpdate): object {
  const others = containers.filter(({ list, name }) =>
    changes.every((change) => change.list !== list || change.name !== name),
  );
  return { annotations, sourceMarks, images: others.map(({ list, name, image }) => ({ list, name, image })) };
}

/**
 * Marks an active update that replaces an image which its policy selects now, or beside which a
 * preferred image waits for its age. Returns undefined if no mark is needed.
 *
 * The evaluation used the replaced image, so Lookout evaluates the workload again after the update.
 */
export function markForReevaluation(
  active: ActiveUpdate | undefined,
  desiredImages: readonly DesiredImage[],
): { readonly active: ActiveUpdate } | undefined {
  if (active === undefined || active.status === "rolling-back" || active.reevaluate === true) return undefined;
  const overtaken = desiredImages.some(
    (desired) =>
      desired.reselectAt !== undefined ||
      (desired.kind === "satisfied" && active.changes.some(({ name }) => name === desired.container)),
  );
  return overtaken ? { active: { ...active, reevaluate: true } } : undefined;
}
