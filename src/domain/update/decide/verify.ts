import type { Health, RolloutWait, RunningImages } from "../../workload/health.ts";
import { kindSpecs } from "../../workload/kinds.ts";
import { keepNewest } from "./manual-change.ts";
import type { Reason } from "../../shared/reasons.ts";
import { advance, renewRecord, type Step, waitingOf } from "../state/changes.ts";
import { endRefuted, judgeRestart, podsRunAnotherDigest, type RestartProof } from "./restart-proof.ts";
import { appliedAgain } from "./applied-again.ts";
import { end, endAppliedAgain, endObjectReplaced, endReplacedByUser, endReverted } from "./ending.ts";
import { showsDesiredImages, showsPreviousImages, wasSetByOthers } from "./observed-changes.ts";
import type { WorkloadSettings } from "../../settings/settings.ts";
import { type DurationMs, type EpochMs, minutes, plus } from "../../shared/time.ts";
import { limitAgain } from "../../workload/pull-limit.ts";
import {
  type PatchedUpdate,
  failed,
  type Limits,
  type Progress,
  type Progressing,
  type BlockedDigest,
  type RollingBackUpdate,
  type RollingOutUpdate,
  type Running,
  runningOf,
  succeeded,
  type WorkloadRecord,
} from "../state/workload.ts";

/** The result of a check of a rollout. */
export type Verdict =
  | Decision
  /**
   * Failed pods block the rollout of an ordered StatefulSet. Delete the broken pods and the failed
   * pods with one of `images`, then check again.
   *
   * If the deletion is denied, follow `denied`.
   */
  | { readonly kind: "free-failed-pods"; readonly images: readonly string[]; readonly denied: Decision };

type Decision =
  | { readonly kind: "store"; readonly record: WorkloadRecord }
  /** Nothing changed: check again later. */
  | { readonly kind: "check-again" };

/** The health of a workload, its settings and the limits. */
export interface CheckInputs {
  readonly health: Health;
  /** The digests that the pods of a restart report. Absent if they were not read. */
  readonly running?: RunningImages;
  readonly settings: WorkloadSettings;
  readonly limits: Limits;
}

/**
 * Decides the next state of a rollout from the health of its pods.
 *
 * A user's image ends the update. A pod may crash shortly after it is ready, so running pods are a
 * success only at a second check without a new restart. A restart whose pods run another digest
 * fails at once, and is not rolled back: a second restart would change nothing.
 */
export function judgeRollout(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  inputs: CheckInputs,
  step: Step,
): Verdict {
  const { health } = inputs;
  const { live } = health;
  if (live.uid !== record.uid) return store(endObjectReplaced(record, active, live, step));
  if (!showsDesiredImages(active, live) || wasSetByOthers(active, live)) {
    const isDoubtful = runningOf(active.progress) === undefined;
    const restored = appliedAgain(record, active, live, { isDoubtful, appliers: inputs.settings.appliers }, step);
    if (restored !== undefined) return store(endAppliedAgain(record, active, live, restored, step));
    if (showsPreviousImages(active, live)) return store(endReverted(record, active, live, step));
    return store(endReplacedByUser(record, active, live, step));
  }
  switch (health.kind) {
    case "healthy": {
      const proof = judgeRestart(active, live, inputs.running);
      if (proof.kind !== "refuted") return judgeRunning(record, active, health, proof, inputs, step);
      const refuted = blockedDigestsOf({ ...active, changes: proof.changes }, podsRunAnotherDigest, step);
      const blocked = keepNewest([...record.blocked, ...refuted]);
      return store(endRefuted({ ...record, blocked }, active, live, proof, step));
    }
    case "failed":
      return store(fail(record, active, { reason: "rollout-failed", detail: health.detail }, inputs, step));
    case "unverifiable":
      return store(end(record, active, live, succeeded(active, unverifiableText[health.why], step.now), step));
    case "waiting":
      return judgeWaiting(record, active, health, inputs, step);
    case "progressing":
      return judgeProgress(record, active, health, inputs, step);
  }
}

type ProgressingHealth = Extract<Health, { kind: "progressing" }>;

/** Decides the next state of a rollback from the health of the previous images. */
export function judgeRollback(
  record: WorkloadRecord,
  active: RollingBackUpdate,
  { health }: CheckInputs,
  step: Step,
): Verdict {
  const { live } = health;
  const { failure, rollback } = active;
  if (live.uid !== record.uid) return store(endObjectReplaced(record, active, live, step));
  if (!showsPreviousImages(active, live)) return store(endReplacedByUser(record, active, live, step));
  if (health.kind === "healthy" || health.kind === "unverifiable" || waitsForPeople(health)) {
    const why = { reason: failure.reason, detail: failure.detail };
    return store(end(record, active, live, failed(active, "rolled-back", why, step.now), step));
  }
  const notRecovered = (detail: string): Decision => {
    const why = { reason: "rollback-not-recovered", detail } as const;
    return store(end(record, active, live, failed(active, "rollback-failed", why, step.now), step));
  };
  if (rollback.kind === "patched" && step.now >= rollback.deadlineAt) return notRecovered(whyNotRunning(health));
  if (kindSpecs[record.workload.kind].rollout !== "in-order") return again(record, active, step);
  const images = active.changes.map(({ to }) => to);
  const denied = notRecovered("Lookout may not delete the failed pods: grant delete on pods");
  return { kind: "free-failed-pods", images, denied };
}

