import type { ApprovalSettings } from "./approval-settings.ts";
import { type EpochMs, plus } from "../shared/time.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { WorkloadName } from "../workload/workload.ts";
import { type ApprovalRules, type Requirement, requirementFor } from "./approvers.ts";
import { type Binding, bindingHash, bindingOf } from "./binding.ts";
import { countVotes, type Tally, type Vote, type VoidedVote, voidedVotes } from "./votes.ts";

/** The request for approval that an update stores. */
export interface RequestedApproval {
  readonly askedAt: EpochMs;
  /** The instant at which the request expires. Absent if the request never expires. */
  readonly until?: EpochMs;
  /** The hash of the {@link Binding} at the last check of the approvals. Votes need this hash. */
  readonly bindingHash: string;
  /**
   * The people whose approvals counted at the last check. Only the stored votes approve an update.
   */
  readonly approvedBy: readonly string[];
  /**
   * The instant at which the request was found expired. Absent if it has not expired. Later votes
   * don't count.
   */
  readonly expiredAt?: EpochMs;
  /** The votes that were found void. Absent if no vote was found void. */
  readonly voided?: readonly VoidedVote[];
  /**
   * The reason why the approval annotation does not count. Absent if the annotation counts, or the
   * object has none.
   */
  readonly ignored?: string;
}

/** An update of a workload, its votes, and the rules about approvers. */
export interface ApprovalQuestion {
  readonly now: EpochMs;
  readonly workload: WorkloadName;
  readonly uid: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly settings: ApprovalSettings;
  readonly update: {
    readonly seq: number;
    readonly changes: readonly ImageChange[];
    readonly approval?: RequestedApproval | undefined;
  };
  readonly rules: ApprovalRules;
  /** The stored votes for this update and others of the workload. */
  readonly votes: readonly Vote[];
}

/** The approval of an update at an instant. */
export interface ApprovalState {
  readonly requirement: Requirement;
  readonly binding: Binding;
  readonly tally: Tally;
  readonly request: RequestedApproval;
  /** True if every quorum was reached in time, and no person rejected the update. */
  readonly isGranted: boolean;
}

/** Returns the approval of an update, or undefined if the update needs no approval. */
export function approvalState(question: ApprovalQuestion): ApprovalState | undefined {
  const { now, workload, settings, rules, update } = question;
  const requirement = requirementFor(workload, settings, rules);
  if (requirement === undefined) return undefined;
  const binding = bindingOf(question);
  const ofUpdate = question.votes.filter((vote) => vote.binding.seq === update.seq);
  const voided = voidedVotes(ofUpdate, binding, update.approval?.voided);
  const tally = countVotes(requirement, ofUpdate, voided);
  const isReached = tally.missing.length === 0 && tally.rejection === undefined;
  const { askedAt, until, expiredAt } = timesOf(update.approval, requirement, isReached, now);
  const { ignored } = update.approval ?? {};
  return {
    requirement,
    binding,
    tally,
    request: {
      askedAt,
      ...(until === undefined ? {} : { until }),
      bindingHash: bindingHash(binding),
      approvedBy: tally.approvedBy,
      ...(expiredAt === undefined ? {} : { expiredAt }),
      ...(voided.length === 0 ? {} : { voided }),
      ...(ignored === undefined ? {} : { ignored }),
    },
    isGranted: isReached && expiredAt === undefined,
  };
}

/** Returns when the approval was asked for, when it expires, and when it was found expired. */
function timesOf(
  before: RequestedApproval | undefined,
  { deadline }: Requirement,
  isReached: boolean,
  now: EpochMs,
): Record<"until" | "expiredAt", EpochMs | undefined> & Pick<RequestedApproval, "askedAt"> {
  const { askedAt = now, expiredAt } = before ?? {};
  const until = deadline === undefined ? undefined : plus(askedAt, deadline);
  return { askedAt, until, expiredAt: expiredAt ?? (isReached ? undefined : expiryAt(until, now)) };
}

/** Returns the instant at which an expiry is found, or undefined if the deadline has not passed. */
function expiryAt(until: EpochMs | undefined, now: EpochMs): EpochMs | undefined {
  return until !== undefined && until <= now ? now : undefined;
}

/** Returns the votes in words: `approved by ana; needs 1 more of ben, eva`. */
export function describeTally({ approvedBy, missing, voidOf }: Tally): string {
  const needs = new Set(
    missing.map(({ more, people }) => `${more} more${people.length === 0 ? "" : ` of ${people.join(", ")}`}`),
  );
  return [
    approvedBy.length === 0 ? "no approval yet" : `approved by ${approvedBy.join(", ")}`,
    ...(needs.size === 0 ? [] : [`needs ${[...needs].join(" and ")}`]),
    ...(voidOf.length === 0 ? [] : [`void: ${voidOf.join(", ")} voted on other images or settings`]),
  ].join("; ");
}
