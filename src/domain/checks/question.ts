import type { EpochMs } from "../shared/time.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { WorkloadName } from "../workload/workload.ts";
import type { CheckTime } from "./rules.ts";

/** A question to a check. */
export interface CheckQuestion {
  readonly when: CheckTime;
  readonly update: { readonly seq: number; readonly detectedAt: EpochMs; readonly source: string };
  readonly workload: WorkloadName;
  readonly changes: readonly ImageChange[];
  readonly at: EpochMs;
}
