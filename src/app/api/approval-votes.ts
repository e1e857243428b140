import type { ApprovalVotesView } from "#contracts/api/workloads";
import type { WorkloadSettings } from "#domain/settings/settings";
import type { ApprovalState } from "#domain/approval/state";
import { isVoided, mayCount, type Vote } from "#domain/approval/votes";
import type { GateFacts } from "#domain/gates/index";
import { type EpochMs, toIso } from "#domain/shared/time";
import { stateOf } from "#domain/update/decide/approval";
import type { WorkloadRecord } from "#domain/update/state/workload";

/**
 * Returns the votes on a record's open update, oldest first, and the missing approvals. Undefined
 * if no approval was requested.
 */
export function approvalVotes(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  facts: Pick<GateFacts, "votes" | "approvalRules">,
  now: EpochMs,
): ApprovalVotesView | undefined {
  const update = record.active ?? record.pending;
  if (update?.approval === undefined) return undefined;
  const state = stateOf(record, update, { settings, facts }, facts.votes, now);
  if (state === undefined) return undefined;
  const { request, requirement, tally } = state;
  const votes = facts.votes.filter(({ binding }) => binding.seq === update.seq);
  return {
    update: update.seq,
    requestedAt: toIso(request.askedAt),
    ...(request.until === undefined ? {} : { until: toIso(request.until) }),
    isExpired: request.expiredAt !== undefined,
    votes: votes.toSorted((one, other) => one.at - other.at).map((vote) => voteView(vote, state)),
    missing: tally.missing,
    deciders: requirement.deciders,
  };
}

function voteView(vote: Vote, { requirement, request }: ApprovalState): ApprovalVotesView["votes"][number] {
  return {
    person: vote.person,
    decision: vote.decision,
    provedBy: vote.proof.kind,
    at: toIso(vote.at),
    ...(vote.why === undefined ? {} : { why: vote.why }),
    counts: mayCount(vote, requirement) && !isVoided(vote, request.voided),
  };
}
