import { holdAfter, imageOf, movedOff, observedFrom, showsWhatWasReplaced } from "./observation.ts";
import type { WorkloadPatch } from "./patch.ts";
import type { Reason } from "./reasons.ts";
import { advance, endingOf, endUpdate, type Step } from "./record.ts";
import { sameSettings } from "./gate.ts";
import { annotationPrefix, type WorkloadSettings } from "./settings.ts";
import { plus, toIso } from "./time.ts";
import type {
  ActiveUpdate,
  ClosedGate,
  ContainerState,
  Ending,
  ImageChange,
  PendingUpdate,
  WorkloadRecord,
} from "./update.ts";
import { fenceLabel, fenceOf, type LiveWorkload } from "./workload.ts";

/** What a read of the object calls for, while an update is on its way to the cluster or back. */
export type PatchPlan =
  /** Store `intent` if there is one, make sure that it still stands, then send the patch. */
  | { readonly kind: "write"; readonly patch: WorkloadPatch; readonly intent?: WorkloadRecord }
  /** The object settles it: store this version. */
  | { readonly kind: "settled"; readonly record: WorkloadRecord };

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
 * took it back. Without it only an object that still shows what Lookout last knew is patched; any other image is someone's wish.
 */
export function planForward(inputs: PlanInputs): PatchPlan {
  const { record, active, live, installation, settings, step } = inputs;
  const settled = (next: WorkloadRecord): PatchPlan => ({ kind: "settled", record: next });
  if (live.uid !== record.uid)
    return settled(end(record, active, live, "superseded", { reason: "workload-gone" }, step));
  const fence = fenceOf(installation, active.seq, "forward");
  const ours = live.labels[fenceLabel] === fence;
  if (ours && showsWhatIsWanted(active, live)) return settled(landed(record, active, settings, step));
  if (ours && showsWhatWasReplaced(active, live)) return settled(takenBack(record, active, live, step));
  if (ours) return settled(movedAway(record, active, live, step));
  if (!showsWhatIsKnown(record, active, live))
    return settled(end(record, active, live, "superseded", foreignImage(active, live), step));
  if (!sameSettings(record.observed, live.annotations)) return settled(settingsChanged(record, active, live, step));
  const restart = restartOf(active, live, step);
  const intent = intentOf(record, active, restart, step);
  return {
    kind: "write",
    patch: patchFrom(record, active, live, { to: fence, restart: restart?.to, step }),
    ...(intent === undefined ? {} : { intent }),
  };
}

/**
 * Decides what a read of the object calls for on the way back.
 *
 * Only an object that still carries our label and our images is patched; whatever else stands there is a person's wish and stays.
 */
export function planBack(inputs: PlanInputs): PatchPlan {
  const { record, active, live, installation, settings, step } = inputs;
  const settled = (next: WorkloadRecord): PatchPlan => ({ kind: "settled", record: next });
  if (live.uid !== record.uid)
    return settled(end(record, active, live, "superseded", { reason: "workload-gone" }, step));
  const back = fenceOf(installation, active.seq, "back");
  const label = live.labels[fenceLabel];
  const shown = showsWhatWasReplaced(active, live);
  if (shown && label === back) return settled(putBack(record, active, settings, step));
  if (shown)
    return settled(
      end(record, active, live, "rolled-back", { ...whyFailed(active), detail: "a person took it back first" }, step),
    );
  if (label !== fenceOf(installation, active.seq, "forward") || !showsWhatIsWanted(active, live))
    return settled(end(record, active, live, "superseded", foreignImage(active, live), step));
  return {
    kind: "write",
    patch: patchFrom(record, backwards(active), live, { to: back, restart: active.restart?.from, step }),
  };
}

/** Decides what becomes of a released or unsent update when a gate closed or the cluster is away: it is held again. */
export function holdAgain(
  record: WorkloadRecord,
  active: ActiveUpdate,
  waits: readonly ClosedGate[],
  step: Step,
): WorkloadRecord {
  const { seq, changes, detectedAt, source, electedAt, setbacks } = active;
  const wish = { seq, changes, detectedAt, source, electedAt, ...(setbacks === undefined ? {} : { setbacks }) };
  if (record.pending !== undefined) return joinNewer(record, active, record.pending, step);
  const pending: PendingUpdate = { ...wish, status: "held", waits };
  return advance(record, step, { active: undefined, pending }, [{ seq, what: "held", reasons: waits, changes }]);
}

/** A newer wish waits already: it takes over the containers that it does not name itself. */
function joinNewer(record: WorkloadRecord, active: ActiveUpdate, newer: PendingUpdate, step: Step): WorkloadRecord {
  const ended = endUpdate(active, "superseded", step.now, {
    reason: "superseded-by-a-newer-push",
    detail: `update ${newer.seq}`,
  });
  const others = active.changes.filter(({ name }) => newer.changes.every((change) => change.name !== name));
  const pending = { ...newer, changes: [...others, ...newer.changes] };
  return advance(record, step, { active: undefined, pending, last: ended }, [endingOf(ended)]);
}

