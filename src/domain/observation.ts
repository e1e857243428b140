import type { RunningImages } from "./health.ts";
import { parseImageReference } from "./image-reference.ts";
import { sourceMarks } from "./declared-source.ts";
import type { Reason } from "./reasons.ts";
import { advance, endingOf, endUpdate, squash, type Step } from "./record.ts";
import { isEnabled, settingAnnotations } from "./settings.ts";
import type {
  ActiveUpdate,
  ContainerState,
  EndedUpdate,
  Happening,
  Hold,
  ImageChange,
  Observed,
  Refusal,
  WorkloadRecord,
} from "./update.ts";
import { fenceLabel, fenceOf, type LiveWorkload } from "./workload.ts";
import { same } from "./same.ts";
import { toIso } from "./time.ts";
import { refusalOf } from "./wish.ts";

/** What a look at a workload's object needs beside the object. */
export interface ObservationInputs {
  readonly live: LiveWorkload;
  /** What its pods report; undefined where nobody asked them. */
  readonly running: RunningImages | undefined;
  readonly installation: string;
}

/**
 * Decides what a look at the object changes in its record; undefined: nothing.
 *
 * An update that is on its way is judged by its own stage, so an image that differs says nothing while one is active. Otherwise an
 * image that Lookout did not write is adopted, unless it is exactly what the update that landed last replaced and our label is still on
 * the object: then a person took that update back, and all updates of the workload are held.
 */
export function observe(
  record: WorkloadRecord | undefined,
  inputs: ObservationInputs,
  step: Step,
): WorkloadRecord | undefined {
  if (!isEnabled(inputs.live.annotations)) return record && untrack(record, step, "takes-no-part");
  if (record === undefined) return firstSight(inputs, step);
  if (record.uid !== inputs.live.uid) return seenAnew(record, inputs, step);
  if (record.tracked) return seenAgain(record, inputs, step);
  // What people did to the object while it took no part counts as well.
  const back = advance(record, step, { tracked: true, toAsk: true }, [workloadHappening("tracked")]);
  return squash(back, seenAgain(back, inputs, step));
}

/** Decides what becomes of a record whose object is gone, or no longer takes part; undefined: it is so already. */
export function untrack(
  record: WorkloadRecord,
  step: Step,
  reason: Extract<Reason, "workload-gone" | "takes-no-part"> = "workload-gone",
): WorkloadRecord | undefined {
  if (!record.tracked) return undefined;
  const ended = endOpen(record, reason, step);
  return advance(
    record,
    step,
    { tracked: false, toAsk: undefined, pending: undefined, active: undefined, obstacles: [], ...lastOf(ended) },
    [workloadHappening("untracked"), ...ended.map(endingOf)],
  );
}

/** Says what the observed part of a record becomes with this look; digests that are known of the same image text stay known. */
export function observedFrom(
  live: LiveWorkload,
  running: RunningImages | undefined,
  before: Observed | undefined,
): Observed {
  const fence = live.labels[fenceLabel];
  return {
    containers: live.containers.map((container) => containerFrom(container, running, before)),
    annotations: settingAnnotations(live.annotations),
    sourceMarks: sourceMarks(live),
    ...(fence === undefined ? {} : { fence }),
    ...(live.restartedAt === undefined ? {} : { restartedAt: live.restartedAt }),
    ...(live.controller === undefined ? {} : { controller: live.controller }),
  };
}

/** Says whether an object, as a list showed it, is worth a closer look: it takes part or did, and differs from its record. */
export function isNews(record: WorkloadRecord | undefined, live: LiveWorkload): boolean {
  if (record === undefined || !record.tracked) return isEnabled(live.annotations);
  if (record.uid !== live.uid || !isEnabled(live.annotations)) return true;
  const seen = observedFrom(live, undefined, record.observed);
  if (record.active === undefined) return !same(record.observed, seen);
  return !same(seen.annotations, record.observed.annotations);
}

/** Makes the hold that a person's rollback of an update puts on its workload. */
export function holdAfter(seq: number, live: LiveWorkload, step: Step): Hold {
  const writer = live.lastWriter;
  const who =
    writer === undefined ? ", the object does not say by whom" : ` by ${writer.manager} at ${toIso(writer.at)}`;
  return { reason: "taken-back-by-a-person", at: step.now, seq, detail: `taken back${who}` };
}

/** Says whether the object shows that someone took back the update that landed last: our label, and what it replaced. */
export function wasTakenBack(landed: EndedUpdate, live: LiveWorkload, installation: string): boolean {
  return live.labels[fenceLabel] === fenceOf(installation, landed.seq, "forward") && showsWhatWasReplaced(landed, live);
}

/** Says whether the object shows what an update replaced, for every one of its changes. */
export function showsWhatWasReplaced(update: Pick<EndedUpdate, "changes" | "restart">, live: LiveWorkload): boolean {
  const imagesBack = update.changes.every((change) => imageOf(live, change) === change.from);
  return imagesBack && (update.restart === undefined || live.restartedAt === update.restart.from);
}

/**
 * Answers a record's refusals with those digests of an update added that someone moved the object off: whoever did it does not want them
 * back.
 */
