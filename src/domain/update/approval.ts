import { bindingHash } from "../approval/binding.ts";
import { type ApprovalState, approvalState, type RequestedApproval } from "../approval/state.ts";
import { approvalOnObject, mayCount, type Vote } from "../approval/votes.ts";
import type { GateFacts } from "../gates/index.ts";
import type { WrittenApproval } from "../settings/approval-settings.ts";
import type { WorkloadSettings } from "../settings/settings.ts";
import type { RecordChanges, Step } from "./record.ts";
import type { ApprovalChange, UpdateCore, WorkloadRecord } from "./states.ts";

/** How a check of the gates changes the approval of an update. */
export interface ApprovalCheck {
  /** Absent: the update needs none. */
  readonly approval?: RequestedApproval;
  /** The votes that the gates count. */
  readonly votes: readonly Vote[];
  readonly record: Pick<RecordChanges, "vote" | "usedApprovals">;
  readonly changes: readonly ApprovalChange[];
}

type Update = Pick<UpdateCore, "seq" | "changes" | "approval">;

interface Inputs {
  readonly settings: WorkloadSettings;
  readonly facts: Pick<GateFacts, "votes" | "approvalRules">;
}

/** Asks for the approval of an update that needs one, and counts an approval on the object once. */
export function checkApproval(record: WorkloadRecord, update: Update, inputs: Inputs, step: Step): ApprovalCheck {
  const { votes } = inputs.facts;
  const found = stateOf(record, update, inputs, votes, step);
  if (found === undefined) {
    // The request stays, so that a change of settings and back does not prolong its deadline.
    const kept = update.approval === undefined ? {} : { approval: update.approval };
    return { ...kept, votes, record: {}, changes: [] };
  }
  const vote = voteOnObject(record, update, inputs, found, step);
  if (vote === undefined)
    return { approval: found.request, votes, record: {}, changes: changesOf(update.approval, found.request) };
  const counted = stateOf(record, update, inputs, [...votes, vote], step) ?? found;
  return {
    approval: counted.request,
    votes: [...votes, vote],
    record: { vote, usedApprovals: [...(record.usedApprovals ?? []), textOf(vote.proof)].slice(-mostUsed) },
    changes: [...changesOf(update.approval, found.request), { what: "given", people: [vote.person] }],
  };
}

/** Returns the approval of an update, as the votes are now; undefined: it needs none. */
export function stateOf(
  { workload, uid, observed: { annotations } }: WorkloadRecord,
  update: Update,
  { settings, facts: { approvalRules: rules } }: Inputs,
  votes: readonly Vote[],
  { now }: Pick<Step, "now">,
): ApprovalState | undefined {
  return approvalState({ now, workload, uid, annotations, settings: settings.approval, update, rules, votes });
}

/** A vote in the object's annotations. */
type ObjectVote = Vote & { readonly proof: WrittenApproval };

/** How many approvals on the object are remembered. */
const mostUsed = 20;

/**
 * Returns the vote of an approval on the object that was never counted; undefined: there is none.
 *
 * `kubectl rollout undo` restores annotations, so the same text counts for one update only.
 */
function voteOnObject(
  record: WorkloadRecord,
  { changes }: Update,
  { settings, facts: { approvalRules } }: Inputs,
  { requirement, binding, request, tally }: ApprovalState,
  step: Step,
): ObjectVote | undefined {
  const written = approvalOnObject(settings.approval, changes);
  if (written === undefined || request.expiredAt !== undefined) return undefined;
  if (record.usedApprovals?.includes(textOf(written)) === true) return undefined;
  const person =
    approvalRules.people.find(({ name, email }) => name === written.by || email === written.by)?.name ?? written.by;
  const proof = { kind: "annotation", by: written.by, image: written.image } as const;
  if (!mayCount({ person, proof }, requirement) || tally.approvedBy.includes(person)) return undefined;
  return {
    person,
    proof,
    decision: "approve",
    binding,
    bindingHash: bindingHash(binding),
    at: step.now,
  };
}

function textOf({ by, image }: WrittenApproval): string {
  return `${by} ${image}`;
}

function changesOf(before: RequestedApproval | undefined, after: RequestedApproval): readonly ApprovalChange[] {
  if (before === undefined) return [{ what: "requested", people: [] }];
  const isVoided = before.bindingHash !== after.bindingHash && before.approvedBy.length > 0;
  const isExpired = before.expiredAt === undefined && after.expiredAt !== undefined;
  return [
    ...(isVoided ? [{ what: "voided", people: before.approvedBy } as const] : []),
    ...(isExpired ? [{ what: "expired", people: [] } as const] : []),
  ];
}
