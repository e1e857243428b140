import { type Decision, selectionFailureReasons, waitingOf } from "../state/changes.ts";
import { backToHeld } from "./ending.ts";
import { openCommands, pauseAfter, wakesAt } from "../effects/commands.ts";
import type { EvaluateWorkload } from "../commands.ts";
import { type DurationMs, durationMs, hours, minutes, plus, type EpochMs } from "../../shared/time.ts";
import type { Pause, PendingUpdate, WorkloadRecord } from "../state/workload.ts";

/**
 * Holds the update of a record for one hour after a command failed five times. Each further failure
 * doubles the time, up to six hours.
 *
 * An unknown error never blocks a digest. If the patch may have been sent, Lookout checks the
 * update again after a minute. Each further failure doubles this time, up to one hour.
 *
 * @returns undefined when no update is open.
 */
export function holdDeadLettered(record: WorkloadRecord, detail: string, now: EpochMs): Decision | undefined {
  const { active, pending } = record;
  if (active?.status === "released")
    return backToHeld(record, counted(active), [pauseFor(active.timesDeadLettered, detail, now)], now);
  if (active !== undefined) {
    const pause = pauseFor(active.timesDeadLettered, detail, now, onTheWay);
    return {
      changes: { active: counted(active) },
      retry: { pause },
      transitions: [waitingOf(active, { reasons: [pause] })],
    };
  }
  if (pending === undefined) return undefined;
  const held = withPause(pending, pauseFor(pending.timesDeadLettered, detail, now));
  return { changes: { pending: held }, transitions: [heldOf(held)] };
}

/** Returns a held update that also waits for the end of a pause. */
function withPause(pending: PendingUpdate, pause: Pause): PendingUpdate {
  return { ...counted(pending), waits: [pause, ...pending.waits.filter(({ reason }) => reason !== "internal-error")] };
}

function heldOf({ seq, waits, changes }: PendingUpdate): Decision["transitions"][number] {
  return { seq, what: "held", reasons: waits, changes };
}

/**
 * Notes for each container that an evaluation failed five times, and plans the next evaluation. Each
 * further failure doubles the pause, up to one hour. The update on its way and its pause stay.
 *
 * A held update whose gates are due gets the same pause. Otherwise its next check would request the
 * evaluation again immediately.
 *
 * @returns undefined when the workload is not tracked.
 */
export function noteFailedEvaluation(record: WorkloadRecord, detail: string, now: EpochMs): Decision | undefined {
  const { tracked, observed, active, pending, retry: { pause, failedEvaluations: before = 0 } = {} } = record;
  if (!tracked) return undefined;
  const selectionFailures = observed.containers.map(
    ({ name }) => ({ container: name, reason: "evaluation-failed", detail }) as const,
  );
  const failedEvaluations = before + 1;
  const isDue = active === undefined && pending !== undefined && wakesAt(pending, now) <= now;
  const until = plus(now, pauseAfter(failedEvaluations));
  const held = isDue ? withPause(pending, { reason: "internal-error", until, detail }) : undefined;
  const reasons = selectionFailureReasons(selectionFailures);
  return {
    changes: { selectionFailures, ...(held && { pending: held }) },
    retry: { ...(pause === undefined ? {} : { pause }), failedEvaluations },
    transitions: [{ seq: 0, what: "observed", reasons, changes: [] }, ...(held === undefined ? [] : [heldOf(held)])],
  };
}

/**
 * Returns whether a record plans an evaluation besides the failed one. The planned evaluation then
 * stands for both, because otherwise each failed evaluation would add a series of retries.
 */
export function plansAnotherEvaluation(record: WorkloadRecord, failed: Pick<EvaluateWorkload, "id">): boolean {
  return openCommands(record).some(({ command }) => command.name === "EvaluateWorkload" && command.id !== failed.id);
}

/**
 * Returns the pause before the next try of a message whose failures no record counts: a minute,
 * doubled with each dead letter, up to six hours.
 *
 * @returns undefined after the longest pause. The message is then kept for a user.
 */
export function pauseBeforeRetry(timesDeadLettered: number): DurationMs | undefined {
  const { first, most } = withoutRecord;
  const pause = first * 2 ** (timesDeadLettered - 1);
  return pause < 2 * most ? durationMs(Math.min(most, pause)) : undefined;
}

function counted<Update extends { readonly timesDeadLettered?: number }>(
  update: Update,
): Update & { readonly timesDeadLettered: number } {
  return { ...update, timesDeadLettered: (update.timesDeadLettered ?? 0) + 1 };
}

const atRest = { first: hours(1), most: hours(6) };
const onTheWay = { first: minutes(1), most: hours(1) };
const withoutRecord = { first: minutes(1), most: hours(6) };

function pauseFor(
  timesDeadLettered: number | undefined,
  detail: string,
  now: EpochMs,
  { first, most } = atRest,
): Pause {
  const pause = durationMs(Math.min(most, first * 2 ** (timesDeadLettered ?? 0)));
  return { reason: "internal-error", until: plus(now, pause), detail };
}
