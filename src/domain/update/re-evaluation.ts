/** Whether the registries have to be asked again when an update has succeeded. */
import { deepEqual } from "../shared/deep-equal.ts";
import type { ActiveUpdate, WorkloadRecord } from "./states.ts";
import type { Observed } from "../workload/observed.ts";
import type { DesiredImage } from "./desired-image.ts";

/**
 * Says whether the registries would say the same again of a workload whose update succeeded: nothing changed since they were asked but
 * what the update brought, and all that they said meanwhile is followed.
 */
export function selectionStillHolds(record: WorkloadRecord, active: ActiveUpdate, after: Observed): boolean {
  const { observed: before, pending, selectionFailures, needsEvaluation } = record;
  if (needsEvaluation === true || active.reevaluate === true || pending !== undefined || selectionFailures.length > 0)
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
 * Marks the active update of which a container already has what its policy selects: that was judged by what the update replaces, so that it
 * may have to be put back there. Undefined: there is nothing to mark.
 */
export function markForReevaluation(
  active: ActiveUpdate | undefined,
  desiredImages: readonly DesiredImage[],
): { readonly active: ActiveUpdate } | undefined {
  if (active === undefined || active.reevaluate === true) return undefined;
  const overtaken = desiredImages.some(
    (desired) => desired.kind === "satisfied" && active.changes.some(({ name }) => name === desired.container),
  );
  return overtaken ? { active: { ...active, reevaluate: true } } : undefined;
}