export function movedOff(
  record: WorkloadRecord,
  update: Pick<EndedUpdate, "seq" | "changes">,
  live: LiveWorkload,
  step: Step,
): readonly Refusal[] {
  const left = update.changes.filter(
    (change) => imageOf(live, change) !== change.to && refusalOf(change, record.refusals) === undefined,
  );
  const refuse = ({ repository, digest, tag }: ImageChange): Refusal => ({
    repository,
    digest,
    tag,
    reason: "changed-by-hand",
    seq: update.seq,
    at: step.now,
  });
  return [...record.refusals, ...left.map(refuse)];
}

/** Reads the image that stands on the object for a change's container; undefined when there is no such container. */
export function imageOf(live: LiveWorkload, change: Pick<ImageChange, "list" | "name">): string | undefined {
  return live.containers.find(({ list, name }) => list === change.list && name === change.name)?.image;
}

function firstSight(inputs: ObservationInputs, step: Step): WorkloadRecord {
  const blank: WorkloadRecord = {
    schemaVersion: 1,
    workload: inputs.live.workload,
    uid: inputs.live.uid,
    version: 0,
    seq: 0,
    cause: step.cause,
    changedAt: step.now,
    observed: observedFrom(inputs.live, inputs.running, undefined),
    refusals: [],
    obstacles: [],
    happened: [],
    tracked: true,
  };
  return advance(blank, step, { toAsk: true }, [workloadHappening("tracked")]);
}

function seenAnew(record: WorkloadRecord, inputs: ObservationInputs, step: Step): WorkloadRecord {
  const ended = endOpen(record, "workload-gone", step);
  return advance(
    record,
    step,
    {
      uid: inputs.live.uid,
      landed: undefined,
      tracked: true,
      toAsk: true,
      observed: observedFrom(inputs.live, inputs.running, undefined),
      pending: undefined,
      active: undefined,
      obstacles: [],
      ...lastOf(ended),
    },
    [workloadHappening("tracked"), ...ended.map(endingOf)],
  );
}

function seenAgain(record: WorkloadRecord, inputs: ObservationInputs, step: Step): WorkloadRecord | undefined {
  const { live } = inputs;
  const observed = observedFrom(live, inputs.running, record.observed);
  if (record.active !== undefined) return settingsOnly(record, record.active, observed, step);
  const { landed } = record;
  if (same(record.observed, observed)) return undefined;
  if (landed !== undefined && wasTakenBack(landed, live, inputs.installation)) {
    const hold = holdAfter(landed.seq, live, step);
    const last = {
      ...landed,
      status: "taken-back",
      endedAt: step.now,
      reason: hold.reason,
      detail: hold.detail,
    } as const;
    return advance(record, step, { observed, last, landed: undefined, toAsk: true, hold }, [endingOf(last)]);
  }
  const refusals = landed === undefined ? record.refusals : movedOff(record, landed, live, step);
  return advance(record, step, { observed, refusals, toAsk: true }, [
    workloadHappening("observed", differenceOf(record.observed, observed)),
  ]);
}

/**
 * While an update is on its way its images are judged by its own stage; only what people asked for is taken over. Before the patch not
 * even that: the patch finds the difference itself, and puts the update back to held.
 */
function settingsOnly(
  record: WorkloadRecord,
  active: ActiveUpdate,
  observed: Observed,
  step: Step,
): WorkloadRecord | undefined {
  if (active.status !== "rolling-back" && active.patchedAt === undefined) return undefined;
  const next = { ...record.observed, annotations: observed.annotations, sourceMarks: observed.sourceMarks };
  if (same(next, record.observed)) return undefined;
  return advance(record, step, { observed: next, toAsk: true }, [
    workloadHappening("observed", "its annotations changed"),
  ]);
}

/** Tells what people would ask about; undefined for what Lookout merely got to know, such as a digest. */
function differenceOf(before: Observed, after: Observed): string | undefined {
  const changed = after.containers.filter(
    ({ name, image }) => before.containers.find((old) => old.name === name)?.image !== image,
  );
  if (changed.length > 0) return changed.map(({ name, image }) => `container ${name} has ${image}`).join(", ");
  return same(before.annotations, after.annotations) ? undefined : "its annotations changed";
}

function containerFrom(
  { list, name, image, imageOwner }: LiveWorkload["containers"][number],
  running: RunningImages | undefined,
  before: Observed | undefined,
): ContainerState {
  const known = before?.containers.find((old) => old.list === list && old.name === name && old.image === image);
  const parsed = parseImageReference(image);
  const digest = (parsed.ok ? parsed.value.digest : undefined) ?? known?.digest ?? running?.[name]?.[0];
  return {
    list,
    name,
    image,
    ...(digest === undefined ? {} : { digest }),
    ...(known?.baseline === undefined ? {} : { baseline: known.baseline }),
    ...(imageOwner === undefined ? {} : { imageOwner }),
  };
}

function endOpen(record: WorkloadRecord, reason: Reason, step: Step): readonly EndedUpdate[] {
  return [record.active, record.pending]
    .filter((update) => update !== undefined)
    .map((update) => endUpdate(update, "superseded", step.now, { reason }));
}

function lastOf(ended: readonly EndedUpdate[]): { readonly last?: EndedUpdate } {
  const newest = ended.at(-1);
  return newest === undefined ? {} : { last: newest };
}

function workloadHappening(what: "tracked" | "observed" | "untracked", detail?: string): Happening {
  return { seq: 0, what, reasons: [], changes: [], ...(detail === undefined ? {} : { detail }) };
}
