import { advance, selectionFailureReasons, type Step, waitingOf } from "../state/changes.ts";
import { backToHeld } from "./ending.ts";
import { durationMs, hours, minutes, plus } from "../../shared/time.ts";
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
export function holdDeadLettered(record: WorkloadRecord, detail: string, step: Step): WorkloadRecord | undefined {
  const { active, pending } = record;
  if (active?.status === "released")
    return backToHeld(record, counted(active), [pauseFor(active.timesDeadLettered, detail, step)], step);
  if (active !== undefined) {
    const pause = pauseFor(active.timesDeadLettered, detail, step, onTheWay);
    return advance(record, step, { active: counted(active), pause }, [waitingOf(active, { reasons: [pause] })]);
  }
  if (pending === undefined) return undefined;
  const waits = [
    pauseFor(pending.timesDeadLettered, detail, step),
    ...pending.waits.filter(({ reason }) => reason !== "internal-error"),
  ];
  const next: PendingUpdate = { ...counted(pending), waits };
  return advance(record, step, { pending: next }, [
    { seq: pending.seq, what: "held", reasons: waits, changes: pending.changes },
  ]);
}

/**
 * Notes for each container that an evaluation failed five times, and plans the next evaluation. Each
 * further failure doubles the pause, up to one hour. The update on its way and its pause stay.
 *
 * @returns undefined when the workload is not tracked.
 */
export function noteFailedEvaluation(record: WorkloadRecord, detail: string, step: Step): WorkloadRecord | undefined {
  const { tracked, observed, pause, failedEvaluations = 0 } = record;
  if (!tracked) return undefined;
  const selectionFailures = observed.containers.map(
    ({ name }) => ({ container: name, reason: "evaluation-failed", detail }) as const,
  );
  return advance(record, step, { selectionFailures, pause, failedEvaluations: failedEvaluations + 1 }, [
    { seq: 0, what: "observed", reasons: selectionFailureReasons(selectionFailures), changes: [] },
  ]);
}

function counted<Update extends { readonly timesDeadLettered?: number }>(
  update: Update,
): Update & { readonly timesDeadLettered: number } {
  return { ...update, timesDeadLettered: (update.timesDeadLettered ?? 0) + 1 };
}

const atRest = { first: hours(1), most: hours(6) };
const onTheWay = { first: minutes(1), most: hours(1) };

function pauseFor(timesDeadLettered: number | undefined, detail: string, step: Step, { first, most } = atRest): Pause {
  const pause = durationMs(Math.min(most, first * 2 ** (timesDeadLettered ?? 0)));
  return { reason: "internal-error", until: plus(step.now, pause), detail };
}
