import { appliedAgain } from "./applied-again.ts";
import {
  endAppliedAgain,
  endChangedBefore,
  end,
  backToHeld,
  endObjectReplaced,
  endReplacedByUser,
  endReverted,
} from "./ending.ts";
import {
  observedFrom,
  showsImagesOf,
  showsDesiredImages,
  showsPreviousImages,
  wasSetByOthers,
} from "./observed-changes.ts";
import { imageNameOf } from "../../image/reference.ts";
import type { WorkloadPatch } from "../../workload/patch.ts";
import { advance, type Step } from "../state/changes.ts";
import { deepEqual } from "../../shared/deep-equal.ts";
import { annotationPrefix, type WorkloadSettings } from "../../settings/settings.ts";
import { type EpochMs, plus, toIso } from "../../shared/time.ts";
import {
  type ActiveUpdate,
  failed,
  type PatchingUpdate,
  type Restart,
  type RollingBackUpdate,
  type RollingOutUpdate,
  type UnpatchedUpdate,
  type WorkloadRecord,
} from "../state/workload.ts";
import type { ImageChange } from "../../workload/patch.ts";
import type { ContainerState, Observed } from "../../workload/observed.ts";
import { repositoryOf } from "./desired-image.ts";
import { statusAnnotations } from "./status-annotations.ts";
import { updateLabelKey, updateLabelOf, imageOf, type LiveWorkload } from "../../workload/workload.ts";

/** The next step of an update or a rollback, decided from a read of the object. */
export type PatchPlan =
  /**
   * The caller stores the `intent`, if present, and checks that the intent is still stored. Then
   * the caller sends the patch.
   */
  | { readonly kind: "patch"; readonly patch: WorkloadPatch; readonly intent?: Intent }
  /** No patch is needed: store this version. */
  | { readonly kind: "store"; readonly record: WorkloadRecord }
  /** The stored update names a repository other than the image's, so no patch is sent. */
  | { readonly kind: "other-repository"; readonly detail: string };

/** A version of a record with a stored intent. */
type Intent = WorkloadRecord & { readonly active: PatchingUpdate };

/** The record, its active update, and one read of the object. */
export interface PlanInputs<Active extends ActiveUpdate> {
  readonly record: WorkloadRecord;
  readonly active: Active;
  readonly live: LiveWorkload;
  readonly installation: string;
  readonly settings: WorkloadSettings;
  readonly step: Step;
}

/**
 * Decides the next step of an update from a read of the object.
 *
 * Lookout's label with the desired images proves that the patch landed. Lookout's label with the
 * previous images proves that a user reverted it. Without this label, Lookout patches the object
 * only if the object has not changed since the last observation.
 */
export function planForward(inputs: PlanInputs<UnpatchedUpdate>): PatchPlan {
  const { record, active, live, installation, settings, step } = inputs;
  const store = (next: WorkloadRecord): PatchPlan => ({ kind: "store", record: next });
  if (live.uid !== record.uid) return store(endObjectReplaced(record, active, live, step));
  const updateLabel = updateLabelOf(installation, active.seq, "forward");
  const ours = live.labels[updateLabelKey] === updateLabel;
  if (ours) return store(afterPatch(inputs));
  if (!showsKnownImages(record, active, live))
    return store(endChangedBefore(record, active, { live, installation, appliers: settings.appliers }, step));
  if (!hasSameGateInputs(record.observed, active, live)) return store(settingsChanged(record, active, live, step));
  const restart = restartOf(active, live, step);
  const intent = intentOf(record, active, restart, step);
  const updateCount = updatesOf(record) + 1;
  const written = { updateLabel, restartedAt: restart?.to, settings, updateCount, now: step.now };
  const patch = patchFrom(record, active.changes, live, written);
  return otherRepository(patch, live) ?? { kind: "patch", patch, ...(intent === undefined ? {} : { intent }) };
}

