import { sourceMarks } from "../../gates/declared-source.ts";
import { endChangedBefore } from "./ending.ts";
import type { RunningImages } from "../../workload/health.ts";
import { appliedAgain, landedOn, whyAppliedAgain, withRestored } from "./applied-again.ts";
import { blockRemoved } from "./manual-change.ts";
import { withLabelledSeq } from "./unknown-update.ts";
import { holdAfter, observedFrom, showsImagesOf, wasReverted } from "./observed-changes.ts";
import type { Reason } from "../../shared/reasons.ts";
import { afterDecision, type Decision, endingOf, folded } from "../state/changes.ts";
import { deepEqual } from "../../shared/deep-equal.ts";
import { isEnabled, settingAnnotations } from "../../settings/settings.ts";
import type { EpochMs } from "../../shared/time.ts";
import {
  type ActiveUpdate,
  type EndedUpdate,
  overtaken,
  type Transition,
  type WorkloadRecord,
} from "../state/workload.ts";
import type { ApplierNames, RestoredDigest } from "../../workload/appliers.ts";
import { keptLabels } from "../../workload/labels.ts";
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
 * Decides about an observation of the object. Returns undefined if nothing changed.
 *
 * While an update is active, its rollout or rollback judges the images of the object. Otherwise
 * Lookout adopts a user's image. A user's revert of the last update holds the workload.
 */
export function observe(record: WorkloadRecord, inputs: ObservationInputs, now: EpochMs): Decision | undefined {
  if (!isEnabled(inputs.live.annotations)) return untrack(record, now, "not-tracked");
  return withLabelledSeq(observeEnabled(record, inputs, now), record, inputs);
}

function observeEnabled(record: WorkloadRecord, inputs: ObservationInputs, now: EpochMs): Decision | undefined {
  if (record.uid !== inputs.live.uid) return observeNewObject(record, inputs, now);
  if (record.tracked) return observeAgain(record, inputs, now);
  // The object may have changed while Lookout did not track the workload, so Lookout observes the
  // object again.
  const back: Decision = {
    changes: { tracked: true, needsEvaluation: true },
    transitions: [workloadTransition("tracked")],
  };
  return folded([back, observeAgain(afterDecision(record, back), inputs, now)]);
}

/**
 * Stops tracking a workload, and ends its updates. Returns undefined if the workload is not
 * tracked.
 */
export function untrack(
  record: WorkloadRecord,
  now: EpochMs,
  reason: UntrackReason = "workload-gone",
): Decision | undefined {
  return record.tracked ? untracked(record, now, reason) : undefined;
}

type UntrackReason = Extract<Reason, "workload-gone" | "not-tracked" | "cluster-removed">;

/** Stops tracking a workload, and ends its updates. */
export function untracked(record: WorkloadRecord, now: EpochMs, reason: UntrackReason): Decision {
  const ended = endOpen(record, reason, now);
  return {
    changes: {
      tracked: false,
      needsEvaluation: undefined,
      pending: undefined,
      active: undefined,
      selectionFailures: [],
      ...lastOf(ended),
      ...sentOf(record, ended),
    },
    transitions: [workloadTransition("untracked"), ...ended.map(endingOf)],
  };
}

/**
 * Returns a listed object with only the labels and annotations that {@link differsFromRecord}
 * reads. An object may have 256 KiB of annotations, and a cluster thousands of objects.
 */
