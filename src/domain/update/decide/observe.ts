import { sourceMarks } from "../../gates/declared-source.ts";
import { endChangedBefore } from "./ending.ts";
import type { RunningImages } from "../../workload/health.ts";
import { appliedAgain, landedOn, whyAppliedAgain, withRestored } from "./applied-again.ts";
import { blockRemoved } from "./manual-change.ts";
import { pauseAfter } from "../effects/commands.ts";
import { holdAfter, observedFrom, showsImagesOf, wasReverted } from "./observed-changes.ts";
import { isAway, type Reason } from "../../shared/reasons.ts";
import type { WaitReason } from "../../shared/wait-reason.ts";
import { advance, endingOf, selectionFailureReasons, squash, type Step, waitingOf } from "../state/changes.ts";
import { deepEqual } from "../../shared/deep-equal.ts";
import { isEnabled, settingAnnotations } from "../../settings/settings.ts";
import { plus } from "../../shared/time.ts";
import {
  type ActiveUpdate,
  type EndedUpdate,
  overtaken,
  type Pause,
  recordSchema,
  type Transition,
  type WorkloadRecord,
} from "../state/workload.ts";
import type { ApplierNames, RestoredDigest } from "../../workload/appliers.ts";
import type { ContainerState, Observed } from "../../workload/observed.ts";
import { type LiveWorkload, updateLabelKey } from "../../workload/workload.ts";

/** The object of a workload, and the inputs of its observation. */
export interface ObservationInputs {
  readonly live: LiveWorkload;
  /** The images that its pods report, or undefined if the pods were not read. */
  readonly running: RunningImages | undefined;
  readonly installation: string;
  /** The owner's names of programs that apply manifests. */
  readonly appliers?: ApplierNames | undefined;
}

/**
 * Returns the record after an observation of the object, or undefined if nothing changed.
 *
 * While an update is active, its rollout or rollback judges the images of the object. Otherwise
 * Lookout adopts a user's image. A user's revert of the last update holds the workload.
 */
export function observe(
  record: WorkloadRecord | undefined,
  inputs: ObservationInputs,
  step: Step,
): WorkloadRecord | undefined {
  if (!isEnabled(inputs.live.annotations)) return record && untrack(record, step, "not-tracked");
  if (record === undefined) return newRecord(inputs, step);
  if (record.uid !== inputs.live.uid) return observeReplacement(record, inputs, step);
  if (record.tracked) return observeAgain(record, inputs, step);
  // The object may have changed while Lookout did not track the workload, so Lookout observes the
  // object again.
  const back = advance(record, step, { tracked: true, needsEvaluation: true }, [workloadTransition("tracked")]);
  return squash(back, observeAgain(back, inputs, step));
}

/**
 * Queues the evaluation of a record again because its cluster did not answer. A pending update gets
 * this reason.
 *
 * Returns undefined if the evaluation is already queued again.
 */
export function retryEvaluation(
  record: WorkloadRecord,
  refusal: { readonly kind: "unreachable" | "denied"; readonly detail: string },
  step: Step,
): WorkloadRecord | undefined {
  const { pending, needsEvaluation, failedEvaluations } = record;
  const isQueued = needsEvaluation === true && failedEvaluations !== undefined;
  if (isQueued && (record.dueAt ?? step.now) > step.now) return undefined;
  const away: WaitReason = {
    reason: refusal.kind === "denied" ? "cluster-denied" : "cluster-unreachable",
    detail: refusal.detail,
  };
  const again = { needsEvaluation: true, failedEvaluations: failedEvaluationsAfter(record) } as const;
  if (pending === undefined)
    return advance(record, step, again, [{ ...workloadTransition("observed"), reasons: [away] }]);
  const others = pending.waits.filter(({ reason }) => reason !== "settings-changed" && !isAway(reason));
  const waits = [away, ...others] as const;
  return advance(record, step, { ...again, pending: { ...pending, waits } }, [
    { seq: pending.seq, what: "still-waiting", reasons: waits, changes: pending.changes },
  ]);
}

/**
 * Queues an overdue evaluation again, after twice the pause. Returns undefined if the evaluation is
 * not overdue.
 */
export function retryOverdueEvaluation(record: WorkloadRecord, step: Step): WorkloadRecord | undefined {
  if (record.active !== undefined || record.dueAt === undefined || record.dueAt > step.now) return undefined;
  return advance(record, step, { failedEvaluations: failedEvaluationsAfter(record) }, [
    { ...workloadTransition("observed"), reasons: selectionFailureReasons(record.selectionFailures) },
  ]);
}

