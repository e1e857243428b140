import type { WorkloadName } from "../workload/workload.ts";
import type { ProvedBy } from "./people.ts";
import { type ApprovalRules, decidersFor } from "./approvers.ts";

/** The sender of a request to unblock a workload, or to ask for approval again. */
export interface Asker {
  /** The proved person. Absent if the sender is no person of `lookout.yaml`. */
  readonly person?: string;
  /** The name in the history: the proved name, otherwise the name in the request. */
  readonly by: string;
  /** How the name was proved. Absent if only the request names the sender. */
  readonly provedBy?: ProvedBy;
  /** The reason of the request. Absent if it has none. */
  readonly why?: string;
}

/**
 * Returns whether the sender of a request may unblock rejected digests. The sender must be a person
 * who may decide. If no person may decide, any sender may unblock rejected digests.
 */
export function mayLiftRejections(workload: WorkloadName, { person }: Asker, rules: ApprovalRules): boolean {
  const deciders = decidersFor(workload, rules);
  return deciders.length === 0 || (person !== undefined && deciders.includes(person));
}
