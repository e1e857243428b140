import { type ApprovalRules, decidersFor } from "../../approval/approvers.ts";
import { type Asker, mayLiftRejections } from "../../approval/asker.ts";
import { bindingHash } from "../../approval/binding.ts";
import type { Voter } from "../../approval/people.ts";
import { type ApprovalState, describeTally } from "../../approval/state.ts";
import { isVoided, type Vote, voterOfVote } from "../../approval/votes.ts";
import type { GateFacts } from "../../gates/index.ts";
import type { WorkloadSettings } from "../../settings/settings.ts";
import { ok, problem, type Result } from "../../shared/result.ts";
import { changesOf, stateOf } from "./approval.ts";
import { keepNewest } from "./manual-change.ts";
import { workloadKey } from "../../workload/workload.ts";
import { type Action, actionOf } from "../state/action.ts";
import { type Decision, endingOf } from "../state/changes.ts";
import {
  type BlockedDigest,
  isRejection,
  overtaken,
  type PendingUpdate,
  rejected,
  type ReleasedUpdate,
  type Transition,
  type WorkloadRecord,
} from "../state/workload.ts";
import { toIso, type EpochMs } from "../../shared/time.ts";

/** The decision of a person, whose identity is proved, about an update that the person has seen. */
export interface Ballot {
  readonly voter: Voter;
  readonly decision: Vote["decision"];
  /** The number of the update. */
  readonly seq: number;
  /** The hash of the binding that the person has seen. */
  readonly bindingHash: string;
  readonly why?: string;
  /** The `Idempotency-Key` of the request. Absent if there is no key. */
  readonly requestId?: string;
}

/** The settings of the workload, and the facts for its votes. */
export interface VoteInputs {
  readonly settings: WorkloadSettings;
  readonly facts: Pick<GateFacts, "votes" | "approvalRules">;
}

/**
 * The outcome of a ballot: a decision with its vote, or the stored vote that the ballot repeats.
 */
export type Voted =
  | { readonly kind: "counted"; readonly decision: Decision; readonly vote: Vote }
  | { readonly kind: "repeated"; readonly vote: Vote };

/** The reason why a ballot does not count. */
export interface BallotRefusal {
  readonly reason:
    | "no-right"
    | "update-unknown"
    | "update-superseded"
    | "update-decided"
    | "approved-already"
    | "approval-expired"
    | "approval-not-needed"
    | "changed-meanwhile"
    | "key-used";
  readonly detail: string;
}

/**
 * Counts a ballot. A single rejection ends the update. The rejection blocks the update's digests
 * until a user asks for approval again.
 */
export function vote(
  record: WorkloadRecord,
  ballot: Ballot,
  inputs: VoteInputs,
  now: EpochMs,
): Result<Voted, BallotRefusal> {
  const { decision, seq } = ballot;
  const unheard = whyNotHeard(record, ballot, inputs);
  if (unheard !== undefined) return problem(unheard);
  const voided = record.pending?.approval?.voided;
  const repeated = inputs.facts.votes.find((one) => repeats(one, ballot, isVoided(one, voided)));
  if (repeated !== undefined) return ok({ kind: "repeated", vote: repeated });
  const update = openUpdate(record, seq);
  if (update === undefined) return problem(whyNotOpen(record, seq));
  const state = stateOf(record, update, inputs, inputs.facts.votes, now);
  if (state === undefined) return refuse("approval-not-needed", `update ${seq} needs no approval`);
  const { request } = state;
  if (request.bindingHash !== ballot.bindingHash)
    return refuse("changed-meanwhile", `update ${seq} has other images or settings now`);
  if (request.expiredAt !== undefined) return refuse("approval-expired", `the approval of update ${seq} has expired`);
  const cast = voteOf(ballot, state, now);
  if (decision === "reject") return ok({ kind: "counted", decision: reject(record, update, cast, now), vote: cast });
  if (update.status === "released")
    return refuse("update-decided", `update ${seq} has all its approvals, and is released`);
  const why = whyNotApproved(ballot, state, inputs.facts.votes);
  return why === undefined
    ? ok({ kind: "counted", decision: approved(record, update, cast, inputs, now), vote: cast })
    : problem(why);
}

