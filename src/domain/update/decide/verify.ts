import type { Health, RolloutWait, RunningImages } from "../../workload/health.ts";
import { rolloutStyleOf } from "../../workload/kinds.ts";
import { blockedBy, keepNewest } from "./manual-change.ts";
import type { Reason } from "../../shared/reasons.ts";
import { type Decision, renewal, type StateChanges, waitingOf } from "../state/changes.ts";
import { endRefuted, judgeRestart, podsRunAnotherDigest, type RestartProof } from "./restart-proof.ts";
import { subjectOf } from "../../checks/answer.ts";
import { type CheckFacts, standingOf } from "../../checks/facts.ts";
import { checksAt } from "../../checks/rules.ts";
import { checksIn } from "../../gates/checks.ts";
import { deepEqual } from "../../shared/deep-equal.ts";
import { appliedAgain } from "./applied-again.ts";
import { end, endAppliedAgain, endObjectReplaced, endReplacedByUser, endReverted, endUnknown } from "./ending.ts";
import { keptAfterRollback } from "./kept-image.ts";
import { showsUnknownPatch } from "./unknown-update.ts";
import {
  showsDesiredImages,
  showsPreviousImages,
  showsRestoredImages,
  staysAfterFailure,
  wasSetByOthers,
} from "./observed-changes.ts";
import type { WorkloadSettings } from "../../settings/settings.ts";
import { type DurationMs, type EpochMs, minutes, plus } from "../../shared/time.ts";
import type { ImageChange } from "../../workload/patch.ts";
import { isLimit, limitAgain, limitOf } from "../../workload/pull-limit.ts";
import {
  bakeOf,
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
  succeededUnproved,
  type WorkloadRecord,
} from "../state/workload.ts";

/** The result of a check of a rollout. */
export type Verdict =
  /** Undefined: nothing changed, so check again later. */
  | { readonly kind: "decided"; readonly decision: Decision | undefined }
  /**
   * Failed pods block the rollout of an ordered StatefulSet. Delete the broken pods and the failed
   * pods with one of `images`, then check again.
   *
   * If the deletion is denied, `denied` is the decision.
   */
  | {
      readonly kind: "free-failed-pods";
      readonly images: readonly string[];
      readonly denied: Decision | undefined;
    };

/** The health of a workload, its settings and the limits. */
export interface CheckInputs {
  readonly health: Health;
  /** The digests that the pods of a restart report. Absent if they were not read. */
  readonly running?: RunningImages;
  readonly installation: string;
  readonly settings: WorkloadSettings;
  readonly limits: Limits;
  /** The checks of `lookout.yaml`, and their answers about this update. */
  readonly checks: CheckFacts;
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
  now: EpochMs,
): Verdict {
  const { health } = inputs;
  const { live } = health;
  if (live.uid !== record.uid) return decided(endObjectReplaced(record, active, live, now));
  const { installation } = inputs;
  if (showsUnknownPatch(active, live, installation))
    return decided(endUnknown(record, active, { live, installation }, now));
  if (!showsDesiredImages(active, live) || wasSetByOthers(active, live)) {
    const isDoubtful = runningOf(active.progress) === undefined;
    const restored = appliedAgain(record, active, live, { isDoubtful, appliers: inputs.settings.appliers }, now);
    if (restored !== undefined) return decided(endAppliedAgain(record, active, live, restored, now));
    if (showsPreviousImages(active, live)) return decided(endReverted(record, active, live, now));
    return decided(endReplacedByUser(record, active, live, now));
  }
  switch (health.kind) {
    case "healthy": {
      const proof = judgeRestart(active, live, inputs.running);
      if (proof.kind !== "refuted") return decided(judgeRunning(record, active, health, proof, inputs, now));
      const refuted = blockedDigestsOf(active, proof.changes, podsRunAnotherDigest, now);
      const blocked = keepNewest([...record.blocked, ...refuted]);
      return decided(endRefuted(record, active, live, { ...proof, blocked }, now));
    }
    case "failed":
      return decided(fail(record, active, { reason: failureOf(health), detail: health.detail }, inputs, now));
    case "unverifiable":
      return decided(end(record, active, live, succeededUnproved(active, unverifiableText[health.why], now), now));
    case "waiting":
      return judgeWaiting(record, active, health, inputs, now);
    case "progressing":
      return decided(judgeProgress(record, active, health, inputs, now));
  }
}

