import type { Health, StandStill } from "../workload/health.ts";
import { kindSpecs } from "../workload/kinds.ts";
import { keepNewest } from "./manual-change.ts";
import type { Reason } from "../shared/reasons.ts";
import { advance, goingOn, type Step, waitingOf } from "./record.ts";
import { end, movedAway, objectReplaced, takenBack } from "./ending.ts";
import { showsWhatIsWanted } from "./rollout.ts";
import { showsWhatWasReplaced, wasSetByOthers } from "./observed-changes.ts";
import type { WorkloadSettings } from "../settings/settings.ts";
import { type EpochMs, minutes, plus } from "../shared/time.ts";
import type { ActiveUpdate, Limits, Refusal, WorkloadRecord } from "./states.ts";

/** What a look at a rollout comes to. */
export type Verdict =
  | { readonly kind: "move"; readonly record: WorkloadRecord }
  /** Nothing new: look again later. */
  | { readonly kind: "look-again" }
  /**
   * An ordered StatefulSet waits for its failed pods: delete the broken ones and those that run one of `images`, then look again; where
   * that is denied, follow `denied` instead.
   */
  | { readonly kind: "free-failed-pods"; readonly images: readonly string[]; readonly denied: Verdict };

/** What a look rests on beside the record. */
export interface LookInputs {
  readonly health: Health;
  readonly settings: WorkloadSettings;
  readonly limits: Limits;
}

/**
 * Judges how the new images of an active update are doing.
 *
 * First of all, whose images they are: what a person put in their place is never judged as ours. Running counts as success when a
 * second look, the settling time later, finds no restart since the first: a pod may be ready for a moment and then crash.
 */
export function judgeRollout(record: WorkloadRecord, active: ActiveUpdate, inputs: LookInputs, step: Step): Verdict {
  const { health } = inputs;
  const { live } = health;
  if (live.uid !== record.uid) return move(objectReplaced(record, active, live, step));
  if (!showsWhatIsWanted(active, live) || wasSetByOthers(active, live)) {
    if (showsWhatWasReplaced(active, live)) return move(takenBack(record, active, live, step));
    return move(movedAway(record, active, live, step));
  }
  switch (health.kind) {
    case "healthy":
      return judgeRunning(record, active, health, inputs, step);
    case "failed":
      return move(fail(record, active, { reason: "rollout-failed", cause: health.cause }, inputs, step));
    case "unverifiable":
      return move(end(record, active, live, "succeeded", { detail: unverifiableText[health.why] }, step));
    case "standing-still":
      return judgeStandingStill(record, active, health, inputs, step);
    case "progressing":
      return judgeProgress(record, active, health, inputs, step);
  }
}

/** Judges whether the previous images, put back, run again. */
export function judgeRollback(
  record: WorkloadRecord,
  active: ActiveUpdate,
  { health }: LookInputs,
  step: Step,
): Verdict {
  const { live } = health;
  if (live.uid !== record.uid) return move(objectReplaced(record, active, live, step));
  if (!showsWhatWasReplaced(active, live)) return move(movedAway(record, active, live, step));
  if (health.kind === "healthy" || health.kind === "unverifiable" || standsStill(health))
    return move(end(record, active, live, "rolled-back", failureOf(active), step));
  const failed = (detail: string): Verdict =>
    move(end(record, active, live, "rollback-failed", { reason: "rollback-not-recovered", detail }, step));
  if (active.deadlineAt !== undefined && step.now >= active.deadlineAt) return failed(whyNotRunning(health));
  if (kindSpecs[record.workload.kind].rollout !== "in-order") return again(record, active, step);
  const images = active.changes.map(({ to }) => to);
  const denied = failed("the failed pods may not be deleted: grant delete on pods");
  return { kind: "free-failed-pods", images, denied };
}

/** Says whether a rollout waits for people. A broken pod that stands in its way is not theirs to wait for: it can be deleted. */
function standsStill(health: Health): boolean {
  return health.kind === "standing-still" && health.why !== "waits-for-a-broken-pod";
}

function whyNotRunning(health: Exclude<Health, { kind: "healthy" | "unverifiable" }>): string {
  switch (health.kind) {
    case "failed":
      return health.cause;
    case "progressing":
      return health.detail;
    case "standing-still":
      return standStillText[health.why];
  }
}

/** What each standstill means, for people. */
export const standStillText = {
  paused: "the workload is paused; it goes on when it is resumed",
  "waits-for-deletion": "its pods are replaced when someone deletes them (update strategy OnDelete)",
  "waits-for-next-job": "the next Job will tell",
  "waits-for-a-broken-pod":
    "a broken pod of another revision stands in its way; delete that pod, or grant Lookout delete on pods",
} as const satisfies Readonly<Record<StandStill, string>>;

const unverifiableText = {
  "nothing-to-run": "written, nothing to run: no replica is wanted",
  "cronjob-suspended": "written, not verifiable: the CronJob is suspended",
  "no-job-in-time": "written, not verifiable: no Job was due in time",
} as const;

function move(record: WorkloadRecord): Verdict {
  return { kind: "move", record };
}

/** An unchanged state whose `dueAt` has passed is written again, so that it has a new one. */
function again(record: WorkloadRecord, active: ActiveUpdate, step: Step): Verdict {
  if (record.dueAt === undefined || record.dueAt > step.now) return { kind: "look-again" };
  return move(goingOn(record, active, step));
}