/** Returns the record of an update whose patch landed, and may have been replaced since. */
function afterPatch({ record, active, live, settings, step }: PlanInputs<UnpatchedUpdate>): WorkloadRecord {
  if (showsDesiredImages(active, live)) return patchLanded(record, active, settings, step);
  const restored = appliedAgain(record, active, live, { isDoubtful: true, appliers: settings.appliers }, step);
  if (restored !== undefined) return endAppliedAgain(record, active, live, restored, step);
  if (showsPreviousImages(active, live)) return endReverted(record, active, live, step);
  return endReplacedByUser(record, active, live, step);
}

/**
 * Decides the next step of a rollback from a read of the object.
 *
 * Lookout patches only an object with Lookout's label and images. Any other image is a user's, and
 * stays.
 */
export function planBack(inputs: PlanInputs<RollingBackUpdate>): PatchPlan {
  const { record, active, live, installation, settings, step } = inputs;
  const store = (next: WorkloadRecord): PatchPlan => ({ kind: "store", record: next });
  if (live.uid !== record.uid) return store(endObjectReplaced(record, active, live, step));
  const back = updateLabelOf(installation, active.seq, "back");
  const label = live.labels[updateLabelKey];
  const shown = showsPreviousImages(active, live);
  if (shown && label === back) return store(rollbackLanded(record, active, settings, step));
  if (shown) {
    const why = { reason: active.failure.reason, detail: "a user reverted the update first" };
    return store(end(record, active, live, failed(active, "rolled-back", why, step.now), step));
  }
  const ours = label === updateLabelOf(installation, active.seq, "forward") && !wasSetByOthers(active, live);
  if (!ours || !showsDesiredImages(active, live)) return store(endReplacedByUser(record, active, live, step));
  const restartedAt = active.restart?.from;
  const written = { updateLabel: back, restartedAt, settings, updateCount: updatesOf(record), now: step.now };
  const patch = patchFrom(record, backwards(active), live, written);
  return otherRepository(patch, live) ?? { kind: "patch", patch };
}

function patchLanded(
  record: WorkloadRecord,
  active: UnpatchedUpdate,
  settings: WorkloadSettings,
  step: Step,
): WorkloadRecord {
  const progress = { kind: "progressing", deadlineAt: plus(step.now, settings.rollbackTimeout) } as const;
  const next: RollingOutUpdate = { ...active, status: "rolling-out", patchedAt: step.now, progress };
  return advance(record, step, { active: next, updates: updatesOf(record) + 1 }, [
    { seq: active.seq, what: "patched", reasons: [], changes: active.changes },
  ]);
}

function updatesOf({ updates = 0 }: WorkloadRecord): number {
  return updates;
}

function rollbackLanded(
  record: WorkloadRecord,
  active: RollingBackUpdate,
  settings: WorkloadSettings,
  step: Step,
): WorkloadRecord {
  const rollback = { kind: "patched", at: step.now, deadlineAt: plus(step.now, settings.rollbackTimeout) } as const;
  return advance(record, step, { active: { ...active, rollback } }, [
    { seq: active.seq, what: "rolling-back", reasons: [], changes: active.changes },
  ]);
}

/** Returns the version with the intent, or undefined if the intent is already stored. */
function intentOf(
  record: WorkloadRecord,
  active: UnpatchedUpdate,
  restart: Restart | undefined,
  step: Step,
): Intent | undefined {
  if (active.status === "patching" && deepEqual(active.restart, restart)) return undefined;
  const next: PatchingUpdate = { ...active, status: "patching", ...(restart === undefined ? {} : { restart }) };
  const what = { seq: active.seq, what: "patching", reasons: [], changes: active.changes } as const;
  return { ...advance(record, step, { active: next }, [what]), active: next };
}

function settingsChanged(
  record: WorkloadRecord,
  active: UnpatchedUpdate,
  live: LiveWorkload,
  step: Step,
): WorkloadRecord {
  const observed = { ...record.observed, ...observedFrom(live, undefined, record.observed, step.now) };
  return backToHeld({ ...record, observed, needsEvaluation: true }, active, [{ reason: "settings-changed" }], step);
}

/**
 * Returns whether the object still has the inputs that the gates judged: settings, signs of a
 * declared source, image owners, pause and placement.
 */