/** Returns whether a rollout waits for a user. Lookout can delete a broken pod itself. */
function waitsForPeople(health: Health): boolean {
  return health.kind === "waiting" && health.why !== "broken-pod";
}

function whyNotRunning(health: Exclude<Health, { kind: "healthy" | "unverifiable" }>): string {
  switch (health.kind) {
    case "failed":
    case "progressing":
      return health.detail;
    case "waiting":
      return rolloutWaitText[health.why];
  }
}

/** The sentence for each wait of a rollout. */
export const rolloutWaitText = {
  paused: "the workload is paused: resume it to continue the rollout",
  "on-delete": "the pods are replaced after a user deletes them (update strategy OnDelete)",
  "next-job": "the rollout waits for the next Job",
  "broken-pod": "a broken pod of another revision blocks the rollout: delete the pod, or grant Lookout delete on pods",
} as const satisfies Readonly<Record<RolloutWait, string>>;

const unverifiableText = {
  "nothing-to-run": "the image is written, but no replica is wanted",
  "cronjob-suspended": "the image is written, but not verified: the CronJob is suspended",
  "no-job-in-time": "the image is written, but not verified: no Job was due within the time limit",
} as const;

function store(record: WorkloadRecord): Decision {
  return { kind: "store", record };
}

/**
 * Returns the decision for an unchanged state. After its `dueAt`, the state is stored with a new
 * `dueAt`.
 */
function again(record: WorkloadRecord, active: PatchedUpdate, step: Step): Decision {
  if (record.dueAt === undefined || record.dueAt > step.now) return { kind: "check-again" };
  return store(renewRecord(record, active, step));
}

function judgeRunning(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  health: Extract<Health, { kind: "healthy" }>,
  proof: Exclude<RestartProof, { kind: "refuted" }>,
  { limits }: CheckInputs,
  step: Step,
): Verdict {
  const running = runningOf(active.progress);
  if (running === undefined || health.restarts > running.restarts)
    return store(firstSeenRunning(record, active, health, limits, step));
  if (step.now < running.settlesAt) return again(record, active, step);
  const pods = podsText(health.pods);
  const detail = proof.kind === "unproved" ? `${pods}; ${proof.detail}` : pods;
  return store(end(record, active, health.live, succeeded(active, detail, step.now), step));
}

function firstSeenRunning(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  health: Extract<Health, { kind: "healthy" }>,
  limits: Limits,
  step: Step,
): WorkloadRecord {
  const { patchedAt, progress } = active;
  const since = Math.max(patchedAt, Math.min(health.runningSince ?? step.now, step.now)) as typeof patchedAt;
  const running: Running = {
    seenAt: step.now,
    settlesAt: plus(step.now, limits.settle),
    since,
    restarts: health.restarts,
    pods: health.pods,
  };
  const what = runningOf(progress) === undefined ? "running" : "waiting";
  const detail =
    what === "running" ? podsText(health.pods) : `a pod restarted, ${String(health.restarts)} restarts so far`;
  const deadline = "deadlineAt" in progress ? { deadlineAt: progress.deadlineAt } : {};
  return advance(record, step, { active: { ...active, progress: { kind: "running", running, ...deadline } } }, [
    { seq: active.seq, what, reasons: [], detail, changes: active.changes },
  ]);
}

/**
 * The time after the deadline in which a check may fail a rollout. A later check sets a new
 * deadline.
 */
const lateCheck = minutes(1);

function judgeProgress(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  health: ProgressingHealth,
  inputs: CheckInputs,
  step: Step,
): Verdict {
  const { detail } = health;
  const deadlineAt = "deadlineAt" in active.progress ? active.progress.deadlineAt : undefined;
  const anew = plus(step.now, inputs.settings.rollbackTimeout);
  const progressAfter = (deadline: EpochMs): Progressing => {
    const fault = faultAfter(active.progress, health, inputs.settings.pullGrace, step);
    return { kind: "progressing", deadlineAt: deadline, ...fault };
  };
  if (deadlineAt === undefined)
    return store(progresses(record, active, progressAfter(anew), "the pods change again", step));
  if (step.now >= plus(deadlineAt, lateCheck)) {
    const late = "Lookout did not check the rollout before its deadline";
    return store(progresses(record, active, progressAfter(anew), late, step));
  }
  const progress = progressAfter(deadlineAt);
  if (step.now >= deadlineAt) {
    const reason = progress.wasLimited ? "pull-limited" : "rollout-timed-out";
    return store(fail(record, active, { reason, detail }, inputs, step));
  }
  const { failsAt } = progress.fault ?? {};
  if (failsAt !== undefined && step.now >= failsAt)
    return store(fail(record, active, { reason: "rollout-failed", detail }, inputs, step));
  if (active.progress.kind === "progressing" && sameFault(active.progress, progress))
    return again(record, active, step);
  return store(progresses(record, active, progress, detail, step));
}

