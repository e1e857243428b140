import * as deadLetter from "#domain/update/decide/dead-letter";
import * as ending from "#domain/update/decide/ending";
import * as observing from "#domain/update/decide/observe";
import type { ForwardPlan, PatchPlan } from "#domain/update/decide/patch";
import * as proposing from "#domain/update/decide/propose";
import * as retry from "#domain/update/decide/retry";
import * as unblocking from "#domain/update/decide/unblock";
import type { Verdict } from "#domain/update/decide/verify";
import type { Decision } from "#domain/update/state/changes";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { EpochMs } from "#domain/shared/time";
import { decided, noon } from "../builders.ts";

type Rest<Rule extends (...args: never[]) => unknown> =
  Parameters<Rule> extends [unknown, ...infer Others] ? Others : never;

/** Returns a rule that gives the version after its decision instead of the decision. */
const versions =
  <Others extends unknown[]>(rule: (record: WorkloadRecord, ...others: Others) => Decision | undefined) =>
  (record: WorkloadRecord, ...others: Others): WorkloadRecord | undefined => {
    const now = others.find((one) => typeof one === "number") as EpochMs | undefined;
    return decided(record, rule(record, ...others), now ?? noon);
  };

export const holdDeadLettered = versions<Rest<typeof deadLetter.holdDeadLettered>>(deadLetter.holdDeadLettered);
export const noteFailedEvaluation = versions<Rest<typeof deadLetter.noteFailedEvaluation>>(
  deadLetter.noteFailedEvaluation,
);
export const observe = versions<Rest<typeof observing.observe>>(observing.observe);
export const untrack = versions<Rest<typeof observing.untrack>>(observing.untrack);
export const propose = versions<Rest<typeof proposing.propose>>(proposing.propose);
export const checkGates = versions<Rest<typeof proposing.checkGates>>(proposing.checkGates);
export const retryEvaluation = versions<Rest<typeof retry.retryEvaluation>>(retry.retryEvaluation);
export const retryOverdueEvaluation = versions<Rest<typeof retry.retryOverdueEvaluation>>(retry.retryOverdueEvaluation);
export const waitForCluster = versions<Rest<typeof retry.waitForCluster>>(retry.waitForCluster);
export const unblock = versions<Rest<typeof unblocking.unblock>>(unblocking.unblock);

export function backToHeld(record: WorkloadRecord, ...others: Rest<typeof ending.backToHeld>): WorkloadRecord {
  return decided(record, ending.backToHeld(record, ...others), others.at(-1) as EpochMs);
}

export function endWithoutObject(
  record: WorkloadRecord,
  ...ended: Parameters<typeof ending.endWithoutObject>
): WorkloadRecord {
  return decided(record, ending.endWithoutObject(...ended), noon);
}

/** A plan whose decision is stored. */
export type Planned<Plan> =
  | Exclude<Plan, { readonly kind: "decided" | "settings-changed" }>
  | { readonly kind: "store"; readonly record: WorkloadRecord };

/** Returns a plan with the version after its decision. */
export function planned<Plan extends PatchPlan | ForwardPlan>(
  record: WorkloadRecord,
  plan: Plan,
  now: EpochMs = noon,
): Planned<Plan> {
  if (plan.kind === "decided" || plan.kind === "settings-changed")
    return { kind: "store", record: decided(record, plan.decision, now) };
  return plan as Exclude<Plan, { readonly kind: "decided" | "settings-changed" }>;
}

/** A verdict with the version after its decision. */
export type Judged =
  | { readonly kind: "store"; readonly record: WorkloadRecord }
  | { readonly kind: "check-again" }
  | { readonly kind: "free-failed-pods"; readonly images: readonly string[]; readonly denied: Judged };

/** Returns a verdict with the version after its decision. */
export function judged(record: WorkloadRecord, verdict: Verdict, now: EpochMs = noon): Judged {
  if (verdict.kind === "free-failed-pods")
    return { ...verdict, denied: judged(record, { kind: "decided", decision: verdict.denied }, now) };
  const { decision } = verdict;
  return decision === undefined ? { kind: "check-again" } : { kind: "store", record: decided(record, decision, now) };
}
