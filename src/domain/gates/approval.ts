import { approvalState, describeTally } from "../approval/state.ts";
import { type AskGate, closed, type GateQuestion, open } from "./gate.ts";
import { waitsForTier } from "./tier.ts";

/**
 * Holds an update until enough people have approved exactly its images under its settings.
 *
 * A single rejection holds the update, even if enough people have approved the update. An expired
 * request stays expired, and only a new update gets a new request.
 */
export const askApproval: AskGate = (question) => {
  const { now, record, settings, seq, changes, approval, facts } = question;
  const { workload, uid } = record;
  const { annotations } = record.observed;
  const update = { seq, changes, approval };
  const { approvalRules: rules, votes } = facts;
  const state = approvalState({ now, workload, uid, annotations, settings: settings.approval, update, rules, votes });
  if (state === undefined) return open;
  if (changes.length === 0) return { kind: "open", detail: "every update needs approval" };
  const { tally, request, isGranted } = state;
  const why = approval === undefined ? whyNotAsked(question, describeTally(tally)) : undefined;
  if (why !== undefined) return { kind: "open", detail: why };
  const { rejection } = tally;
  if (rejection !== undefined)
    return closed({
      reason: "approval-rejected",
      detail: `${rejection.person}: ${rejection.why ?? "without a reason"}`,
    });
  const unpinned = changes.find(({ to, digest }) => !to.endsWith(`@${digest}`));
  if (unpinned !== undefined)
    return closed({ reason: "approval-needs-a-digest", detail: `container ${unpinned.name} would get ${unpinned.to}` });
  if (request.expiredAt !== undefined || !isGranted) {
    const detail = [describeTally(tally), ...(request.ignored === undefined ? [] : [request.ignored])].join("; ");
    return closed({ reason: request.expiredAt === undefined ? "needs-approval" : "approval-expired", detail });
  }
  return { kind: "open", detail: describeTally(tally) };
};

/** Returns why nobody is asked to approve an update yet. Undefined if people are asked. */
function whyNotAsked(question: GateQuestion, tally: string): string | undefined {
  if (question.facts.observes !== undefined) return `it would ask for approval: ${tally}`;
  return waitsForTier(question) ? "asks for approval when the earlier tiers ran it" : undefined;
}
