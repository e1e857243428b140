import { isAway } from "../../shared/reasons.ts";
import { type EpochMs, plus } from "../../shared/time.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import { pauseAfter } from "../effects/commands.ts";
import { type Decision, selectionFailureReasons, waitingOf } from "../state/changes.ts";
import type { Pause, WorkloadRecord } from "../state/workload.ts";
import { workloadTransition } from "./observe.ts";

/**
 * Queues the evaluation of a record again because its cluster did not answer. A pending update gets
 * this reason.
 *
 * Returns undefined if the evaluation is already queued again.
 */
export function retryEvaluation(
  record: WorkloadRecord,
  refusal: { readonly kind: "unreachable" | "denied"; readonly detail: string },
  now: EpochMs,
): Decision | undefined {
  const { pending, needsEvaluation, retry, effects } = record;
  const isQueued = needsEvaluation === true && retry?.failedEvaluations !== undefined;
  if (isQueued && (effects.dueAt ?? now) > now) return undefined;
  const away: WaitReason = {
    reason: refusal.kind === "denied" ? "cluster-denied" : "cluster-unreachable",
    detail: refusal.detail,
  };
  const again = { failedEvaluations: failedEvaluationsAfter(record) };
  if (pending === undefined)
    return {
      changes: { needsEvaluation: true },
      transitions: [{ ...workloadTransition("observed"), reasons: [away] }],
      retry: again,
    };
  const others = pending.waits.filter(({ reason }) => reason !== "settings-changed" && !isAway(reason));
  const waits = [away, ...others] as const;
  return {
    changes: { needsEvaluation: true, pending: { ...pending, waits } },
    transitions: [{ seq: pending.seq, what: "still-waiting", reasons: waits, changes: pending.changes }],
    retry: again,
  };
}

/**
 * Queues an overdue evaluation again, after twice the pause. Returns undefined if the evaluation is
 * not overdue.
 */
export function retryOverdueEvaluation(record: WorkloadRecord, now: EpochMs): Decision | undefined {
  const { active, effects } = record;
  if (active !== undefined || effects.dueAt === undefined || effects.dueAt > now) return undefined;
  return {
    changes: {},
    transitions: [{ ...workloadTransition("observed"), reasons: selectionFailureReasons(record.selectionFailures) }],
    retry: { failedEvaluations: failedEvaluationsAfter(record) },
  };
}

/**
 * Lets an overdue command wait for an unknown cluster, twice as long each time. Returns undefined
 * if no command is overdue.
 */
export function waitForCluster(record: WorkloadRecord, away: Omit<Pause, "until">, now: EpochMs): Decision | undefined {
  const {
    active,
    effects: { dueAt },
    retry: { failedEvaluations = 0 } = {},
  } = record;
  if (dueAt === undefined || dueAt > now) return undefined;
  const again = { failedEvaluations: failedEvaluations + 1 };
  if (active === undefined)
    return { changes: {}, transitions: [{ ...workloadTransition("observed"), reasons: [away] }], retry: again };
  const pause = { ...away, until: plus(now, pauseAfter(failedEvaluations)) };
  return { changes: {}, transitions: [waitingOf(active, { reasons: [pause] })], retry: { ...again, pause } };
}

function failedEvaluationsAfter({ needsEvaluation, selectionFailures, retry }: WorkloadRecord): number {
  return needsEvaluation === true || selectionFailures.length > 0 ? (retry?.failedEvaluations ?? 0) + 1 : 0;
}
