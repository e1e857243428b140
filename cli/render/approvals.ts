import type { ApprovalsView, ApprovalView, VoteView } from "#contracts/api/approvals";
import type { ProblemView } from "#contracts/api/schema";
import { digestText } from "./image.ts";
import { paintMark, type Style } from "./style.ts";
import { renderTable } from "./table.ts";
import { clock, relative } from "./time.ts";

/** Returns a table of the updates that wait for approval. */
export function renderApprovals({ approvals, me }: ApprovalsView, style: Style): string {
  const who =
    me === undefined
      ? "lookout.yaml has no person for your identity, so no update waits for you.\n"
      : `You are ${me}.\n`;
  if (approvals.length === 0) return `No update waits for approval. ${who}`;
  const rows = approvals.map((approval) => [
    approval.workload,
    String(approval.update),
    imagesText(approval, style),
    votesText(approval),
    untilText(approval, style),
    approval.waitsForMe ? "you" : missingPeople(approval),
  ]);
  return who + renderTable(["WORKLOAD", "UPDATE", "IMAGES", "VOTES", "EXPIRES", "WAITS FOR"], rows, style);
}

/**
 * Returns lines that name the waiting update of a workload, its whole digests, and the people who
 * may decide.
 */
export function waitingLines(pending: ProblemView["pending"], deciders: readonly string[]): readonly string[] {
  const images = pending?.images.map(({ container, tag, digest }) => `${container}: ${tag} @ ${digest}`) ?? [];
  return [
    `Waiting update: ${pending === undefined ? "none" : `update ${pending.update}, ${images.join(", ")}`}`,
    `Deciders: ${deciders.length === 0 ? "none; lookout.yaml names no people" : deciders.join(", ")}`,
  ];
}

/** Returns the confirmation of a vote, with whole digests. */
export function decidedText(
  { workload, update, decision, person, isRepeated }: VoteView,
  { images }: Pick<ApprovalView, "images">,
  style: Style,
): string {
  const did = decision === "approve" ? "approved" : "rejected";
  const before = isRepeated ? " already" : "";
  const lines = images.map(({ container, tag, digest }) => `  ${container}: ${tag} @ ${digest}\n`);
  return `${paintMark("✓", style)} ${person} ${did} update ${update} of ${workload}${before}.\n${lines.join("")}`;
}

/** Returns a new token with its instructions and the lines for lookout.yaml. */
export function tokenText({ name, token, tokenHash }: { name: string; token: string; tokenHash: string }): string {
  return [
    `The token of ${name}. Lookout shows this token only once:`,
    "",
    `  ${token}`,
    "",
    `${name} stores it in a file that nobody else can read, and sets LOOKOUT_TOKEN_FILE to that file.`,
    "The owner of lookout.yaml adds the token's hash:",
    "",
    "  people:",
    `    - name: ${name}`,
    `      tokenHash: ${tokenHash}`,
    "",
  ].join("\n");
}

function imagesText({ images }: ApprovalView, style: Style): string {
  return images.map(({ tag, digest }) => `${tag} @ ${digestText(digest, style)}`).join(", ");
}

/**
 * Returns the votes of an update. Quorums are listed separately, because a vote may count for
 * several.
 */
function votesText({ approvedBy, missing, voidVotes }: ApprovalView): string {
  const [more = 0] = missing.map((quorum) => quorum.more);
  const given = approvedBy.length === 0 ? "" : `: ${approvedBy.join(", ")}`;
  const invalid = voidVotes.length === 0 ? "" : `; void: ${voidVotes.join(", ")}`;
  if (missing.length < 2) return `${approvedBy.length} of ${approvedBy.length + more}${given}${invalid}`;
  const needs = missing.map((quorum) => `${quorum.more} of ${quorum.people.join(", ")}`);
  return `${approvedBy.length}${given}; needs ${needs.join(" and ")}${invalid}`;
}

function untilText({ until, isExpired }: ApprovalView, style: Style): string {
  if (until === undefined) return "–";
  return isExpired ? "expired" : `${clock(until, style)} (${relative(until, style)})`;
}

function missingPeople({ missing, isExpired }: ApprovalView): string {
  if (isExpired) return "lookout approvals ask";
  const people = [...new Set(missing.flatMap((quorum) => quorum.people))];
  if (missing.length === 0) return "another gate";
  return people.length === 0 ? "nobody" : people.join(", ");
}