/**
 * Lets an overdue command wait for an unknown cluster, twice as long each time. Returns undefined
 * if no command is overdue.
 */
export function waitForCluster(
  record: WorkloadRecord,
  away: Omit<Pause, "until">,
  step: Step,
): WorkloadRecord | undefined {
  const { active, dueAt, failedEvaluations = 0 } = record;
  if (dueAt === undefined || dueAt > step.now) return undefined;
  const again = { failedEvaluations: failedEvaluations + 1 };
  if (active === undefined)
    return advance(record, step, again, [{ ...workloadTransition("observed"), reasons: [away] }]);
  const pause = { ...away, until: plus(step.now, pauseAfter(failedEvaluations)) };
  return advance(record, step, { ...again, pause }, [waitingOf(active, { reasons: [pause] })]);
}

function failedEvaluationsAfter({ needsEvaluation, selectionFailures, failedEvaluations }: WorkloadRecord): number {
  return needsEvaluation === true || selectionFailures.length > 0 ? (failedEvaluations ?? 0) + 1 : 0;
}

/**
 * Stops tracking a workload, and ends its updates. Returns undefined if the workload is not
 * tracked.
 */
export function untrack(
  record: WorkloadRecord,
  step: Step,
  reason: Extract<Reason, "workload-gone" | "not-tracked" | "cluster-removed"> = "workload-gone",
): WorkloadRecord | undefined {
  if (!record.tracked) return undefined;
  const ended = endOpen(record, reason, step);
  return advance(
    record,
    step,
    {
      tracked: false,
      needsEvaluation: undefined,
      pending: undefined,
      active: undefined,
      selectionFailures: [],
      ...lastOf(ended),
      ...sentOf(record, ended),
    },
    [workloadTransition("untracked"), ...ended.map(endingOf)],
  );
}

/**
 * Returns a listed object with only the labels and annotations that {@link differsFromRecord}
 * reads. An object may have 256 KiB of annotations, and a cluster thousands of objects.
 */
export function listedParts(live: LiveWorkload): LiveWorkload {
  const updateLabel = live.labels[updateLabelKey];
  return {
    ...live,
    labels: updateLabel === undefined ? {} : { [updateLabelKey]: updateLabel },
    annotations: { ...settingAnnotations(live.annotations), ...sourceMarks(live) },
  };
}

/** Returns whether a listed object is or was tracked, and differs from its record. */
export function differsFromRecord(record: WorkloadRecord | undefined, live: LiveWorkload): boolean {
  if (record === undefined || !record.tracked) return isEnabled(live.annotations);
  if (record.uid !== live.uid || !isEnabled(live.annotations)) return true;
  const seen = observedFrom(live, undefined, record.observed, record.changedAt);
  if (record.active === undefined || record.active.status === "released") return !deepEqual(record.observed, seen);
  return !deepEqual(seen.annotations, record.observed.annotations);
}

function newRecord(inputs: ObservationInputs, step: Step): WorkloadRecord {
  const blank: WorkloadRecord = {
    schemaVersion: recordSchema,
    workload: inputs.live.workload,
    uid: inputs.live.uid,
    version: 0,
    seq: 0,
    cause: step.cause,
    changedAt: step.now,
    observed: observedFrom(inputs.live, inputs.running, undefined, step.now),
    blocked: [],
    selectionFailures: [],
    transitions: [],
    tracked: true,
  };
  return advance(blank, step, { needsEvaluation: true }, [workloadTransition("tracked")]);
}

function observeReplacement(record: WorkloadRecord, inputs: ObservationInputs, step: Step): WorkloadRecord {
  const ended = endOpen(record, "workload-gone", step);
  return advance(
    record,
    step,
    {
      uid: inputs.live.uid,
      landed: undefined,
      tracked: true,
      needsEvaluation: true,
      observed: observedFrom(inputs.live, inputs.running, undefined, step.now),
      pending: undefined,
      active: undefined,
      selectionFailures: [],
      ...lastOf(ended),
    },
    [workloadTransition("tracked"), ...ended.map(endingOf)],
  );
}

