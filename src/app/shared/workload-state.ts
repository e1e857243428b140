import type { WorkloadState } from "#contracts/api/workloads";
import { isBlockReason } from "#domain/shared/reasons";
import type { WaitReason } from "#domain/shared/wait-reason";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { ImageChange } from "#domain/workload/patch";

/** What the state of a workload depends on besides its record. */
export interface StateInputs {
  /** True if an annotation that holds updates is invalid. */
  readonly isBroken: boolean;
  /** True if a blocked digest keeps the workload from a version. */
  readonly isBlocked: boolean;
  /** True if a repository could not be read. */
  readonly isUnchecked: boolean;
}

/** Returns the state of a workload in one word. */
export function stateOf(
  record: Pick<
    WorkloadRecord,
    "active" | "pending" | "suspension" | "hold" | "kept" | "observed" | "selectionFailures"
  >,
  { isBroken, isBlocked, isUnchecked }: StateInputs,
): WorkloadState {
  if (record.active !== undefined) return record.active.status;
  if (record.pending !== undefined) return "held";
  if (isBroken) return "problem";
  if (record.suspension !== undefined) return "suspended";
  if (record.hold !== undefined) return "reverted";
  if (record.kept !== undefined) return "kept";
  if (isUnchecked || unblockedFailures(record).length > 0) return "problem";
  if (isBlocked) return "blocked";
  return record.observed.containers.some(({ advice }) => advice?.skipped !== undefined)
    ? "newer-skipped"
    : "up-to-date";
}

/** The states that become `problem` if a repository can't be read. */
export const restingStates: ReadonlySet<string> = new Set<WorkloadState>(["blocked", "newer-skipped", "up-to-date"]);

/** Returns the failed selections, except for blocked digests. */
export function unblockedFailures({
  selectionFailures,
}: Pick<WorkloadRecord, "selectionFailures">): WorkloadRecord["selectionFailures"] {
  return selectionFailures.filter(({ reason }) => !isBlockReason(reason));
}

/** Returns the reasons of people who stop updates, without those that are among the waits. */
export function stopsOf(
  { suspension, kept = [] }: Pick<WorkloadRecord, "suspension" | "kept">,
  waits: readonly WaitReason[],
): readonly WaitReason[] {
  const isShown = waits.some(({ reason }) => reason === "suspended-by-person");
  const stop: readonly WaitReason[] =
    suspension === undefined || isShown
      ? []
      : [{ reason: "suspended-by-person", detail: `${suspension.by}: ${suspension.why}` }];
  const images = kept.map(({ as, by, why, tag }): WaitReason => ({
    reason: "version-kept",
    detail: `${as === "set" ? `set to ${tag}` : `rolled back to ${tag}`} by ${by}: ${why}`,
  }));
  return [...stop, ...images];
}

/** Returns the desired images that do not run yet. A failed update wants no image. */
export function wantedChanges({ active, pending }: Pick<WorkloadRecord, "active" | "pending">): readonly ImageChange[] {
  const open = active?.status === "rolling-back" ? pending : (active ?? pending);
  return open?.changes ?? [];
}