/**
 * Returns the fault of a rollout after a check. The grace of a fault ends at the same instant until
 * the fault goes away, or one more pod is ready.
 */
function faultAfter(
  progress: Progress,
  { fault, ready, detail }: ProgressingHealth,
  grace: DurationMs,
  { now }: Step,
): Pick<Progressing, "fault" | "wasLimited"> {
  const before: Pick<Progressing, "fault" | "wasLimited"> = progress.kind === "progressing" ? progress : {};
  const isLimited = fault === "limited" || (fault === "backing-off" && before.wasLimited === true);
  const limited = isLimited || before.wasLimited === true ? ({ wasLimited: true } as const) : {};
  if (fault === undefined) return limited;
  if (isLimited) return { fault: { detail, ready }, ...limited };
  const { fault: known } = before;
  const isKnown = known?.failsAt !== undefined && ready <= known.ready;
  return { fault: isKnown ? known : { detail, ready, failsAt: plus(now, grace) }, ...limited };
}

/** Returns whether a check found the same fault as before. Its text and its pods may differ. */
function sameFault(before: Progressing, after: Progressing): boolean {
  return (before.fault === undefined) === (after.fault === undefined) && before.fault?.failsAt === after.fault?.failsAt;
}

function judgeWaiting(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  health: Extract<Health, { kind: "waiting" }>,
  { settings }: CheckInputs,
  step: Step,
): Verdict {
  if (health.why === "next-job" && step.now >= plus(active.patchedAt, settings.rollbackTimeout))
    return store(
      end(record, active, health.live, succeeded(active, unverifiableText["no-job-in-time"], step.now), step),
    );
  const waiting = wait(record, active, health.why, step);
  return health.why === "broken-pod" ? { kind: "free-failed-pods", images: [], denied: waiting } : waiting;
}

function wait(record: WorkloadRecord, active: RollingOutUpdate, why: RolloutWait, step: Step): Decision {
  if (active.progress.kind === "waiting" && active.progress.why === why) return again(record, active, step);
  // The wait may take weeks, so another update gets the slot.
  const { slot, ...rest } = active;
  const running = runningOf(active.progress);
  const progress: Progress = { kind: "waiting", why, ...(running === undefined ? {} : { running }) };
  return store(
    advance(record, step, { active: { ...rest, progress } }, [waitingOf(active, { detail: rolloutWaitText[why] })]),
  );
}

/**
 * Returns the record of a rollout that makes progress. Pods that ran before have to settle again.
 */
function progresses(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  progress: Progressing,
  detail: string,
  step: Step,
): WorkloadRecord {
  return advance(record, step, { active: { ...active, progress } }, [waitingOf(active, { detail })]);
}

function fail(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  why: { readonly reason: Reason; readonly detail: string },
  { health, settings }: CheckInputs,
  step: Step,
): WorkloadRecord {
  const stopped = stoppedDigests(record, active, why.reason, step);
  if (!settings.autoRollback)
    return end({ ...record, ...stopped }, active, health.live, failed(active, "failed", why, step.now), step);
  const { progress: _, reevaluate: __, ...rest } = active;
  const next: RollingBackUpdate = {
    ...rest,
    status: "rolling-back",
    failure: { at: step.now, ...why },
    rollback: { kind: "patching" },
  };
  return advance(record, step, { ...stopped, active: next }, [
    { seq: active.seq, what: "failing", reasons: [why], detail: why.detail, changes: active.changes },
  ]);
}

/** Returns the digests that stop after a failure. A limit of pulls says nothing about them, so it blocks none. */
function stoppedDigests(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  reason: Reason,
  step: Step,
): Pick<WorkloadRecord, "limited"> | Pick<WorkloadRecord, "blocked"> {
  return reason === "pull-limited"
    ? { limited: keepNewest(limitAgain(record.limited, active.changes, step.now)) }
    : { blocked: keepNewest([...record.blocked, ...blockedDigestsOf(active, reason, step)]) };
}

function blockedDigestsOf(active: RollingOutUpdate, reason: Reason, step: Step): readonly BlockedDigest[] {
  return active.changes.map(({ imageName, digest, tag }) => ({
    imageName,
    digest,
    tag,
    reason,
    seq: active.seq,
    at: step.now,
  }));
}

function podsText(pods: number): string {
  return `${String(pods)} ${pods === 1 ? "pod" : "pods"}`;
}
