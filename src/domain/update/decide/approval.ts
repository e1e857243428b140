import type { EpochMs } from "../../shared/time.ts";
import { type AnnotationVerdict, judgeAnnotation, withRead } from "../../approval/annotation.ts";
import { bindingHash } from "../../approval/binding.ts";
import { type ApprovalState, approvalState, type RequestedApproval } from "../../approval/state.ts";
import { type Vote, voterOfVote } from "../../approval/votes.ts";
import type { GateFacts } from "../../gates/index.ts";
import { waitsForTier } from "../../gates/tier.ts";
import type { WorkloadSettings } from "../../settings/settings.ts";
import type { StateChanges } from "../state/changes.ts";
import type { ApprovalChange, PendingUpdate, UpdateCore, WorkloadRecord } from "../state/workload.ts";

/** The changes of an update's approval that a check of the gates makes. */
export interface ApprovalCheck {
  /** The request for approval. Absent if the update needs no approval. */
  readonly approval?: RequestedApproval;
  /** The votes that the gates count. */
  readonly votes: readonly Vote[];
  /** The vote of an approval annotation that counts now. */
  readonly vote?: Vote;
  readonly state: Pick<StateChanges, "readApprovals">;
  readonly changes: readonly ApprovalChange[];
}

type Update = Pick<UpdateCore, "seq" | "changes" | "approval" | "requested"> & Pick<PendingUpdate, "passes">;

interface Inputs {
  readonly settings: WorkloadSettings;
  readonly facts: Pick<GateFacts, "votes" | "approvalRules" | "observes">;
}

interface CheckInputs extends Inputs {
  readonly facts: Inputs["facts"] & Pick<GateFacts, "tier">;
}

/**
 * Requests the approval of an update if needed, and counts an approval annotation once. While Lookout
 * observes the workload, while the update waits for an earlier tier, and for a requested rollback, it requests
 * nothing.
 */
export function checkApproval(
  record: WorkloadRecord,
  update: Update,
  inputs: CheckInputs,
  now: EpochMs,
): ApprovalCheck {
  const { votes } = inputs.facts;
  if (update.approval === undefined && needsNone(update, inputs, now)) return { votes, state: {}, changes: [] };
  const found = stateOf(record, update, inputs, votes, now);
  if (found === undefined) {
    // The request stays. Otherwise users could extend its deadline by changing the settings and
    // then undoing the change.
    const kept = update.approval === undefined ? {} : { approval: update.approval };
    return { ...kept, votes, state: {}, changes: [] };
  }
  const changes = changesOf(update.approval, found.request);
  const verdict = verdictOn(record, update, inputs, found);
  const { ignored: _, ...request } = found.request;
  if (verdict.kind === "ignored")
    return {
      approval: { ...request, ignored: verdict.why },
      votes,
      state: earlyText(verdict, record, inputs),
      changes,
    };
  const vote = verdict.kind === "counts" ? voteOf(verdict, found, now) : undefined;
  if (vote === undefined) return { approval: request, votes, state: {}, changes };
  const after = [...votes.filter((one) => voterOfVote(one) !== voterOfVote(vote)), vote];
  const counted = stateOf(record, { ...update, approval: request }, inputs, after, now) ?? found;
  return {
    approval: counted.request,
    votes: after,
    vote,
    state: { readApprovals: withRead(record.readApprovals ?? [], inputs.settings.approval, update.seq) },
    changes: [...changes, { what: "given", people: [vote.person] }],
  };
}

function needsNone(update: Update, inputs: CheckInputs, now: EpochMs): boolean {
  const isFree = inputs.facts.observes !== undefined || update.requested?.as === "rollback";
  return isFree || waitsForTier({ ...inputs, ...update, now });
}

/**
 * Returns the approval of an update with the present votes, or undefined if the update needs no
 * approval.
 */
export function stateOf(
  { workload, uid, observed: { annotations } }: WorkloadRecord,
  update: Update,
  { settings, facts: { approvalRules: rules } }: Inputs,
  votes: readonly Vote[],
  now: EpochMs,
): ApprovalState | undefined {
  return approvalState({ now, workload, uid, annotations, settings: settings.approval, update, rules, votes });
}

function verdictOn(
  { readApprovals: read = [] }: WorkloadRecord,
  { seq, changes, approval }: Update,
  { settings, facts: { approvalRules } }: Inputs,
  { requirement, request }: ApprovalState,
): AnnotationVerdict {
  const update = { seq, changes, isAsked: approval !== undefined, isExpired: request.expiredAt !== undefined };
  return judgeAnnotation({ settings: settings.approval, update, requirement, people: approvalRules.people, read });
}

/**
 * Returns the record's read annotations. An early annotation never counts, even if it is removed
 * and written again.
 */
function earlyText(
  { isEarly }: Extract<AnnotationVerdict, { kind: "ignored" }>,
  { readApprovals = [] }: WorkloadRecord,
  { settings }: Inputs,
): Pick<StateChanges, "readApprovals"> {
  return isEarly ? { readApprovals: withRead(readApprovals, settings.approval, 0) } : {};
}

/** Returns the vote of an approval annotation, or undefined if its person has already approved. */
function voteOf(
  { person, approval }: Extract<AnnotationVerdict, { kind: "counts" }>,
  { binding, tally }: ApprovalState,
  now: EpochMs,
): Vote | undefined {
  if (tally.approvedBy.includes(person)) return undefined;
  return {
    person,
    proof: { kind: "annotation", ...approval },
    decision: "approve",
    binding,
    bindingHash: bindingHash(binding),
    at: now,
  };
}

/** Returns the changes of a request that was checked again. */
export function changesOf(before: RequestedApproval | undefined, after: RequestedApproval): readonly ApprovalChange[] {
  if (before === undefined) return [{ what: "requested", people: [] }];
  const isOther = before.bindingHash !== after.bindingHash;
  const voided = before.approvedBy.filter((person) => isOther && !after.approvedBy.includes(person));
  const isExpired = before.expiredAt === undefined && after.expiredAt !== undefined;
  return [
    ...(voided.length === 0 ? [] : [{ what: "voided", people: voided } as const]),
    ...(isExpired ? [{ what: "expired", people: [] } as const] : []),
  ];
}