/**
 * Returns why a ballot is refused before the update is read, or undefined if the ballot is not
 * refused.
 */
function whyNotHeard(record: WorkloadRecord, ballot: Ballot, { facts }: VoteInputs): BallotRefusal | undefined {
  const { person } = ballot.voter;
  if (!decidersFor(record.workload, facts.approvalRules).includes(person))
    return { reason: "no-right", detail: `${person} may not decide about ${workloadKey(record.workload)}` };
  if (facts.votes.some((one) => hasKeyOf(one, ballot) && !hasContentOf(one, ballot)))
    return { reason: "key-used", detail: "this Idempotency-Key was sent with another vote" };
  return undefined;
}

/**
 * Returns the refusal of an approval that would change nothing, or undefined for any other
 * approval.
 */
function whyNotApproved(
  { voter, seq }: Ballot,
  state: ApprovalState,
  votes: readonly Vote[],
): BallotRefusal | undefined {
  if (state.tally.missing.length === 0)
    return { reason: "update-decided", detail: `update ${seq} has all its approvals` };
  if (!votes.some((one) => voterOfVote(one) === voter.person && counts(one, state))) return undefined;
  return { reason: "approved-already", detail: `${voter.person} has approved update ${seq} already` };
}

function refuse(reason: BallotRefusal["reason"], detail: string): Result<Voted, BallotRefusal> {
  return problem({ reason, detail });
}