function failureOf({ isDenied }: Extract<Health, { kind: "failed" }>): Reason {
  return isDenied === true ? "pods-denied" : "rollout-failed";
}

type ProgressingHealth = Extract<Health, { kind: "progressing" }>;

/** Decides the next state of a rollback from the health of the previous images. */
export function judgeRollback(
  record: WorkloadRecord,
  active: RollingBackUpdate,
  { health }: CheckInputs,
  now: EpochMs,
): Verdict {
  const { live } = health;
  const { failure, rollback } = active;
  if (live.uid !== record.uid) return decided(endObjectReplaced(record, active, live, now));
  if (!showsRestoredImages(active, live)) return decided(endReplacedByUser(record, active, live, now));
  if (health.kind === "healthy" || health.kind === "unverifiable" || waitsForPeople(health)) {
    const why = { reason: failure.reason, detail: failure.detail };
    const kept = keptAfterRollback(record, active, now);
    return decided(end(record, active, live, failed(active, "rolled-back", why, now), now, kept));
  }
  const notRecovered = (detail: string): Decision => {
    const why = { reason: "rollback-not-recovered", detail } as const;
    return end(record, active, live, failed(active, "rollback-failed", why, now), now);
  };
  if (rollback.kind === "patched" && now >= rollback.deadlineAt) return decided(notRecovered(whyNotRunning(health)));
  if (rolloutStyleOf(record.workload.kind) !== "in-order") return decided(again(record, active, now));
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

function decided(decision: Decision | undefined): Extract<Verdict, { readonly kind: "decided" }> {
  return { kind: "decided", decision };
}

/**
 * Returns the decision for an unchanged state. After its `dueAt`, the state is stored with a new
 * `dueAt`.
 */
function again({ effects: { dueAt } }: WorkloadRecord, active: PatchedUpdate, now: EpochMs): Decision | undefined {
  return dueAt === undefined || dueAt > now ? undefined : renewal(active);
}

function judgeRunning(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  health: Extract<Health, { kind: "healthy" }>,
  proof: Exclude<RestartProof, { kind: "refuted" }>,
  inputs: CheckInputs,
  now: EpochMs,
): Decision | undefined {
  const running = runningOf(active.progress);
  if (running === undefined || health.restarts > running.restarts)
    return firstSeenRunning(active, health, inputs.limits, now);
  if (now < running.settlesAt) return again(record, active, now);
  const baked = judgeBake(record, active, running, inputs, now);
  if (baked.kind === "decided") return baked.decision;
  const pods = podsText(health.pods);
  const details = [pods, ...(proof.kind === "unproved" ? [proof.detail] : []), ...baked.details];
  return end(record, active, health.live, succeeded(active, details.join("; "), now), now);
}

/** What the checks of a bake mean: the update succeeds with these details, or another decision. */
type Baked =
  | { readonly kind: "passed"; readonly details: readonly string[] }
  | { readonly kind: "decided"; readonly decision: Decision | undefined };

/**
 * Decides by the checks that judge settled pods. A refusal fails the update at once. Without an answer,
 * the update fails after its time limit, which says nothing about its digests.
 */
function judgeBake(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  running: Running,
  inputs: CheckInputs,
  now: EpochMs,
): Baked {
  const { settings } = inputs;
  const checks = checksAt("bake", checksIn(inputs.checks.rules, record.workload, settings));
  if (checks.length === 0) return { kind: "passed", details: [] };
  const { workload, uid } = record;
  const subject = subjectOf(active.changes, { workload, uid, seq: active.seq });
  const standing = standingOf(checks, subject, inputs.checks.answers, now, true);
  if (standing.kind === "allowed") return { kind: "passed", details: [standing.detail] };
  const { wait } = standing;
  const { detail = "" } = wait;
  const failing = (reason: Reason): Baked => decided(fail(record, active, { reason, detail }, inputs, now));
  if (standing.kind === "refused") return failing("check-failed");
  const before = bakeOf(active);
  const since = before?.since ?? now;
  if (now >= plus(since, settings.rollbackTimeout)) return failing("check-unanswered");
  if (before !== undefined && deepEqual(before.wait, wait)) return decided(again(record, active, now));
  const deadline = active.progress.kind === "running" ? deadlineIn(active.progress) : {};
  const progress: Progress = { kind: "running", running, ...deadline, bake: { since, wait } };
  const text = `${wait.reason === "check-not-asked" ? "asks the check" : "waits for the check"} ${detail}`;
  return decided({ changes: { active: { ...active, progress } }, transitions: [waitingOf(active, { detail: text })] });
}

function firstSeenRunning(
  active: RollingOutUpdate,
  health: Extract<Health, { kind: "healthy" }>,
  limits: Limits,
  now: EpochMs,
): Decision {
  const { patchedAt, progress } = active;
  const since = Math.max(patchedAt, Math.min(health.runningSince ?? now, now)) as typeof patchedAt;
  const running: Running = {
    seenAt: now,
    settlesAt: plus(now, limits.settle),
    since,
    restarts: health.restarts,
    pods: health.pods,
  };
  const what = runningOf(progress) === undefined ? "running" : "waiting";
  const detail =
    what === "running" ? podsText(health.pods) : `a pod restarted, ${String(health.restarts)} restarts so far`;
  return {
    changes: { active: { ...active, progress: { kind: "running", running, ...deadlineIn(progress) } } },
    transitions: [{ seq: active.seq, what, reasons: [], detail, changes: active.changes }],
  };
}

function deadlineIn(progress: Progress): { readonly deadlineAt?: EpochMs } {
  return "deadlineAt" in progress ? { deadlineAt: progress.deadlineAt } : {};
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
  now: EpochMs,
): Decision | undefined {
  const { detail } = health;
  const deadlineAt = "deadlineAt" in active.progress ? active.progress.deadlineAt : undefined;
  const anew = plus(now, inputs.settings.rollbackTimeout);
  const progressAfter = (deadline: EpochMs): Progressing => {
    const fault = faultAfter(active.progress, health, inputs.settings.pullGrace, now);
    return { kind: "progressing", deadlineAt: deadline, ...fault };
  };
  if (deadlineAt === undefined) return progresses(active, progressAfter(anew), "the pods change again");
  if (now >= plus(deadlineAt, lateCheck)) {
    const late = "Lookout did not check the rollout before its deadline";
    return progresses(active, progressAfter(anew), late);
  }
  const progress = progressAfter(deadlineAt);
  if (now >= deadlineAt) {
    return fail(record, active, { reason: whyOverdue(progress, health), detail }, inputs, now);
  }
  const { failsAt } = progress.fault ?? {};
  if (failsAt !== undefined && now >= failsAt)
    return fail(record, active, { reason: "rollout-failed", detail }, inputs, now);
  if (active.progress.kind === "progressing" && sameFault(active.progress, progress)) return again(record, active, now);
  return progresses(active, progress, detail);
}

/** Returns why a rollout ends at its deadline. */
function whyOverdue({ wasLimited }: Progressing, { fault }: ProgressingHealth): Reason {
  const limit = fault && limitOf[fault];
  return limit ?? (wasLimited ? "pull-limited" : "rollout-timed-out");
}

/**
 * Returns the fault of a rollout after a check. The grace of a fault ends at the same instant until
 * the fault goes away, or one more pod is ready.
 */
function faultAfter(
  progress: Progress,
  { fault, ready, detail }: ProgressingHealth,
  grace: DurationMs,
  now: EpochMs,
): Pick<Progressing, "fault" | "wasLimited"> {
  const before: Pick<Progressing, "fault" | "wasLimited"> = progress.kind === "progressing" ? progress : {};
  const isLimited = fault === "limited" || (fault === "backing-off" && before.wasLimited === true);
  const limited = isLimited || before.wasLimited === true ? ({ wasLimited: true } as const) : {};
  if (fault === undefined) return limited;
  if (isLimited || limitOf[fault] !== undefined) return { fault: { detail, ready }, ...limited };
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
  now: EpochMs,
): Verdict {
  if (health.why === "next-job" && now >= plus(active.patchedAt, settings.rollbackTimeout))
    return decided(
      end(record, active, health.live, succeededUnproved(active, unverifiableText["no-job-in-time"], now), now),
    );
  const waiting = wait(record, active, health.why, now);
  return health.why === "broken-pod" ? { kind: "free-failed-pods", images: [], denied: waiting } : decided(waiting);
}

function wait(record: WorkloadRecord, active: RollingOutUpdate, why: RolloutWait, now: EpochMs): Decision | undefined {
  if (active.progress.kind === "waiting" && active.progress.why === why) return again(record, active, now);
  // The wait may take weeks, so another update gets the slot.
  const { slot, ...rest } = active;
  const running = runningOf(active.progress);
  const progress: Progress = { kind: "waiting", why, ...(running === undefined ? {} : { running }) };
  return {
    changes: { active: { ...rest, progress } },
    transitions: [waitingOf(active, { detail: rolloutWaitText[why] })],
  };
}

/**
 * Decides about a rollout that makes progress. Pods that ran before have to settle again.
 */
function progresses(active: RollingOutUpdate, progress: Progressing, detail: string): Decision {
  return { changes: { active: { ...active, progress } }, transitions: [waitingOf(active, { detail })] };
}

function fail(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  { reason, detail }: { readonly reason: Reason; readonly detail: string },
  { health, settings }: CheckInputs,
  now: EpochMs,
): Decision {
  const why = {
    reason: isOtherContainers(active, health) ? "other-container-failed" : reason,
    detail: [detail, ...firstImagesText(active)].join("; "),
  } as const;
  const stopped = stoppedDigests(record, active, blamedChanges(active, health), why.reason, now);
  if (!settings.autoRollback || active.changes.every(staysAfterFailure))
    return end(record, active, health.live, failed(active, "failed", why, now), now, stopped);
  const decision = beginRollback(active, why, now);
  return { ...decision, changes: { ...stopped, ...decision.changes } };
}

/** Returns the text about failed images that stay, because the object had none before; empty if there are none. */
function firstImagesText({ changes }: RollingOutUpdate): readonly string[] {
  const names = changes.filter(staysAfterFailure).map(({ name }) => name);
  if (names.length === 0) return [];
  return [`${names.join(", ")} had no image before, and keeps this one until a newer tag comes`];
}

/** Begins to roll an update back whose pods are being replaced. */
export function beginRollback(
  active: RollingOutUpdate,
  why: { readonly reason: Reason; readonly detail: string },
  now: EpochMs,
): Decision {
  const { progress: _, reevaluate: __, ...rest } = active;
  const next: RollingBackUpdate = {
    ...rest,
    status: "rolling-back",
    failure: { at: now, ...why },
    rollback: { kind: "patching" },
  };
  return {
    changes: { active: next },
    transitions: [{ seq: active.seq, what: "failing", reasons: [why], detail: why.detail, changes: active.changes }],
  };
}

/**
 * Returns whether only containers that the update does not change can't be pulled, which says nothing
 * about its images. A crash is another matter: the new images may cause it.
 */
function isOtherContainers({ changes }: RollingOutUpdate, health: Health): boolean {
  if (health.kind !== "failed" && health.kind !== "progressing") return false;
  const { containers = [], crashes } = health;
  return crashes !== true && containers.length > 0 && changes.every(({ name }) => !containers.includes(name));
}

/**
 * Returns the changes of the containers that failed, or all changes if the failure names no container
 * of the update. The other changes are rolled back too, and proposed again without the failed ones.
 */
function blamedChanges({ changes }: RollingOutUpdate, health: Health): readonly ImageChange[] {
  const failed = ("containers" in health ? health.containers : undefined) ?? [];
  const blamed = changes.filter(({ name }) => failed.includes(name));
  return blamed.length === 0 ? changes : blamed;
}

/** Returns the digests that stop after a failure. A limit says nothing about them, so it blocks none. */
function stoppedDigests(
  record: WorkloadRecord,
  active: RollingOutUpdate,
  blamed: readonly ImageChange[],
  reason: Reason,
  now: EpochMs,
): Pick<StateChanges, "limited" | "blocked"> {
  return isLimit(reason)
    ? { limited: keepNewest(limitAgain(record.limited, blamed, reason, now)) }
    : { blocked: keepNewest([...record.blocked, ...blockedDigestsOf(active, blamed, reason, now)]) };
}

function blockedDigestsOf(
  { seq }: RollingOutUpdate,
  changes: readonly ImageChange[],
  reason: Reason,
  now: EpochMs,
): readonly BlockedDigest[] {
  return changes.map((change) => blockedBy(change, seq, reason, now));
}

function podsText(pods: number): string {
  return `${String(pods)} ${pods === 1 ? "pod" : "pods"}`;
}
