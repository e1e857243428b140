import type { EpochMs } from "#domain/shared/time";
import type { ItemKey } from "#ports/items";

const workloadPrefix = "WORKLOAD#";

/** Returns the partition of a workload's record, ledger rows, votes and subscriptions. */
export function workloadPartition(workload: string): string {
  return `${workloadPrefix}${workload}`;
}

/** Returns the workload of a partition or of a sort key, or undefined for others. */
export function workloadIn(text: string): string | undefined {
  return text.startsWith(workloadPrefix) ? text.slice(workloadPrefix.length) : undefined;
}

/** Returns the partition of a cluster's workloads and its queue for slots. */
export function clusterPartition(cluster: string): string {
  return `CLUSTER#${cluster}`;
}

/** Returns an instant as a text that sorts by time. The 15 digits are enough until the year 33658. */
export function instantText(at: EpochMs | number): string {
  return String(Math.max(0, Math.trunc(at))).padStart(15, "0");
}

/** Returns a counter as a text that sorts by value. */
export function counterText(value: number): string {
  return String(value).padStart(12, "0");
}

/** Returns whether two keys are equal. */
export function isSameKey(one: ItemKey, other: ItemKey): boolean {
  return one.pk === other.pk && one.sk === other.sk;
}
