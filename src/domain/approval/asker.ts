import type { WorkloadName } from "../workload/workload.ts";
import { type ApprovalRules, decidersFor } from "./approvers.ts";

/** Who asks to lift what stops a workload. */
export interface Asker {
  /** The proved person; absent: nobody of `lookout.yaml`. */
  readonly person?: string;
  /** The name in the history: the proved one, else the one that the request gives. */
  readonly by: string;
}

/** Returns whether someone may lift rejections: who may decide. Where nobody is named, anyone decides. */
export function mayLiftRejections(workload: WorkloadName, { person }: Asker, rules: ApprovalRules): boolean {
  const deciders = decidersFor(workload, rules);
  return deciders.length === 0 || (person !== undefined && deciders.includes(person));
}
