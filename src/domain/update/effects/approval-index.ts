import type { ApprovalWait, PendingUpdate } from "../state/workload.ts";

interface Asking {
  readonly pending?: PendingUpdate | undefined;
}

/** Returns whether the pending update of a record has a request for approval. */
export function asksForApproval({ pending }: Asking): boolean {
  return pending?.approval !== undefined;
}

/**
 * Returns how a version of a record changes the list of updates that wait for approval, or
 * undefined without a change.
 */
export function approvalWait(before: Asking, after: Asking): ApprovalWait | undefined {
  if (asksForApproval(before) === asksForApproval(after)) return undefined;
  return asksForApproval(after) ? "begins" : "ends";
}
