import type { Vote } from "../../approval/votes.ts";
import type { EpochMs } from "../../shared/time.ts";
import { deepEqual } from "../../shared/deep-equal.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import { withoutUndefined } from "../../shared/without-undefined.ts";
import type { TierRules } from "../../tiers/rules.ts";
import { type Decision, neverTracked } from "../state/changes.ts";
import type { Effects, Transition, WorkloadRecord } from "../state/workload.ts";
import { approvalWait } from "./approval-index.ts";
import { budgetChange } from "./budget.ts";
import { dueOf } from "./commands.ts";
import { tierChange, tierPartsOf } from "./tier.ts";

/** The message or request that writes a version of a record, and the instant. */
export interface Step {
  /** Identity of the message or request. */
  readonly cause: string;
  readonly now: EpochMs;
  /** The rules by which the workload is a member of a tier. */
  readonly tiers: TierRules;
}

/**
 * Returns the version of a record after a decision, with its effects. Every stored version is made
 * here, once per write.
 */
export function nextVersion(before: WorkloadRecord, decision: Decision, { cause, now, tiers }: Step): WorkloadRecord {
  const { changes, transitions, vote, retry } = decision;
  const version = before.version + 1;
  const noted = transitions.map((transition) => ({ ...transition, ...repeated(before, transition) }));
  const made = { version, cause, changedAt: now, transitions: noted, effects: {}, retry };
  const after = withTier(before, withoutUndefined<WorkloadRecord>({ ...before, ...changes, ...made }), tiers);
  return { ...after, effects: effectsOf(before, after, vote) };
}

function withTier(before: WorkloadRecord, after: WorkloadRecord, rules: TierRules): WorkloadRecord {
  const { member: _, ran: __, ...rest } = after;
  return { ...rest, ...tierPartsOf(before, after, rules) };
}

/** Marks a wait that has the same reasons as before, because nobody needs to be told of it again. */
function repeated({ pending }: WorkloadRecord, { what, seq, reasons }: Transition): { readonly again?: true } {
  if (pending?.seq !== seq || (what !== "held" && what !== "still-waiting")) return {};
  const named = (waits: readonly WaitReason[]) => waits.map(({ reason, detail }) => [reason, detail]);
  return deepEqual(named(pending.waits), named(reasons)) ? { again: true } : {};
}

/** Returns an imported record as the first stored version of its workload. Its facts were published before. */
export function firstVersion(record: WorkloadRecord, tiers: TierRules): WorkloadRecord {
  const before = neverTracked(record.workload);
  // An import proves no success, so no tier waits less for it.
  const first = withTier({ ...record, uid: "" }, record, tiers);
  return { ...first, effects: effectsOf(before, first, undefined) };
}

/**
 * Returns what the transaction of a version stores beside the record. Facts, measurements and the
 * next commands follow from the stored version alone.
 */
function effectsOf(before: WorkloadRecord, after: WorkloadRecord, vote: Vote | undefined): Effects {
  return withoutUndefined<Effects>({
    budget: budgetChange(before, after),
    approvalWait: approvalWait(before, after),
    tier: tierChange(before, after),
    vote,
    dueAt: dueOf(vote === undefined ? after : { ...after, effects: { vote } }),
  });
}