/** Ends the active update, and takes what the object shows now for what is; a newer wish is set upon that. */
export function end(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  status: Ending,
  why: { readonly reason?: Reason; readonly detail?: string },
  step: Step,
): WorkloadRecord {
  const ended = endUpdate(active, status, step.now, why);
  const observed = observedAfter(record, active, live, status);
  const pending = record.pending === undefined ? undefined : rebase(record.pending, observed);
  const asked = status === "succeeded" || status === "rolled-back";
  return advance(
    record,
    step,
    { active: undefined, last: ended, observed, pending, ...(asked ? {} : { toAsk: true }) },
    [endingOf(ended)],
  );
}

/** Ends the active update when its object is gone or could not be read, so that nothing is known of what it shows. */
export function endWithoutObject(
  record: WorkloadRecord,
  active: ActiveUpdate,
  status: Ending,
  why: { readonly reason: Reason; readonly detail?: string },
  step: Step,
): WorkloadRecord {
  const ended = endUpdate(active, status, step.now, why);
  return advance(record, step, { active: undefined, last: ended }, [endingOf(ended)]);
}

function rebase(pending: PendingUpdate, observed: WorkloadRecord["observed"]): PendingUpdate {
  const changes = pending.changes.map((change): ImageChange => {
    const container = observed.containers.find(({ name }) => name === change.name);
    if (container === undefined) return change;
    const { fromDigest, ...rest } = change;
    return {
      ...rest,
      from: container.image,
      ...(container.digest === undefined ? {} : { fromDigest: container.digest }),
    };
  });
  return { ...pending, changes };
}

/** Records that someone put another image in the place of what Lookout had written: that one stays, and ours is not put there again. */
export function movedAway(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  step: Step,
): WorkloadRecord {
  const refusals = movedOff(record, active, live, step);
  return end({ ...record, refusals }, active, live, "superseded", foreignImage(active, live), step);
}

/** Says whether the object shows the images and the restart that an update wants. */
export function showsWhatIsWanted(active: ActiveUpdate, live: LiveWorkload): boolean {
  const images = active.changes.every((change) => imageOf(live, change) === change.to);
  return images && (active.restart === undefined || live.restartedAt === active.restart.to);
}

/** Records that a person took an update back: no update of the workload goes on before the hold is lifted. */
export function takenBack(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  step: Step,
): WorkloadRecord {
  const hold = holdAfter(active.seq, live, step);
  const ended = endUpdate(active, "taken-back", step.now, { reason: hold.reason, detail: hold.detail });
  const observed = observedFrom(live, undefined, record.observed);
  return advance(record, step, { active: undefined, last: ended, hold, observed, toAsk: true }, [endingOf(ended)]);
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
  const same = JSON.stringify(active.restart) === JSON.stringify(restart);
  if (active.status === "rolling-out" && same) return undefined;
  const next: ActiveUpdate = { ...active, status: "rolling-out", ...(restart === undefined ? {} : { restart }) };
  return advance(record, step, { active: next }, [
    { seq: active.seq, what: "intended", reasons: [], changes: active.changes },
  ]);
}

function settingsChanged(record: WorkloadRecord, active: ActiveUpdate, live: LiveWorkload, step: Step): WorkloadRecord {
  const observed = { ...record.observed, ...observedFrom(live, undefined, record.observed) };
  return holdAgain({ ...record, observed, toAsk: true }, active, [{ reason: "settings-changed" }], step);
}

function showsWhatIsKnown(record: WorkloadRecord, active: ActiveUpdate, live: LiveWorkload): boolean {
  return (
    active.changes.every((change) => imageOf(live, change) === change.from) &&
    live.controller === record.observed.controller
  );
}

function foreignImage(active: ActiveUpdate, live: LiveWorkload): { readonly reason: Reason; readonly detail: string } {
  const runs = active.changes.every((change) => imageOf(live, change) === change.to);
  const images = active.changes
    .map((change) => `${change.name}: ${imageOf(live, change) ?? "no such container"}`)
    .join(", ");
  return { reason: runs ? "already-runs" : "changed-by-hand", detail: images };
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
    fence: { from: live.labels[fenceLabel], to: write.to },
    unchangedAnnotations: Object.fromEntries(guardedKeys(record).map((key) => [key, live.annotations[key]])),
    annotations: { [`${annotationPrefix}status.last-update`]: toIso(write.step.now) },
  };
}

/** The keys that the decision rested on, and the one whose sudden appearance must stop it. */
function guardedKeys(record: WorkloadRecord): readonly string[] {
  return [...new Set([...Object.keys(record.observed.annotations), `${annotationPrefix}suspend`])].sort();
}

/** After our own write the digests are known; after anyone else's they are to be asked for. */
function observedAfter(
  record: WorkloadRecord,
  active: ActiveUpdate,
  live: LiveWorkload,
  status: Ending,
): WorkloadRecord["observed"] {
  const observed = observedFrom(live, undefined, record.observed);
  if (status !== "succeeded") return observed;
  const containers = observed.containers.map((container): ContainerState => {
    const change = active.changes.find(({ list, name }) => list === container.list && name === container.name);
    return change === undefined ? container : { ...container, digest: change.digest, baseline: change.digest };
  });
  return { ...observed, containers };
}