function judgeRunning(
  record: WorkloadRecord,
  active: ActiveUpdate,
  health: Extract<Health, { kind: "healthy" }>,
  { limits }: LookInputs,
  step: Step,
): Verdict {
  const { running } = active;
  if (running === undefined || health.restarts > running.restarts)
    return move(firstSeenRunning(record, active, health, limits, step));
  if (step.now < running.settlesAt) return again(record, active, step);
  return move(end(record, active, health.live, "succeeded", { detail: podsText(health.pods) }, step));
}

function firstSeenRunning(
  record: WorkloadRecord,
  active: ActiveUpdate,
  health: Extract<Health, { kind: "healthy" }>,
  limits: Limits,
  step: Step,
): WorkloadRecord {
  const { standingStill, ...rest } = active;
  const patchedAt = active.patchedAt ?? step.now;
  const since = Math.max(patchedAt, Math.min(health.runningSince ?? step.now, step.now)) as typeof patchedAt;
  const running = {
    seenAt: step.now,
    settlesAt: plus(step.now, limits.settle),
    since,
    restarts: health.restarts,
    pods: health.pods,
  };
  const what = active.running === undefined ? "running" : "waiting";
  const detail =
    what === "running" ? podsText(health.pods) : `a pod restarted, ${String(health.restarts)} restarts so far`;
  return advance(record, step, { active: { ...rest, running } }, [
    { seq: active.seq, what, reasons: [], detail, changes: active.changes },
  ]);
}

/** How long after its deadline a rollout that nobody looked at has its time again: how its pods did meanwhile is not known. */
const lateLook = minutes(1);

function judgeProgress(
  record: WorkloadRecord,
  active: ActiveUpdate,
  health: Extract<Health, { kind: "progressing" }>,
  inputs: LookInputs,
  step: Step,
): Verdict {
  const { deadlineAt } = active;
  const anew = plus(step.now, inputs.settings.rollbackTimeout);
  if (deadlineAt === undefined) return move(moving(record, active, anew, "moves again", step));
  if (step.now >= plus(deadlineAt, lateLook))
    return move(moving(record, active, anew, "nobody looked while its time ran out", step));
  if (step.now >= deadlineAt)
    return move(fail(record, active, { reason: "rollout-timed-out", cause: health.detail }, inputs, step));
  if (active.running !== undefined) return move(unsettled(record, active, health.detail, step));
  return again(record, active, step);
}

function judgeStandingStill(
  record: WorkloadRecord,
  active: ActiveUpdate,
  health: Extract<Health, { kind: "standing-still" }>,
  { settings }: LookInputs,
  step: Step,
): Verdict {
  if (health.why === "waits-for-next-job" && step.now >= plus(active.patchedAt ?? step.now, settings.rollbackTimeout))
    return move(end(record, active, health.live, "succeeded", { detail: unverifiableText["no-job-in-time"] }, step));
  const waits = standingStill(record, active, health.why, step);
  return health.why === "waits-for-a-broken-pod" ? { kind: "free-failed-pods", images: [], denied: waits } : waits;
}

function standingStill(record: WorkloadRecord, active: ActiveUpdate, why: StandStill, step: Step): Verdict {
  if (active.standingStill === why) return again(record, active, step);
  // Nothing moves, perhaps for weeks: the slot is for one that does.
  const { deadlineAt, slot, ...rest } = active;
  return move(
    advance(record, step, { active: { ...rest, standingStill: why } }, [
      waitingOf(active, { detail: standStillText[why] }),
    ]),
  );
}

/** Pods that ran and are not ready any more have to settle anew. */
function unsettled(record: WorkloadRecord, active: ActiveUpdate, detail: string, step: Step): WorkloadRecord {
  const { running, ...rest } = active;
  return advance(record, step, { active: rest }, [waitingOf(active, { detail })]);
}

/** The clock starts when a workload that stood still moves again; pods that ran before have to settle anew. */
function moving(
  record: WorkloadRecord,
  active: ActiveUpdate,
  deadlineAt: EpochMs,
  detail: string,
  step: Step,
): WorkloadRecord {
  const { standingStill, running, ...rest } = active;
  return advance(record, step, { active: { ...rest, deadlineAt } }, [waitingOf(active, { detail })]);
}

function fail(
  record: WorkloadRecord,
  active: ActiveUpdate,
  failure: { readonly reason: Reason; readonly cause: string },
  { health, settings }: LookInputs,
  step: Step,
): WorkloadRecord {
  const refusals = keepNewest([...record.refusals, ...refusalsOf(active, failure.reason, step)]);
  if (!settings.autoRollback)
    return end(
      { ...record, refusals },
      active,
      health.live,
      "failed",
      { reason: failure.reason, detail: failure.cause },
      step,
    );
  const { running, deadlineAt, standingStill, ...rest } = active;
  const next: ActiveUpdate = { ...rest, status: "rolling-back", failure: { at: step.now, ...failure } };
  const why = [{ reason: failure.reason, detail: failure.cause }];
  return advance(record, step, { refusals, active: next }, [
    { seq: active.seq, what: "failing", reasons: why, detail: failure.cause, changes: active.changes },
  ]);
}

function refusalsOf(active: ActiveUpdate, reason: Reason, step: Step): readonly Refusal[] {
  return active.changes.map(({ repository, digest, tag }) => ({
    repository,
    digest,
    tag,
    reason,
    seq: active.seq,
    at: step.now,
  }));
}

function failureOf(active: ActiveUpdate): { readonly reason?: Reason; readonly detail?: string } {
  return active.failure === undefined ? {} : { reason: active.failure.reason, detail: active.failure.cause };
}

function podsText(pods: number): string {
  return `${String(pods)} ${pods === 1 ? "pod" : "pods"}`;
}
