import type { WorkloadRecord } from "#domain/update/state/workload";
import type { WaitReason } from "#domain/shared/wait-reason";
import { durationMs, type EpochMs, minutes, plus, seconds } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import { TransientError } from "#ports/errors";
import type { Ports } from "./ports.ts";

/**
 * The time for which the reads before a patch stay valid. A function that was suspended meanwhile
 * reads again.
 */
export const readsValidFor = seconds(10);

/** Returns whether a version of a record is still the stored version. */
export async function stillStored(record: WorkloadRecord, { store }: Ports): Promise<boolean> {
  const stored = await store.read(workloadKey(record.workload));
  return stored?.version === record.version && stored.cause === record.cause;
}

const away = { reason: "cluster-unreachable", pause: seconds(30), most: minutes(5) } as const;

const pauses = {
  unreachable: away,
  failed: away,
  denied: { reason: "cluster-denied", pause: minutes(1), most: minutes(5) },
  "denied-by-admission": { reason: "denied-by-admission", pause: minutes(60), most: minutes(60) },
  invalid: { reason: "patch-invalid", pause: minutes(60), most: minutes(60) },
  "other-repository": { reason: "other-repository", pause: minutes(60), most: minutes(60) },
} as const;

/**
 * Returns the reason and the end of the wait after a failed read or patch. Each consecutive failure
 * of the cluster doubles the wait.
 */
export function waitAfter(
  refusal: { readonly kind: keyof typeof pauses; readonly detail: string },
  { active }: WorkloadRecord,
  now: EpochMs,
): WaitReason {
  const { reason, pause, most } = pauses[refusal.kind];
  const doubled = durationMs(Math.min(most, pause * 2 ** (active?.clusterFailures ?? 0)));
  return { reason, until: plus(now, doubled), detail: refusal.detail };
}

/**
 * Returns the error for an object that changed between each read and patch. The queue then delivers
 * the command again.
 */
export function keptChangingError({ workload }: WorkloadRecord): TransientError {
  return new TransientError(`${workloadKey(workload)} kept changing while it was patched`);
}
