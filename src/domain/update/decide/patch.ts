import { attributeLabelsFor, labelChange } from "./attribute-labels.ts";
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
  restoredImage,
  showsPreviousImages,
  showsRestoredImages,
  wasSetByOthers,
} from "./observed-changes.ts";
import { imageNameOf } from "../../image/reference.ts";
import type { WorkloadPatch } from "../../workload/patch.ts";
import { type Decision, waitingOf } from "../state/changes.ts";
import { deepEqual } from "../../shared/deep-equal.ts";
import { annotationsRaiseGeneration } from "../../workload/kinds.ts";
import { isEnabled, type WorkloadSettings } from "../../settings/settings.ts";
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
import type { ImageChange, LabelChange } from "../../workload/patch.ts";
import type { ContainerState, Observed } from "../../workload/observed.ts";
import { repositoryOf } from "./desired-image.ts";
import { untracked } from "./observe.ts";
import { isNumberTaken } from "./unknown-update.ts";
import { statusAnnotations } from "./status-annotations.ts";
import { updateLabelKey, updateLabelOf, imageOf, type LiveWorkload } from "../../workload/workload.ts";

/** The next step of an update or a rollback, decided from a read of the object. */
export type PatchPlan =
  | { readonly kind: "patch"; readonly patch: WorkloadPatch }
  | Decided
  /** The stored update names a repository other than the image's, so no patch is sent. */
  | { readonly kind: "other-repository"; readonly detail: string };

/** No patch is needed. */
interface Decided {
  readonly kind: "decided";
  readonly decision: Decision;
}

/**
 * The plan of an update. The run stores the `intent` before it sends the patch. `isStored`: an
 * earlier version has the same intent.
 */
export type ForwardPlan =
  | Exclude<PatchPlan, { readonly kind: "patch" }>
  /** The settings changed since the gates were asked. The decision holds the update, or ends it. */
  | { readonly kind: "settings-changed"; readonly decision: Decision }
  | {
      readonly kind: "patch";
      readonly patch: WorkloadPatch;
      readonly intent: Decision & { readonly changes: { readonly active: PatchingUpdate } };
      readonly isStored: boolean;
    };

/** The record, its active update, and one read of the object. */
export interface PlanInputs<Active extends ActiveUpdate> {
  readonly record: WorkloadRecord;
  readonly active: Active;
  readonly live: LiveWorkload;
  readonly installation: string;
  readonly settings: WorkloadSettings;
  readonly now: EpochMs;
}

/**
 * Decides the next step of an update from a read of the object.
 *
 * Lookout's label with the desired images proves that the patch landed. Lookout's label with the
 * previous images proves that a user reverted it. A later label proves that the record is older than
 * the object, so the update ends, and the next one has a number of its own. Without this label,
 * Lookout patches the object only if the object has not changed since the last observation.
 */
export function planForward(inputs: PlanInputs<UnpatchedUpdate>): ForwardPlan {
  const { record, active, live, installation, settings, now } = inputs;
  if (live.uid !== record.uid) return decided(endObjectReplaced(record, active, live, now));
  const updateLabel = updateLabelOf(installation, active.seq, "forward");
  const change = { live, installation, appliers: settings.appliers };
  if (isNumberTaken(active, live, installation)) return decided(endChangedBefore(record, active, change, now));
  const ours = live.labels[updateLabelKey] === updateLabel;
  if (ours) return decided(afterPatch(inputs));
  // The object itself must be enabled, whatever the record says.
  if (!isEnabled(live.annotations))
    return { kind: "settings-changed", decision: untracked(record, now, "not-tracked") };
  if (!showsKnownImages(record, active, live)) return decided(endChangedBefore(record, active, change, now));
  if (!hasSameGateInputs(record.observed, active, live))
    return { kind: "settings-changed", decision: settingsChanged(record, active, live, now) };
  const restart = restartOf(active, live, now);
  const attributeLabels = labelChange(live, attributeLabelsFor(live, active.changes, settings));
  const next = patchingOf(active, restart, attributeLabels);
  const isStored = active.status === "patching" && deepEqual(active, next);
  const updateCount = updatesOf(record) + 1;
  const written = { updateLabel, restartedAt: restart?.to, attributeLabels, settings, updateCount, now };
  const patch = { ...patchFrom(record, active.changes, live, written), ...unchangedAnnotations(live) };
  return otherRepository(patch, live) ?? { kind: "patch", patch, intent: intentOf(next, isStored), isStored };
}

