import type { ImageView, ReasonView } from "#contracts/api/schema";
import type { DecisionView, ExplanationView, UpdateView, WorkloadView } from "#contracts/api/workloads";
import { problemText } from "#domain/annotations/written-settings";
import type { FactName } from "#domain/update/events";
import type { Ending } from "#domain/update/state/workload";
import { exitCodes, type ExitCode } from "../failure.ts";

/** The version that a wait is for, or the first of the updates that it is for. */
export type Goal =
  | { readonly kind: "version"; readonly text: string; readonly digest?: string }
  | { readonly kind: "update"; readonly seq: number };

/** The condition that ends a wait with 0. */
export type Condition = "succeeded" | "settled";

/** The ways in which a wait for a workload can end. */
export type WaitResult = Ending | "blocked" | "not-wanted" | "paused" | "untracked" | "timed-out";

/** The end of a wait for one workload. */
export interface Ended {
  readonly kind: "ended";
  readonly result: WaitResult;
  /** The images of the version. Empty if no update had the version. */
  readonly images: readonly ImageView[];
  /** The number of the update. Absent if the workload had the version without an update. */
  readonly seq?: number;
  readonly detectedAt?: string;
  readonly endedAt?: string;
  readonly reasons: readonly ReasonView[];
  /** The cause in words, if no reason has it. */
  readonly why?: string;
  /** The images that replaced the version. */
  readonly newer?: readonly ImageView[];
}

/** What a wait knows of a workload. */
export type Standing =
  | Ended
  /** The update is open. */
  | { readonly kind: "open"; readonly update: UpdateView }
  /** There is no update for the goal. */
  | { readonly kind: "no-update" };

/** A workload and its history, the newest decision first. */
export interface Seen {
  readonly view: WorkloadView;
  readonly decisions: readonly DecisionView[];
}

/** Returns the end of the goal's update, or that it is open or unknown. */
export function standingOf(goal: Goal, seen: Seen): Standing {
  return goal.kind === "version" ? ofVersion(goal, seen) : ofUpdate(goal.seq, seen);
}

/** Returns the first update that a wait without a version is for: the newest open one, or the next. */
export function nextUpdate({ active, pending, last }: Pick<WorkloadView, "active" | "pending" | "last">): number {
  return (pending ?? active)?.seq ?? (last?.seq ?? 0) + 1;
}

/** Returns whether an image is the version of a goal. A digest counts for more than a tag. */
export function isVersion({ tag, digest }: Pick<ImageView, "tag" | "digest">, goal: VersionGoal): boolean {
  if (goal.digest !== undefined && digest !== undefined) return goal.digest === digest;
  return tag === goal.text || (digest !== undefined && isDigestOf(goal.text, digest));
}

const fewestDigits = 12;

/** Returns whether a text may be a digest. A tag may look so too: the id of a commit. */
export function maybeDigest(text: string): boolean {
  return /^(sha256:)?[0-9a-f]{12,64}$/.test(text);
}

/** Returns whether a text is a digest, or its first 12 or more digits. */
function isDigestOf(text: string, digest: string): boolean {
  const digits = text.replace(/^sha\d+:/, "");
  return digits.length >= fewestDigits && digest.slice(digest.indexOf(":") + 1).startsWith(digits);
}

type VersionGoal = Extract<Goal, { kind: "version" }>;

function ofVersion(goal: VersionGoal, seen: Seen): Standing {
  for (const read of versionStandings) {
    const standing = read(goal, seen);
    if (standing !== undefined) return standing;
  }
  return { kind: "no-update" };
}

/** The questions about a version. The first answer counts. */
const versionStandings: readonly ((goal: VersionGoal, seen: Seen) => Standing | undefined)[] = [
  openUpdate,
  lastUpdate,
  running,
  earlierUpdate,
  blockedVersion,
  invalidSettings,
];

function has(images: readonly ImageView[], goal: VersionGoal): boolean {
  return images.some((image) => isVersion(image, goal));
}

function openUpdate(goal: VersionGoal, { view }: Seen): Standing | undefined {
  const update = [view.active, view.pending].find((one) => one !== undefined && has(one.wants, goal));
  return update === undefined ? undefined : { kind: "open", update };
}

function lastUpdate(goal: VersionGoal, { view, decisions }: Seen): Ended | undefined {
  const { last } = view;
  if (last === undefined || !has(last.wants, goal) || isUnblocked(last.seq, decisions)) return undefined;
  // A superseded version may run nevertheless.
  return last.status === "superseded" && runningOf(view, goal).length > 0 ? undefined : endOf(last, view);
}

