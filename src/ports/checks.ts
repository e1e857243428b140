import type { CheckReply } from "#domain/checks/answer";
import type { CheckTime } from "#domain/checks/rules";
import type { EpochMs } from "#domain/shared/time";
import type { ImageChange } from "#domain/workload/patch";
import type { WorkloadName } from "#domain/workload/workload";

/** A question to a check. */
export interface CheckQuestion {
  readonly when: CheckTime;
  readonly update: { readonly seq: number; readonly detectedAt: EpochMs; readonly source: string };
  readonly workload: WorkloadName;
  readonly changes: readonly ImageChange[];
  readonly at: EpochMs;
}

/** The checks of `lookout.yaml`, with their addresses and keys. */
export interface Checks {
  /** Asks a check. Never throws: a check that can't be asked gives no answer, and `why` names the reason. */
  ask(check: string, question: CheckQuestion): Promise<CheckReply>;
}
