import { changedBefore, end, holdAgain, movedAway, objectReplaced, takenBack } from "./ending.ts";
import { observedFrom, showsImagesOf, showsWhatWasReplaced, wasSetByOthers } from "./observed-changes.ts";
import { repositoryKey } from "../image/reference.ts";
import type { WorkloadPatch } from "../workload/patch.ts";
import type { Reason } from "../shared/reasons.ts";
import { advance, type Step } from "./record.ts";
import { deepEqual } from "../shared/deep-equal.ts";
import { annotationPrefix, type WorkloadSettings } from "../settings/settings.ts";
import { plus, toIso } from "../shared/time.ts";
import type { ActiveUpdate, WorkloadRecord } from "./states.ts";
import type { ImageChange } from "../workload/patch.ts";
import type { ContainerState, Observed } from "../workload/observed.ts";
import { repositoryOf } from "./desired-image.ts";
import { updateLabelKey, updateLabelOf, imageOf, type LiveWorkload } from "../workload/workload.ts";

/** What a read of the object calls for, while an update is on its way to the cluster or back. */
export type PatchPlan =
  /** Store `intent` if there is one, make sure that it still stands, then send the patch. */
  | { readonly kind: "write"; readonly patch: WorkloadPatch; readonly intent?: WorkloadRecord }
  /** The object settles it: store this version. */
  | { readonly kind: "settled"; readonly record: WorkloadRecord }
  /** The stored update names an image of another repository than the one that it replaces: nothing is sent. */
  | { readonly kind: "other-repository"; readonly detail: string };

/** What a plan is made from: the record, its active update, and one read of the object. */
export interface PlanInputs {
  readonly record: WorkloadRecord;
  readonly active: ActiveUpdate;
  readonly live: LiveWorkload;
  readonly installation: string;
  readonly settings: WorkloadSettings;
  readonly step: Step;
}

/**
 * Decides what a read of the object calls for on the way forward.
 *
 * The label is the evidence: ours with the wanted images means that the patch landed; ours with what was replaced means that a person
 * reverted it. Without it only an object that still shows what Lookout last knew is patched; any other image is a user's choice.
 */
export function planForward(inputs: PlanInputs): PatchPlan {
  const { record, active, live, installation, settings, step } = inputs;
  const settled = (next: WorkloadRecord): PatchPlan => ({ kind: "settled", record: next });
  if (live.uid !== record.uid) return settled(objectReplaced(record, active, live, step));
  const updateLabel = updateLabelOf(installation, active.seq, "forward");
  const ours = live.labels[updateLabelKey] === updateLabel;
  if (ours && showsWhatIsWanted(active, live)) return settled(landed(record, active, settings, step));
  if (ours && showsWhatWasReplaced(active, live)) return settled(takenBack(record, active, live, step));
  if (ours) return settled(movedAway(record, active, live, step));
  if (!showsWhatIsKnown(record, active, live)) return settled(changedBefore(record, active, live, installation, step));
  if (!sameCircumstances(record.observed, active, live)) return settled(settingsChanged(record, active, live, step));
  const restart = restartOf(active, live, step);
  const intent = intentOf(record, active, restart, step);
  const patch = patchFrom(record, active, live, { to: updateLabel, restart: restart?.to, step });
  return otherRepository(patch, live) ?? { kind: "write", patch, ...(intent === undefined ? {} : { intent }) };
}

/**
 * Decides what a read of the object calls for on the way back.
 *
 * Only an object that still carries our label and the images that we wrote is patched; whatever else stands there is a user's choice and
 * stays.
 */
export function planBack(inputs: PlanInputs): PatchPlan {
  const { record, active, live, installation, settings, step } = inputs;
  const settled = (next: WorkloadRecord): PatchPlan => ({ kind: "settled", record: next });
  if (live.uid !== record.uid) return settled(objectReplaced(record, active, live, step));
  const back = updateLabelOf(installation, active.seq, "back");
  const label = live.labels[updateLabelKey];
  const shown = showsWhatWasReplaced(active, live);
  if (shown && label === back) return settled(putBack(record, active, settings, step));
  if (shown)
    return settled(
      end(record, active, live, "rolled-back", { ...whyFailed(active), detail: "a user reverted it first" }, step),
    );
  const ours = label === updateLabelOf(installation, active.seq, "forward") && !wasSetByOthers(active, live);
  if (!ours || !showsWhatIsWanted(active, live)) return settled(movedAway(record, active, live, step));
  const patch = patchFrom(record, backwards(active), live, { to: back, restart: active.restart?.from, step });
  return otherRepository(patch, live) ?? { kind: "write", patch };
}

/** Says whether nothing of an update is known to have reached the cluster. */
export function isUnsent(active: ActiveUpdate): boolean {
  return active.patchedAt === undefined;
}

/** Says whether the object shows the images and the restart that an update wants. */
export function showsWhatIsWanted(active: ActiveUpdate, live: LiveWorkload): boolean {
  const images = active.changes.every((change) => imageOf(live, change) === change.to);
  return images && (active.restart === undefined || live.restartedAt === active.restart.to);
}

