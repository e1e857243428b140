import { type BlockReason, type Reason, reasons } from "../shared/reasons.ts";

/** What blocked a digest. `by`: the person or program, if it is known. */
interface Block {
  readonly reason: Reason;
  readonly by?: string;
}

/** Returns the reason why a blocked digest is not written. */
export function blockReasonOf({ reason }: Pick<Block, "reason">): BlockReason {
  if (reason === "changed-by-hand") return "digest-replaced";
  if (reason === "rollback-requested") return "digest-rolled-back";
  return reason === "approval-rejected" ? "digest-rejected" : "digest-blocked";
}

/** Returns what blocked a digest: `failed here (rollout failed)`, `rejected by ana at …`. */
export function blockCause({ reason, by }: Block): string {
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
export function blockDetail(
  blocked: Block & { readonly tag: string; readonly digest: string; readonly seq: number },
): string {
  const { tag, digest, seq } = blocked;
  return `${tag} @ ${digest}: update ${String(seq)}, ${blockCause(blocked)}`;
}
