import { readKinds } from "#adapters/kubernetes/kinds/index";
import { liveWorkload as read } from "#adapters/kubernetes/live-workload";
import type { WorkloadObject } from "#adapters/kubernetes/objects";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import type { LiveWorkload, WorkloadName } from "#domain/workload/workload";

/** Returns an object of a built-in kind, or of the kinds of other operators, as a workload. */
export function liveWorkload(
  workload: WorkloadName,
  object: WorkloadObject,
  custom: readonly CustomKindSpec[] = [],
): LiveWorkload {
  const kind = readKinds(custom).get(workload.kind);
  if (kind === undefined) throw new Error(`no kind ${workload.kind}`);
  return read(kind, workload, object);
}