export function listedParts(live: LiveWorkload): LiveWorkload {
  const updateLabel = live.labels[updateLabelKey];
  const kept = { ...keptLabels(live.labels), ...(updateLabel !== undefined && { [updateLabelKey]: updateLabel }) };
  return {
    ...live,
    // The rules of tiers may name any label of a tracked workload.
    labels: isEnabled(live.annotations) ? live.labels : kept,
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

/** Tracks an object that is new, or that replaced the object of the record. */
function observeNewObject(record: WorkloadRecord, inputs: ObservationInputs, now: EpochMs): Decision {
  const ended = endOpen(record, "object-recreated", now);
  return {
    changes: {
      uid: inputs.live.uid,
      landed: undefined,
      tracked: true,
      needsEvaluation: true,
      observed: observedFrom(inputs.live, inputs.running, undefined, now),
      pending: undefined,
      active: undefined,
      selectionFailures: [],
      ...lastOf(ended),
    },
    transitions: [workloadTransition("tracked"), ...ended.map(endingOf)],
  };
}

function observeAgain(record: WorkloadRecord, inputs: ObservationInputs, now: EpochMs): Decision | undefined {
  const { live } = inputs;
  const observed = observedFrom(live, inputs.running, record.observed, now);
  const { active, landed } = record;
  if (active?.status === "released" && !showsImagesOf(record.observed, live))
    return endChangedBefore(record, active, inputs, now);
  if (active !== undefined) return settingsOnly(record, active, observed);
  if (deepEqual(record.observed, observed)) return undefined;
  if (deepEqual({ ...record.observed, labels: undefined }, { ...observed, labels: undefined }))
    return { changes: { observed }, transitions: [] };
  const restored = appliedAgain(record, landedOn(record), live, { isDoubtful: false, appliers: inputs.appliers }, now);
  if (restored !== undefined) return observeAppliedAgain(record, observed, restored, now);
  if (landed !== undefined && wasReverted(landed, live, inputs.installation)) {
    const hold = holdAfter(landed.seq, live, now);
    const last = {
      ...landed,
      status: "reverted",
      endedAt: now,
      reason: hold.reason,
      detail: hold.detail,
    } as const;
    const known = { ...observed, containers: observed.containers.map((container) => asBefore(container, landed)) };
    return {
      changes: { observed: known, last, landed: undefined, needsEvaluation: true, hold },
      transitions: [endingOf(last)],
    };
  }
  const blocked = blockRemoved(record, live, inputs.installation, now);
  return {
    changes: { observed, blocked, needsEvaluation: true },
    transitions: [workloadTransition("observed", differenceOf(record.observed, observed))],
  };
}

/** Decides after a manifest was applied again. Updates to other digests go on. */
function observeAppliedAgain(
  record: WorkloadRecord,
  observed: Observed,
  restored: readonly RestoredDigest[],
  now: EpochMs,
): Decision {
  const { landed } = record;
  const changes = { restored: withRestored(record, restored), landed: undefined, needsEvaluation: true } as const;
  if (landed === undefined) {
    const why = whyAppliedAgain(restored);
    return {
      changes: { ...changes, observed },
      transitions: [{ ...workloadTransition("observed", why.detail), reasons: [why] }],
    };
  }
  const last = { ...landed, ...whyAppliedAgain(restored), status: "superseded", endedAt: now } as const;
  const known = { ...observed, containers: observed.containers.map((container) => asBefore(container, landed)) };
  return { changes: { ...changes, observed: known, last }, transitions: [endingOf(last)] };
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
 * Takes the object's new settings, and no new images, into the record of an active update.
 * Returns undefined before the patch landed, because the patch itself detects changed settings.
 */
function settingsOnly(record: WorkloadRecord, active: ActiveUpdate, observed: Observed): Decision | undefined {
  if (active.status === "released" || active.status === "patching") return undefined;
  const next = { ...record.observed, annotations: observed.annotations, sourceMarks: observed.sourceMarks };
  if (deepEqual(next, record.observed)) return undefined;
  return {
    changes: { observed: next, needsEvaluation: true },
    transitions: [workloadTransition("observed", "the annotations changed")],
  };
}

/** Describes a change of images or annotations. Returns undefined if only digests changed. */
function differenceOf(before: Observed, after: Observed): string | undefined {
  const changed = after.containers.filter(
    ({ name, image }) => before.containers.find((old) => old.name === name)?.image !== image,
  );
  if (changed.length > 0) return changed.map(({ name, image }) => `container ${name} has ${image}`).join(", ");
  return deepEqual(before.annotations, after.annotations) ? undefined : "the annotations changed";
}

function endOpen(record: WorkloadRecord, reason: Reason, now: EpochMs): readonly EndedUpdate[] {
  return [record.active, record.pending]
    .filter((update) => update !== undefined)
    .map((update) => overtaken(update, "superseded", { reason }, now));
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

/** Returns a transition of the workload. */
export function workloadTransition(what: "tracked" | "observed" | "untracked", detail?: string): Transition {
  return { seq: 0, what, reasons: [], changes: [], ...(detail === undefined ? {} : { detail }) };
}
