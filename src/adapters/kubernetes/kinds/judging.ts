import type { EpochMs } from "#domain/shared/time";
import type { Health } from "#domain/workload/health";
import { faultyHealth, type PodFault, worstFault } from "#domain/workload/pod-fault";
import type { LiveWorkload } from "#domain/workload/workload";
import type { ClusterRefusal } from "#ports/cluster";
import type { Connection } from "../connection.ts";
import { faultsOf } from "../fault.ts";
import type { CoreEvent, ObjectMeta, Pod } from "../objects.ts";
import { isSeen, summary } from "../pods.ts";
import { readWarnings } from "../reader.ts";

/** Returns the health of a workload whose pods all run. */
export function healthy(
  live: LiveWorkload,
  runningSince: EpochMs | undefined,
  { pods, restarts }: { readonly pods: number; readonly restarts: number },
): Health {
  return { kind: "healthy", live, ...(runningSince === undefined ? {} : { runningSince }), pods, restarts };
}

/**
 * Returns the health of a workload from the object alone, or undefined if the object is not enough.
 *
 * @param wanted - the desired number of pods of the current revision.
 */
export function healthWithoutPods(
  live: LiveWorkload,
  object: Parameters<typeof isSeen>[0],
  wanted: number,
): Health | undefined {
  if (!isSeen(object)) {
    const detail = `the ${live.workload.kind} controller has not observed the change yet`;
    return { kind: "progressing", live, ready: 0, wanted, detail };
  }
  return wanted === 0 ? { kind: "unverifiable", live, why: "nothing-to-run" } : undefined;
}

/**
 * Returns the health of a rollout whose pods have a fault, or could not be created. Returns undefined
 * without a fault.
 */
export function healthOfPods(
  live: LiveWorkload,
  pods: readonly Pod[],
  wanted: number,
  refused?: PodFault,
): Health | undefined {
  const fault = worstFault([...(refused === undefined ? [] : [refused]), ...faultsOf(pods)]);
  return fault && faultyHealth(fault, { live, ready: summary(pods).ready, wanted });
}

/**
 * Returns the health of an object. Warnings are read only for a rollout in progress, because they
 * cost a request.
 */
export async function judgeWithWarnings(
  api: Connection,
  metadata: ObjectMeta,
  judge: (warnings: readonly CoreEvent[]) => Health,
  signal: AbortSignal,
): Promise<Health | ClusterRefusal> {
  const judged = judge([]);
  if (judged.kind !== "progressing") return judged;
  const warnings = await readWarnings(api, metadata, signal);
  return warnings.kind === "all" ? judge(warnings.items) : warnings;
}

/** Returns whether pods are replaced only after someone deletes them. */
export function isOnDelete({
  spec,
}: {
  readonly spec: { readonly updateStrategy?: { readonly type?: string } };
}): boolean {
  return spec.updateStrategy?.type === "OnDelete";
}
