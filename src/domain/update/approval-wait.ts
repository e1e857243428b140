import type { ApprovalWait, PendingUpdate } from "./states.ts";

interface Asking {
  readonly pending?: PendingUpdate | undefined;
}

/** Returns whether the pending update of a record has a request for approval. */
export function asksForApproval({ pending }: Asking): boolean {
  return pending?.approval !== undefined;
}

/** Returns how a version of a record changes the list of what waits for people; undefined: it does not. */
export function approvalWait(before: Asking, after: Asking): ApprovalWait | undefined {
  if (asksForApproval(before) === asksForApproval(after)) return undefined;
  return asksForApproval(after) ? "begins" : "ends";
}

/** Merges two changes that follow each other: a second one always undoes the first. */
export function mergedApprovalWait(
  first: ApprovalWait | undefined,
  second: ApprovalWait | undefined,
): ApprovalWait | undefined {
  return first !== undefined && second !== undefined ? undefined : (first ?? second);
}