function runningOf({ runs }: Pick<WorkloadView, "runs">, goal: VersionGoal): readonly ImageView[] {
  return runs.filter((image) => image.policy !== undefined && isVersion(image, goal));
}

function running(goal: VersionGoal, { view, decisions }: Seen): Ended | undefined {
  const images = runningOf(view, goal);
  return images.length === 0 ? undefined : alreadyRuns(images, view, decisions);
}

function earlierUpdate(goal: VersionGoal, { view, decisions }: Seen): Ended | undefined {
  const row = decisions.find(({ fact, images }) => resultOfFact[fact] !== undefined && has(images, goal));
  return row === undefined || isUnblocked(row.seq, decisions) ? undefined : endOfRow(row, view);
}

function blockedVersion(goal: VersionGoal, { view }: Seen): Ended | undefined {
  const blocked = view.blocked.filter((one) => isVersion(one, goal));
  const [first] = blocked;
  if (first === undefined) return undefined;
  const images = blocked.map(({ containers: [container = ""], imageName, tag, digest }) => ({
    ...{ container, image: `${imageName}:${tag}@${digest}`, imageName, tag, digest },
  }));
  const result = first.why.reason === "digest-rejected" ? "rejected" : "blocked";
  return { kind: "ended", result, images, seq: first.seq, endedAt: first.at, reasons: [], why: first.cause };
}

function invalidSettings(_: VersionGoal, { view }: Seen): Ended | undefined {
  const problem = view.problems.find(({ closes }) => closes);
  if (problem === undefined) return undefined;
  return { kind: "ended", result: "paused", images: [], reasons: [], why: problemText(problem) };
}

function alreadyRuns(
  images: readonly ImageView[],
  { last }: Pick<WorkloadView, "last">,
  decisions: readonly DecisionView[],
): Ended {
  const digests = new Set(images.map(({ digest }) => digest));
  const row = decisions.find(
    (one) => one.fact === "RolloutSucceeded" && one.images.some(({ digest }) => digests.has(digest)),
  );
  return {
    ...{ kind: "ended", result: "succeeded", images, reasons: [] },
    ...(row === undefined ? {} : { seq: row.seq, endedAt: row.at }),
    ...(row === undefined || last?.seq !== row.seq ? {} : { detectedAt: last.detectedAt }),
  };
}

/** Returns whether a user unblocked the digests of an update after its end. */
function isUnblocked(seq: number, decisions: readonly DecisionView[]): boolean {
  const end = decisions.findIndex((one) => one.seq === seq && resultOfFact[one.fact] !== undefined);
  return decisions.slice(0, Math.max(0, end)).some(({ fact }) => triesAgain.has(fact));
}

/** The facts after which an ended version may come again. */
const triesAgain: ReadonlySet<FactName> = new Set<FactName>([
  "DigestsUnblocked",
  "HoldEnded",
  "WorkloadResumed",
  "VersionKept",
]);

const resultOfFact: Readonly<Partial<Record<FactName, Ending>>> = {
  RolloutSucceeded: "succeeded",
  RolledBack: "rolled-back",
  RollbackFailed: "rollback-failed",
  RevertedByUser: "reverted",
  UpdateSuperseded: "superseded",
  ApprovalRejected: "rejected",
};

function endOf(update: UpdateView, view: WorkloadView): Ended {
  const { seq, status, wants, detectedAt, endedAt, reasons } = update;
  const isOver = reasons.some(({ reason }) => reason === "already-runs");
  return {
    kind: "ended",
    result: isOver ? "succeeded" : (status as Ending),
    ...{ images: wants, seq, detectedAt, reasons },
    ...(endedAt === undefined ? {} : { endedAt }),
    ...newerThan(seq, view),
  };
}

/** Returns the end of an update that is no longer open, if the history does not have its end yet. */
export function supersededEnd(update: UpdateView, view: WorkloadView): Ended {
  const { endedAt: _endedAt, ...open } = update;
  return endOf({ ...open, status: "superseded", reasons: [] }, view);
}

function endOfRow({ seq, at, fact, images, reasons }: DecisionView, view: WorkloadView): Ended {
  const result = resultOfFact[fact] ?? "failed";
  return { kind: "ended", result, images, seq, endedAt: at, reasons, ...newerThan(seq, view) };
}

/** Returns the images of a newer update; the running ones if no newer update is known. */
function newerThan(seq: number, { active, pending, last, runs }: WorkloadView): Pick<Ended, "newer"> {
  const newer = [pending, active, last].find((update) => update !== undefined && update.seq > seq);
  if (newer === undefined) return {};
  return { newer: newer.status === "succeeded" ? runs.filter(({ policy }) => policy !== undefined) : newer.wants };
}