function landed(record: WorkloadRecord, active: ActiveUpdate, settings: WorkloadSettings, step: Step): WorkloadRecord {
  const next: ActiveUpdate = { ...active, patchedAt: step.now, deadlineAt: plus(step.now, settings.rollbackTimeout) };
  return advance(record, step, { active: next }, [
    { seq: active.seq, what: "patched", reasons: [], changes: active.changes },
  ]);
}

function putBack(record: WorkloadRecord, active: ActiveUpdate, settings: WorkloadSettings, step: Step): WorkloadRecord {
  const { standingStill, ...rest } = active;
  const next: ActiveUpdate = { ...rest, backAt: step.now, deadlineAt: plus(step.now, settings.rollbackTimeout) };
  return advance(record, step, { active: next }, [
    { seq: active.seq, what: "put-back", reasons: [], changes: active.changes },
  ]);
}

/** Stores what the patch replaces before it is sent; undefined when it is stored already. */
function intentOf(
  record: WorkloadRecord,
  active: ActiveUpdate,
  restart: ActiveUpdate["restart"],
  step: Step,
): WorkloadRecord | undefined {
  if (active.status === "rolling-out" && deepEqual(active.restart, restart)) return undefined;
  const next: ActiveUpdate = { ...active, status: "rolling-out", ...(restart === undefined ? {} : { restart }) };
  return advance(record, step, { active: next }, [
    { seq: active.seq, what: "patching", reasons: [], changes: active.changes },
  ]);
}

function settingsChanged(record: WorkloadRecord, active: ActiveUpdate, live: LiveWorkload, step: Step): WorkloadRecord {
  const observed = { ...record.observed, ...observedFrom(live, undefined, record.observed, step.now) };
  return holdAgain({ ...record, observed, needsEvaluation: true }, active, [{ reason: "settings-changed" }], step);
}

/** Says whether everything that the gates judge stands on the object as it was judged: settings, marks of a source, owners of the images. */
function sameCircumstances(observed: Observed, active: ActiveUpdate, live: LiveWorkload): boolean {
  const seen = observedFrom(live, undefined, observed, active.selectedAt);
  const judged = ({ annotations, sourceMarks, containers }: Observed): unknown => [
    annotations,
    sourceMarks,
    active.changes.map((change) => containers.find(({ name }) => name === change.name)?.imageOwner),
  ];
  return deepEqual(judged(observed), judged(seen));
}

/** The containers beside those of the update count as well: once our new label is there, nobody can tell that a person took back the last one. */
function showsWhatIsKnown(record: WorkloadRecord, active: ActiveUpdate, live: LiveWorkload): boolean {
  return (
    active.changes.every((change) => imageOf(live, change) === change.from) &&
    showsImagesOf(record.observed, live) &&
    live.controller === record.observed.controller
  );
}

function whyFailed(active: ActiveUpdate): { readonly reason?: Reason } {
  return active.failure === undefined ? {} : { reason: active.failure.reason };
}

/** One restart for all changes that need one; the text of a stored intent stays, so that the patch can be recognised. */
function restartOf(active: ActiveUpdate, live: LiveWorkload, step: Step): ActiveUpdate["restart"] {
  if (active.changes.every(({ apply }) => apply !== "restart")) return undefined;
  const from = live.restartedAt === undefined ? {} : { from: live.restartedAt };
  return { ...from, to: active.restart?.to ?? toIso(step.now) };
}

function backwards(active: ActiveUpdate): ActiveUpdate {
  return {
    ...active,
    changes: active.changes.map((change): ImageChange => ({ ...change, from: change.to, to: change.from })),
  };
}

function patchFrom(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  write: { readonly to: string; readonly restart: string | undefined; readonly step: Step },
): WorkloadPatch {
  const images = active.changes.flatMap((change) => {
    const container = live.containers.find(({ list, name }) => list === change.list && name === change.name);
    return container === undefined || change.from === change.to
      ? []
      : [{ list: change.list, name: change.name, index: container.index, from: change.from, to: change.to }];
  });
  const restarts = active.changes.some(({ apply }) => apply === "restart");
  return {
    workload: record.workload,
    uid: live.uid,
    generation: live.generation,
    maps: live.maps,
    images,
    ...(restarts ? { restart: { from: live.restartedAt, to: write.restart } } : {}),
    updateLabel: { from: live.labels[updateLabelKey], to: write.to },
    unchangedAnnotations: Object.fromEntries(guardedKeys(record).map((key) => [key, live.annotations[key]])),
    annotations: { [`${annotationPrefix}status.last-update`]: toIso(write.step.now) },
  };
}

/** Whatever is stored, a patch changes a tag or a digest and never the repository. The registry's own host may replace its alias. */
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
  return named && repositoryKey(named);
}

/** The keys that the decision rested on, and the one whose sudden appearance must stop it. */
function guardedKeys(record: WorkloadRecord): readonly string[] {
  return [...Object.keys(record.observed.annotations), `${annotationPrefix}suspend`];
}
