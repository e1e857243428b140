import { type BlockReason, reasons } from "../../shared/reasons.ts";
import type { BlockedDigest } from "./workload.ts";

/** Returns the reason why a blocked digest is not written. */
export function blockReasonOf({ reason }: Pick<BlockedDigest, "reason">): BlockReason {
  if (reason === "changed-by-hand") return "digest-replaced";
  if (reason === "rollback-requested") return "digest-rolled-back";
  return reason === "approval-rejected" ? "digest-rejected" : "digest-blocked";
}

/** Returns what blocked a digest: `failed here (rollout failed)`, `rejected by ana at …`. */
export function blockCause({ reason, by }: Pick<BlockedDigest, "reason" | "by">): string {
  const person = by === undefined ? "" : ` by ${by}`;
  switch (blockReasonOf({ reason })) {
    case "digest-blocked":
      return `failed here (${reasons[reason].short})`;
    case "digest-replaced":
      return `replaced${person}`;
    case "digest-rolled-back":
      return `rolled back${person}`;
    case "digest-rejected":
      return `rejected${person}`;
  }
}

/** Returns a blocked digest with its cause, in one line. */
export function blockDetail(blocked: BlockedDigest): string {
  const { tag, digest, seq } = blocked;
  return `${tag} @ ${digest}: update ${String(seq)}, ${blockCause(blocked)}`;
}
