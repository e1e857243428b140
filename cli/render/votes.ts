import type { ApprovalVotesView } from "#contracts/api/workloads";
import { hang, type Mark, paintMark, type Style } from "./style.ts";
import { clock, relative } from "./time.ts";

type VoteView = ApprovalVotesView["votes"][number];

/** Returns the votes on an update, the missing approvals, and the deadline. */
export function renderVotes({ update, until, isExpired, votes, missing }: ApprovalVotesView, style: Style): string {
  const end = until === undefined ? "" : `, ${isExpired ? "expired" : "expires"} ${instantText(until, style)}`;
  return [
    `Votes on update ${update}${end}:`,
    ...votes.map((vote) => voteLine(vote, style)),
    ...missing.map(({ more, people }) =>
      hang("  Missing: ", `${more} more of ${people.length === 0 ? "nobody" : people.join(", ")}`, style),
    ),
  ].join("\n");
}

function voteLine({ person, decision, provedBy, at, why, counts }: VoteView, style: Style): string {
  const did = decision === "approve" ? "approved" : "rejected";
  const reason = why === undefined ? "" : `: ${why}`;
  const proof = provedBy === "annotation" ? ", by annotation" : "";
  const effect = counts ? "" : `, ${provedBy === "annotation" ? "does not count" : "void"}`;
  const text = `${person} ${did}${proof}${effect}, ${instantText(at, style)}${reason}`;
  return hang(`  ${paintMark(markOf(decision, counts), style)} `, text, style);
}

function markOf(decision: VoteView["decision"], counts: boolean): Mark {
  if (!counts) return "!";
  return decision === "approve" ? "✓" : "✗";
}

function instantText(at: string, style: Style): string {
  return `${clock(at, style)} (${relative(at, style)})`;
}