/** Decides about an update whose patch landed, and may have been replaced since. */
function afterPatch({ record, active, live, settings, now }: PlanInputs<UnpatchedUpdate>): Decision {
  if (showsDesiredImages(active, live)) return patchLanded(record, active, settings, now);
  const restored = appliedAgain(record, active, live, { isDoubtful: true, appliers: settings.appliers }, now);
  if (restored !== undefined) return endAppliedAgain(record, active, live, restored, now);
  if (showsPreviousImages(active, live)) return endReverted(record, active, live, now);
  return endReplacedByUser(record, active, live, now);
}

/**
 * Decides the next step of a rollback from a read of the object.
 *
 * Lookout patches only an object with Lookout's label and images. Any other image is a user's, and
 * stays.
 */
export function planBack(inputs: PlanInputs<RollingBackUpdate>): PatchPlan {
  const { record, active, live, installation, settings, now } = inputs;
  if (live.uid !== record.uid) return decided(endObjectReplaced(record, active, live, now));
  const back = updateLabelOf(installation, active.seq, "back");
  const label = live.labels[updateLabelKey];
  const shown = showsRestoredImages(active, live);
  if (shown && label === back) return decided(rollbackLanded(active, settings, now));
  if (shown) {
    const why = { reason: active.failure.reason, detail: "a user reverted the update first" };
    return decided(end(record, active, live, failed(active, "rolled-back", why, now), now));
  }
  const ours = label === updateLabelOf(installation, active.seq, "forward") && !wasSetByOthers(active, live);
  if (!ours || !showsDesiredImages(active, live)) return decided(endReplacedByUser(record, active, live, now));
  const restartedAt = active.restart?.from;
  const attributeLabels = labelChange(live, labelsBefore(active, live, settings));
  const written = { updateLabel: back, restartedAt, attributeLabels, settings, updateCount: updatesOf(record), now };
  const patch = patchFrom(record, backwards(active), live, written);
  return otherRepository(patch, live) ?? { kind: "patch", patch };
}

function decided(decision: Decision): Decided {
  return { kind: "decided", decision };
}

function patchLanded(
  record: WorkloadRecord,
  active: UnpatchedUpdate,
  settings: WorkloadSettings,
  now: EpochMs,
): Decision {
  const progress = { kind: "progressing", deadlineAt: plus(now, settings.rollbackTimeout) } as const;
  const next: RollingOutUpdate = { ...active, status: "rolling-out", patchedAt: now, progress };
  return {
    changes: { active: next, updates: updatesOf(record) + 1 },
    transitions: [{ seq: active.seq, what: "patched", reasons: [], changes: active.changes }],
  };
}

function updatesOf({ updates = 0 }: WorkloadRecord): number {
  return updates;
}

function rollbackLanded(active: RollingBackUpdate, settings: WorkloadSettings, now: EpochMs): Decision {
  const rollback = { kind: "patched", at: now, deadlineAt: plus(now, settings.rollbackTimeout) } as const;
  return {
    changes: { active: { ...active, rollback } },
    transitions: [{ seq: active.seq, what: "rolling-back", reasons: [], changes: active.changes }],
  };
}

/** Returns the update whose intent a run stores before its patch. */
function patchingOf(
  active: UnpatchedUpdate,
  restart: Restart | undefined,
  attributeLabels: LabelChange | undefined,
): PatchingUpdate {
  const { attributeLabels: _, ...rest } = { attributeLabels: undefined, ...active };
  return {
    ...rest,
    status: "patching",
    ...(restart === undefined ? {} : { restart }),
    ...(attributeLabels === undefined ? {} : { attributeLabels }),
  };
}