function voteOf({ voter, decision, why, requestId }: Ballot, { binding }: ApprovalState, now: EpochMs): Vote {
  return {
    person: voter.person,
    proof: voter.proof,
    decision,
    binding,
    bindingHash: bindingHash(binding),
    at: now,
    ...(why === undefined ? {} : { why }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function counts(stored: Vote, { binding, request }: ApprovalState): boolean {
  return stored.decision === "approve" && stored.binding.seq === binding.seq && !isVoided(stored, request.voided);
}

function hasKeyOf(stored: Vote, { requestId }: Ballot): boolean {
  return requestId !== undefined && stored.requestId === requestId;
}

function hasContentOf(stored: Vote, { voter, decision, seq, bindingHash: seen, why }: Ballot): boolean {
  const isSame = stored.person === voter.person && stored.decision === decision && stored.why === why;
  return isSame && stored.binding.seq === seq && stored.bindingHash === seen;
}

/**
 * Returns whether a ballot repeats a stored vote: the same decision about the same images. With a
 * key, both keys must be equal. Without a key, the vote must not be void.
 */
function repeats(
  stored: Vote,
  { voter, decision, seq, bindingHash: seen, requestId }: Ballot,
  isVoid: boolean,
): boolean {
  if (voterOfVote(stored) !== voter.person || stored.decision !== decision || stored.binding.seq !== seq) return false;
  return stored.bindingHash === seen && (requestId === undefined ? !isVoid : stored.requestId === requestId);
}

/**
 * Returns the update that can still be decided, or undefined if no update with this number is open.
 */
export function openUpdate(
  { pending, active }: WorkloadRecord,
  seq: number,
): PendingUpdate | ReleasedUpdate | undefined {
  if (pending?.seq === seq) return pending;
  return active?.seq === seq && active.status === "released" ? active : undefined;
}

function whyNotOpen({ seq: newest, pending, active, last }: WorkloadRecord, seq: number): BallotRefusal {
  if (seq > newest) return { reason: "update-unknown", detail: `there is no update ${seq}` };
  if (active?.seq === seq)
    return {
      reason: "update-decided",
      detail: `update ${seq} is ${active.status}, so a decision is no longer possible`,
    };
  if (last?.seq === seq && last.status !== "superseded")
    return { reason: "update-decided", detail: `update ${seq} has ended: ${last.status}` };
  const newer = pending ?? active;
  const by = newer === undefined ? "" : ` by update ${newer.seq}`;
  return { reason: "update-superseded", detail: `update ${seq} was superseded${by}` };
}

function approved(
  record: WorkloadRecord,
  pending: PendingUpdate,
  cast: Vote,
  inputs: VoteInputs,
  now: EpochMs,
): Decision {
  const votes = [...inputs.facts.votes.filter((one) => voterOfVote(one) !== voterOfVote(cast)), cast];
  const after = stateOf(record, pending, inputs, votes, now);
  const request = after === undefined ? {} : { approval: after.request };
  const detail = after === undefined ? cast.person : describeTally(after.tally);
  const { seq, changes } = pending;
  const approval = after === undefined ? [] : changesOf(pending.approval, after.request);
  return {
    changes: { pending: { ...pending, ...request } },
    vote: cast,
    transitions: [
      {
        seq,
        what: "approved",
        reasons: [],
        changes,
        detail: withWhy(detail, cast.why),
        action: actionOfVote(cast),
        ...(approval.length === 0 ? {} : { approval }),
      },
    ],
  };
}

function reject(record: WorkloadRecord, update: PendingUpdate | ReleasedUpdate, cast: Vote, now: EpochMs): Decision {
  const why = { reason: "approval-rejected", detail: withWhy(cast.person, cast.why) } as const;
  const ended = rejected(update, why, now);
  const blocked = update.changes.map(({ imageName, digest, tag }): BlockedDigest => ({
    imageName,
    digest,
    tag,
    reason: "approval-rejected",
    by: `${cast.person} at ${toIso(now)}`,
    seq: update.seq,
    at: now,
  }));
  const open = update.status === "held" ? { pending: undefined } : { active: undefined };
  return {
    changes: {
      ...open,
      last: ended,
      blocked: keepNewest([...record.blocked, ...blocked]),
      ...(record.tracked ? { needsEvaluation: true } : {}),
    },
    transitions: [{ ...endingOf(ended), action: actionOfVote(cast) }],
    vote: cast,
  };
}

function actionOfVote({ decision, person, proof, why }: Vote): Action {
  return actionOf(decision, { by: person, provedBy: proof.kind, ...(why === undefined ? {} : { why }) });
}

function withWhy(text: string, why: string | undefined): string {
  return why === undefined ? text : `${text}: ${why}`;
}

/**
 * Asks for approval again: unblocks rejected digests and ends an expired update, so that the next
 * evaluation proposes the update anew. Returns undefined if nothing was rejected and nothing
 * expired.
 *
 * Only people who may decide about the workload can unblock rejected digests. Anyone may ask again
 * about an expired update.
 */
export function askAgain(
  record: WorkloadRecord,
  asker: Asker,
  rules: ApprovalRules,
  now: EpochMs,
): Result<Decision | undefined, BallotRefusal> {
  const rejections = record.blocked.filter(isRejection);
  const expired = record.pending?.approval?.expiredAt === undefined ? undefined : record.pending;
  if (rejections.length === 0 && expired === undefined) return ok(undefined);
  if (rejections.length > 0 && !mayLiftRejections(record.workload, asker, rules))
    return problem({
      reason: "no-right",
      detail: `only a proved person who may decide lifts the rejection of ${workloadKey(record.workload)}`,
    });
  const detail = `approval asked for again by ${asker.by}`;
  const ended = expired && overtaken(expired, "superseded", { reason: "approval-asked-again", detail }, now);
  const ofWorkload: Transition = {
    ...{ seq: 0, what: "unblocked", reasons: [], changes: [], detail },
    action: actionOf("ask-again", asker),
  };
  return ok({
    changes: {
      blocked: record.blocked.filter((one) => !rejections.includes(one)),
      ...(ended === undefined ? {} : { pending: undefined, last: ended }),
      ...(record.tracked ? { needsEvaluation: true } : {}),
    },
    transitions: [ofWorkload, ...(ended === undefined ? [] : [endingOf(ended)])],
  });
}