/** Follows an update, and the updates that superseded it. */
function ofUpdate(first: number, { view, decisions }: Seen): Standing {
  const known = [view.active, view.pending, view.last].filter((update) => update !== undefined);
  const newest = Math.max(...known.map(({ seq }) => seq));
  for (let seq = first; seq <= newest; seq += 1) {
    const update = known.find((one) => one.seq === seq);
    if (update !== undefined && update.endedAt === undefined) return { kind: "open", update };
    const row = decisions.find((one) => one.seq === seq && resultOfFact[one.fact] !== undefined);
    const end = update !== undefined ? endOf(update, view) : row === undefined ? undefined : endOfRow(row, view);
    if (end !== undefined && !(end.result === "superseded" && seq < newest)) return end;
  }
  return { kind: "no-update" };
}

/**
 * Returns the digest that a tag has moved to, if the workload is to get it: an image of the tag that
 * is none of these.
 */
export function movedDigest(
  { selections }: Pick<ExplanationView, "selections">,
  tag: string,
  images: Ended["images"],
): string | undefined {
  const known = new Set(images.map(({ digest }) => digest));
  return selections.find((one) => one.tag === tag && one.digest !== undefined && !known.has(one.digest))?.digest;
}

/** Returns whether a policy may still select a tag, by its words about the tag now. */
export interface TagOutlook {
  /** False if the policy refuses the tag, whatever is pushed next. */
  readonly mayCome: boolean;
  readonly words: string;
}

const absent = "the repository does not have it yet";

/** The reasons why a tag is not selected yet, but may be selected later. */
const passing: ReadonlySet<string> = new Set(["too-new", "passed-over"]);

/**
 * Returns whether a wait for a tag makes sense. A tag may come if one container may get it.
 *
 * @param verdictOn - the words of one policy about the tag, and whether it knows the tag.
 */
export function outlookOf(
  { selections, workload }: ExplanationView,
  tag: string,
  verdictOn: (
    selection: ExplanationView["selections"][number],
    tag: string,
    running: string | undefined,
  ) => { readonly known: boolean; readonly words: string },
): TagOutlook {
  if (selections.length === 0)
    return { mayCome: false, words: "no container of this workload has a policy that selects tags" };
  const outlooks = selections.map((selection) => {
    const { container, rejected, why } = selection;
    const running = workload.runs.find((image) => image.container === container)?.tag;
    const { known, words } = verdictOn(selection, tag, running);
    const rejection = rejected.find((one) => one.tag === tag);
    const isWaited =
      rejection === undefined ? why !== undefined && !decides.has(why.reason) : passing.has(rejection.reason);
    return { mayCome: !known || selection.tag === tag || isWaited, words: known ? words : absent };
  });
  const coming = outlooks.filter(({ mayCome }) => mayCome);
  const shown = coming.length > 0 ? coming : outlooks;
  return { mayCome: coming.length > 0, words: [...new Set(shown.map(({ words }) => words))].join("; ") };
}

/** The failures of a selection that are about its tags. Others are about the registry, and pass. */
const decides: ReadonlySet<string> = new Set(["no-tag-fits", "would-downgrade"]);

const exitCodeOf: Readonly<Record<WaitResult, ExitCode>> = {
  succeeded: exitCodes.done,
  "rolled-back": exitCodes.notSo,
  "rollback-failed": exitCodes.notSo,
  failed: exitCodes.notSo,
  reverted: exitCodes.notSo,
  blocked: exitCodes.notSo,
  paused: exitCodes.notSo,
  untracked: exitCodes.notSo,
  superseded: exitCodes.refused,
  rejected: exitCodes.refused,
  "not-wanted": exitCodes.refused,
  "timed-out": exitCodes.timedOut,
};

/** The results that are no end of an update. */
const unsettled: ReadonlySet<WaitResult> = new Set(["not-wanted", "paused", "untracked", "timed-out"]);

/** Returns the exit code of a wait for one workload. */
export function waitExitCode(result: WaitResult, condition: Condition): ExitCode {
  return condition === "settled" && !unsettled.has(result) ? exitCodes.done : exitCodeOf[result];
}

/** From the best exit code of a wait to the worst. */
const byWeight: readonly ExitCode[] = [exitCodes.done, exitCodes.refused, exitCodes.timedOut, exitCodes.notSo];

/** Returns the worst exit code of several waits: failed, then timed out, then not wanted. */
export function worstOf(codes: readonly ExitCode[]): ExitCode {
  return byWeight[Math.max(0, ...codes.map((code) => byWeight.indexOf(code)))] ?? exitCodes.notSo;
}