/** Decides what a run stores before its patch. */
function intentOf(next: PatchingUpdate, isStored: boolean): Extract<ForwardPlan, { readonly kind: "patch" }>["intent"] {
  const { seq, changes } = next;
  const prepared = { seq, what: "patching", reasons: [], changes } as const;
  return { changes: { active: next }, transitions: [isStored ? waitingOf(next) : prepared] };
}

/**
 * Returns the pods' labels that a rollback writes: those from before the update, or those of the images
 * that `rollback-to` names.
 */
function labelsBefore(
  active: RollingBackUpdate,
  live: LiveWorkload,
  settings: WorkloadSettings,
): Readonly<Record<string, string>> {
  if (active.changes.every(({ back }) => back === undefined))
    return active.attributeLabels?.from ?? live.attributeLabels ?? {};
  const restored = backwards(active).map(({ back, fromDigest, digest: _, ...change }) => {
    const digest = back === undefined ? fromDigest : back.digest;
    return { ...change, ...(digest === undefined ? {} : { digest }) };
  });
  return attributeLabelsFor(live, restored, settings);
}

function settingsChanged(record: WorkloadRecord, active: UnpatchedUpdate, live: LiveWorkload, now: EpochMs): Decision {
  const observed = { ...record.observed, ...observedFrom(live, undefined, record.observed, now) };
  const seen = { observed, needsEvaluation: true } as const;
  const held = backToHeld({ ...record, observed }, active, [{ reason: "settings-changed" }], now);
  return { ...held, changes: { ...seen, ...held.changes } };
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
function restartOf(active: UnpatchedUpdate, live: LiveWorkload, now: EpochMs): Restart | undefined {
  if (active.changes.every(({ apply }) => apply !== "restart")) return undefined;
  const from = live.restartedAt === undefined ? {} : { from: live.restartedAt };
  return { ...from, to: (active.status === "patching" ? active.restart?.to : undefined) ?? toIso(now) };
}

function backwards({ changes }: RollingBackUpdate): readonly ImageChange[] {
  return changes.map((change) => ({ ...change, from: change.to, to: restoredImage(change) }));
}

/** The values that a patch writes beside the images. */
interface WrittenValues {
  readonly updateLabel: string;
  /**
   * The new value of `restartedAt`. Undefined if the patch restores a pod template without a
   * restart.
   */
  readonly restartedAt: string | undefined;
  readonly attributeLabels: LabelChange | undefined;
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
      : [
          {
            list: change.list,
            name: change.name,
            index: container.index,
            from: change.from,
            ...(container.isUnset && ({ isFirst: true } as const)),
            to: change.to,
          },
        ];
  });
  const restarts = changes.some(({ apply }) => apply === "restart");
  return {
    workload: record.workload,
    uid: live.uid,
    generation: live.generation,
    existingMaps: live.existingMaps,
    images,
    ...(restarts ? { restart: { from: live.restartedAt, to: written.restartedAt } } : {}),
    ...(written.attributeLabels && { attributeLabels: written.attributeLabels }),
    updateLabel: { from: live.labels[updateLabelKey], to: written.updateLabel },
    annotations: statusAnnotations({ ...written, live, changes }),
  };
}

/**
 * Returns the refusal of a patch that would change a repository. A forged record could name another
 * repository. Returns undefined if no repository changes. The registry's own host may replace an
 * alias.
 */
function otherRepository(
  { images }: WorkloadPatch,
  live: LiveWorkload,
): Extract<PatchPlan, { readonly kind: "other-repository" }> | undefined {
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

/**
 * Returns the annotations that a patch tests. Any annotation may close a gate, even one that the object
 * does not have yet, so all are tested as a whole. A rollback asks no gate, so it tests none.
 */
function unchangedAnnotations({
  workload,
  annotations,
  declared = [],
}: LiveWorkload): Pick<WorkloadPatch, "unchangedAnnotations"> {
  if (annotationsRaiseGeneration(workload.kind)) return {};
  const own = Object.entries(annotations).filter(([key]) => !declared.includes(key));
  return { unchangedAnnotations: Object.fromEntries(own) };
}