function observeAgain(record: WorkloadRecord, inputs: ObservationInputs, step: Step): WorkloadRecord | undefined {
  const { live } = inputs;
  const observed = observedFrom(live, inputs.running, record.observed, step.now);
  const { active, landed } = record;
  if (active?.status === "released" && !showsImagesOf(record.observed, live))
    return endChangedBefore(record, active, inputs, step);
  if (active !== undefined) return settingsOnly(record, active, observed, step);
  if (deepEqual(record.observed, observed)) return undefined;
  const restored = appliedAgain(record, landedOn(record), live, { isDoubtful: false, appliers: inputs.appliers }, step);
  if (restored !== undefined) return observeAppliedAgain(record, observed, restored, step);
  if (landed !== undefined && wasReverted(landed, live, inputs.installation)) {
    const hold = holdAfter(landed.seq, live, step);
    const last = {
      ...landed,
      status: "reverted",
      endedAt: step.now,
      reason: hold.reason,
      detail: hold.detail,
    } as const;
    const known = { ...observed, containers: observed.containers.map((container) => asBefore(container, landed)) };
    return advance(record, step, { observed: known, last, landed: undefined, needsEvaluation: true, hold }, [
      endingOf(last),
    ]);
  }
  const blocked = blockRemoved(record, live, inputs.installation, step);
  return advance(record, step, { observed, blocked, needsEvaluation: true }, [
    workloadTransition("observed", differenceOf(record.observed, observed)),
  ]);
}

/** Returns the record after a manifest was applied again. Updates to other digests go on. */
function observeAppliedAgain(
  record: WorkloadRecord,
  observed: Observed,
  restored: readonly RestoredDigest[],
  step: Step,
): WorkloadRecord {
  const { landed } = record;
  const changes = { restored: withRestored(record, restored), landed: undefined, needsEvaluation: true } as const;
  if (landed === undefined) {
    const why = whyAppliedAgain(restored);
    return advance(record, step, { ...changes, observed }, [
      { ...workloadTransition("observed", why.detail), reasons: [why] },
    ]);
  }
  const last = { ...landed, ...whyAppliedAgain(restored), status: "superseded", endedAt: step.now } as const;
  const known = { ...observed, containers: observed.containers.map((container) => asBefore(container, landed)) };
  return advance(record, step, { ...changes, observed: known, last }, [endingOf(last)]);
}

/**
 * Returns a container with its restored image. Lookout knew the image before, so a later move of
 * its tag is a change.
 */
function asBefore(container: ContainerState, { changes }: EndedUpdate): ContainerState {
  const change = changes.find(({ name }) => name === container.name);
  // A manifest that was applied again may name an image from before several updates.
  if (change === undefined || change.from !== container.image) return container;
  const { seenAt: _, ...known } = container;
  return change.fromDigest === undefined ? known : { ...known, digest: change.fromDigest, baseline: change.fromDigest };
}

/**
 * Returns the record of an active update with the object's new settings, and without new images.
 * Returns undefined before the patch landed, because the patch itself detects changed settings.
 */
function settingsOnly(
  record: WorkloadRecord,
  active: ActiveUpdate,
  observed: Observed,
  step: Step,
): WorkloadRecord | undefined {
  if (active.status === "released" || active.status === "patching") return undefined;
  const next = { ...record.observed, annotations: observed.annotations, sourceMarks: observed.sourceMarks };
  if (deepEqual(next, record.observed)) return undefined;
  return advance(record, step, { observed: next, needsEvaluation: true }, [
    workloadTransition("observed", "the annotations changed"),
  ]);
}

/** Describes a change of images or annotations. Returns undefined if only digests changed. */
function differenceOf(before: Observed, after: Observed): string | undefined {
  const changed = after.containers.filter(
    ({ name, image }) => before.containers.find((old) => old.name === name)?.image !== image,
  );
  if (changed.length > 0) return changed.map(({ name, image }) => `container ${name} has ${image}`).join(", ");
  return deepEqual(before.annotations, after.annotations) ? undefined : "the annotations changed";
}

function endOpen(record: WorkloadRecord, reason: Reason, step: Step): readonly EndedUpdate[] {
  return [record.active, record.pending]
    .filter((update) => update !== undefined)
    .map((update) => overtaken(update, "superseded", { reason }, step.now));
}

/**
 * Returns the ended update as landed if its patch may have landed. So Lookout can detect a revert
 * when the object is tracked again.
 */
function sentOf({ active }: WorkloadRecord, ended: readonly EndedUpdate[]): { readonly landed?: EndedUpdate } {
  const sent = ended.find(({ seq }) => seq === active?.seq && active.status !== "released");
  return sent === undefined ? {} : { landed: sent };
}

function lastOf(ended: readonly EndedUpdate[]): { readonly last?: EndedUpdate } {
  const newest = ended.at(-1);
  return newest === undefined ? {} : { last: newest };
}

function workloadTransition(what: "tracked" | "observed" | "untracked", detail?: string): Transition {
  return { seq: 0, what, reasons: [], changes: [], ...(detail === undefined ? {} : { detail }) };
}
