import { parseWorkloadKey, type WorkloadName } from "#domain/workload/workload";

/** Reads the key of a workload: `prod/shop/deployment/api`. */
export function named(key: string): WorkloadName {
  const workload = parseWorkloadKey(key);
  if (!workload.ok) throw new Error(`${key} names no workload`);
  return workload.value;
}