function hasSameGateInputs(observed: Observed, active: ActiveUpdate, live: LiveWorkload): boolean {
  // The instant is not compared.
  const seen = observedFrom(live, undefined, observed, active.selectedAt);
  const judged = ({ annotations, sourceMarks, containers, paused, placement }: Observed): unknown => [
    annotations,
    sourceMarks,
    paused,
    placement,
    active.changes.map((change) => containers.find(({ name }) => name === change.name)?.imageOwner),
  ];
  return deepEqual(judged(observed), judged(seen));
}

/**
 * Returns whether the object has its last observed images and its last observed controller. If
 * Lookout wrote a new update label beside other images, the label would hide a user's revert.
 */
function showsKnownImages(record: WorkloadRecord, active: ActiveUpdate, live: LiveWorkload): boolean {
  return (
    active.changes.every((change) => imageOf(live, change) === change.from) &&
    showsImagesOf(record.observed, live) &&
    live.controller === record.observed.controller
  );
}

/**
 * Returns the restart of an update. The text of a stored intent stays, so that Lookout recognizes
 * its patch.
 */
function restartOf(active: UnpatchedUpdate, live: LiveWorkload, step: Step): Restart | undefined {
  if (active.changes.every(({ apply }) => apply !== "restart")) return undefined;
  const from = live.restartedAt === undefined ? {} : { from: live.restartedAt };
  return { ...from, to: (active.status === "patching" ? active.restart?.to : undefined) ?? toIso(step.now) };
}

function backwards({ changes }: RollingBackUpdate): readonly ImageChange[] {
  return changes.map((change) => ({ ...change, from: change.to, to: change.from }));
}

/** The values that a patch writes beside the images. */
interface WrittenValues {
  readonly updateLabel: string;
  /**
   * The new value of `restartedAt`. Undefined if the patch restores a pod template without a
   * restart.
   */
  readonly restartedAt: string | undefined;
  readonly settings: WorkloadSettings;
  readonly updateCount: number;
  readonly now: EpochMs;
}

function patchFrom(
  record: WorkloadRecord,
  changes: readonly ImageChange[],
  live: LiveWorkload,
  written: WrittenValues,
): WorkloadPatch {
  const images = changes.flatMap((change) => {
    const container = live.containers.find(({ list, name }) => list === change.list && name === change.name);
    return container === undefined || change.from === change.to
      ? []
      : [{ list: change.list, name: change.name, index: container.index, from: change.from, to: change.to }];
  });
  const restarts = changes.some(({ apply }) => apply === "restart");
  return {
    workload: record.workload,
    uid: live.uid,
    generation: live.generation,
    existingMaps: live.existingMaps,
    images,
    ...(restarts ? { restart: { from: live.restartedAt, to: written.restartedAt } } : {}),
    updateLabel: { from: live.labels[updateLabelKey], to: written.updateLabel },
    unchangedAnnotations: Object.fromEntries(guardedKeys(record).map((key) => [key, live.annotations[key]])),
    annotations: statusAnnotations({ ...written, live, changes }),
  };
}

/**
 * Returns the refusal of a patch that would change a repository. A forged record could name another
 * repository. Returns undefined if no repository changes. The registry's own host may replace an
 * alias.
 */
function otherRepository({ images }: WorkloadPatch, live: LiveWorkload): PatchPlan | undefined {
  const other = images.find(({ list, name, from, to }) => {
    const registry = live.containers.find((one) => one.list === list && one.name === name)?.registry;
    const own = registry === undefined ? {} : { registry };
    const allowed = [{ image: from }, { image: from, ...own }].map(repositoryNamedBy);
    const written = repositoryNamedBy({ image: to });
    return written === undefined || !allowed.includes(written);
  });
  return other && { kind: "other-repository", detail: `${other.name}: ${other.from} to ${other.to}` };
}

function repositoryNamedBy(container: Pick<ContainerState, "image" | "registry">): string | undefined {
  const named = repositoryOf(container);
  return named && imageNameOf(named);
}

/** Returns the keys of the observed annotations, and of the annotation that suspends updates. */
function guardedKeys(record: WorkloadRecord): readonly string[] {
  return [...Object.keys(record.observed.annotations), `${annotationPrefix}suspend`];
}
