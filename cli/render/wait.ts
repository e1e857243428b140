import type { ImageView } from "#contracts/api/schema";
import type { DecisionView, UpdateView, WorkloadView } from "#contracts/api/workloads";
import { formatDuration } from "#domain/shared/duration";
import type { FactName } from "#domain/update/events";
import { durationMs, parseInstant } from "#domain/shared/time";
import type { Ended, Goal, WaitResult } from "../answers/wait.ts";
import { digestText, trackedContainers, versionText, withShortDigests } from "./image.ts";
import { shortReason } from "./reason.ts";
import { updateState } from "./state.ts";
import { type Mark, paintMark, type Style, widthOf } from "./style.ts";
import { tierWaitText } from "./tier-member.ts";
import { stamp } from "./time.ts";

/** A step of an update, as `lookout wait` shows it. */
export interface WaitStep {
  /** The same step has the same key at each read. */
  readonly key: string;
  readonly at: string;
  readonly text: string;
}

/** Returns the steps of an update so far, in order. `decisions` are the newest first. */
export function stepsOfUpdate(
  update: UpdateView,
  decisions: readonly DecisionView[],
  style: Style,
): readonly WaitStep[] {
  const { seq, selectedAt, wants } = update;
  const rows = decisions.filter((row) => row.seq === seq).toReversed();
  const steps = rows.flatMap((row) => {
    const text = textOfFact[row.fact]?.(row, style);
    return text === undefined ? [] : [{ key: `${seq}/${row.version}/${row.fact}`, at: row.at, text }];
  });
  const selected = { key: `${seq}/selected`, at: selectedAt, text: `selected ${versionsText(wants, style)}` };
  // A wait may be recorded again without a change for a reader.
  return [selected, ...steps].filter((step, index, all) => step.text !== all[index - 1]?.text);
}

type TextOf = (row: DecisionView, style: Style) => string | undefined;

const textOfFact: Readonly<Partial<Record<FactName, TextOf>>> = {
  UpdateHeld: (row, style) => waitsFor(row, style),
  ApprovalRejected: (row, style) => withWhy("rejected", row, style),
  RolloutStarted: () => "patched",
  RolloutWaiting: ({ detail }) => (detail === undefined ? undefined : `waits: ${detail}`),
  WorkloadRunning: ({ detail }) => (detail === undefined ? "running" : `running, ${detail}`),
  RolloutFailed: (row, style) => withWhy("failed", row, style),
  RollbackStarted: () => "rolling back",
};

function waitsFor({ reasons, at }: Pick<DecisionView, "reasons" | "at">, style: Style): string | undefined {
  const [first] = reasons;
  if (first === undefined) return undefined;
  const ofTier = reasons.length === 1 ? tierWaitText(first, at) : undefined;
  if (ofTier !== undefined) return `waits for ${ofTier}`;
  const text = reasons.map((reason) => shortReason(reason, style)).join(" · ");
  return text.startsWith("window opens") ? `waits for ${text.replace("window", "window:")}` : `waits: ${text}`;
}

function withWhy(words: string, { reasons, detail }: Pick<DecisionView, "reasons" | "detail">, style: Style): string {
  const why = reasons.map((reason) => shortReason(reason, style)).join(" · ");
  const text = why === "" ? (detail ?? "") : why;
  return text === "" ? words : withShortDigests(`${words}: ${text}`, style);
}

/** Returns a step as a line: `09:12:04  selected 1.5.0 @ 4d5e6f708192`. */
export function waitStepLine({ at, text }: WaitStep, name: string | undefined, style: Style): string {
  return [timeText(at, style), ...(name === undefined ? [] : [name]), text].join("  ");
}

/** Returns the time of day, with the date if it is not today. */
function timeText(at: string, style: Style): string {
  const today = stamp(new Date(style.now).toISOString(), style).slice(0, dateLength);
  const text = stamp(at, style);
  return text.startsWith(today) ? text.slice(dateLength) : text;
}

const dateLength = "2026-11-21 ".length;

/** Returns the line that a terminal rewrites: the present step, and its time. */
export function progressLine(
  { update, step, name }: { readonly update?: UpdateView; readonly step: WaitStep; readonly name: string },
  style: Style,
): string {
  const { mark, words } = update === undefined ? { mark: "⏸" as const, words: step.text } : updateState(update, style);
  const text = ` ${name}: ${words}, ${lengthText(step.at, new Date(style.now).toISOString())}`;
  // Some terminals report no columns.
  const width = style.width === undefined || style.width === 0 ? usualWidth : style.width;
  const fitting =
    widthOf(text) < width - 1
      ? text
      : `${Array.from(text)
          .slice(0, Math.max(1, width - 3))
          .join("")}…`;
  return paintMark(mark, style) + fitting;
}

const usualWidth = 80;

/** Returns the end of a wait: the line, and for a negative end what the user may do. */
export interface EndText {
  readonly mark: Mark;
  readonly sentence: string;
  readonly advice: readonly string[];
}

export interface EndedWorkload {
  readonly workload: string;
  readonly goal: Goal;
  readonly end: Ended;
  /** True if the wait saw the update while it was open. */
  readonly isFollowed: boolean;
  /** True if the output names no workload, because it is about one. */
  readonly isAlone: boolean;
}

/** Returns the last words about a workload. */
export function endText(ended: EndedWorkload, style: Style): EndText {
  const { workload, end } = ended;
  const explain = `To see the reasons:  lookout explain ${workload}`;
  const mark = end.result === "succeeded" ? "✓" : "✗";
  if (end.result === "succeeded") return { mark, sentence: successText(ended, style), advice: [] };
  const { words, advice } = ends[end.result];
  const when = end.endedAt === undefined ? "" : ` at ${timeText(end.endedAt, style)}`;
  const { newer = [] } = end;
  const text = `${subject(ended, style)} ${words({ newer: versionsText(newer, style), when })}${causeText(end, style)}`;
  const more = advice?.({ workload, newer: newer[0]?.tag });
  return {
    mark,
    sentence: withShortDigests(`${text.replace(/[.]$/, "")}.`, style),
    advice: [...(more === undefined ? [] : [more]), explain],
  };
}

function causeText({ why, reasons, newer }: Ended, style: Style): string {
  const others = newer === undefined ? reasons : reasons.filter(({ reason }) => reason !== replaced);
  const cause = why ?? others.map((reason) => shortReason(reason, style)).join(" · ");
  return cause === "" ? "" : `: ${cause}`;
}

/** The reason that the words about a newer version tell already. */
const replaced = "superseded-by-a-newer-push";

interface EndWords {
  readonly words: (facts: { readonly newer: string; readonly when: string }) => string;
  readonly advice?: (facts: { readonly workload: string; readonly newer: string | undefined }) => string | undefined;
}

const unblock = ({ workload }: { readonly workload: string }) =>
  `To let Lookout try it again:  lookout unblock ${workload}`;

const ends: Readonly<Record<Exclude<WaitResult, "succeeded">, EndWords>> = {
  "rolled-back": { words: ({ when }) => `was rolled back${when}`, advice: unblock },
  "rollback-failed": { words: ({ when }) => `failed, and the rollback failed too${when}` },
  failed: { words: ({ when }) => `failed${when}`, advice: unblock },
  reverted: { words: ({ when }) => `was reverted by a user${when}`, advice: unblock },
  blocked: { words: ({ when }) => `is blocked${when.replace(" at ", " since ")}`, advice: unblock },
  rejected: {
    words: ({ when }) => `was rejected${when}`,
    advice: ({ workload }) => `To ask again:  lookout approvals ask ${workload}`,
  },
  superseded: {
    words: ({ newer, when }) => `is not wanted any more: it was superseded${newer === "" ? "" : ` by ${newer}`}${when}`,
    advice: ({ workload, newer }) =>
      newer === undefined ? undefined : `To wait for the newer version:  lookout wait ${workload} ${newer}`,
  },
  "not-wanted": { words: () => "is not wanted" },
  paused: { words: () => "does not come while an annotation is invalid" },
  untracked: { words: () => "is no longer tracked" },
  "timed-out": { words: () => "did not succeed in time" },
};

function successText({ end, isFollowed, isAlone, ...ended }: EndedWorkload, style: Style): string {
  const { images, detectedAt, endedAt, newer } = end;
  const version = versionsText(images, style);
  const name = shortName(ended.workload);
  if (isFollowed && endedAt !== undefined && detectedAt !== undefined) {
    const text = `succeeded after ${lengthText(detectedAt, endedAt)}`;
    return isAlone ? text : `${name} ${version} ${text}`;
  }
  if (newer !== undefined && newer.length > 0)
    return `${name} ${version} succeeded${endedAt === undefined ? "" : ` at ${timeText(endedAt, style)}`}; now it has ${versionsText(newer, style)}`;
  return `${name} runs ${version}${endedAt === undefined ? " already" : ` since ${timeText(endedAt, style)}`}`;
}

function subject({ workload, goal, end }: EndedWorkload, style: Style): string {
  const name = shortName(workload);
  if (end.result === "untracked") return name;
  if (end.images.length > 0) return `${name} ${versionsText(end.images, style)}`;
  return goal.kind === "version" ? `${name} ${goal.text}` : `The update of ${name}`;
}

/** Returns `namespace/name` of a workload. */
export function shortName(workload: string): string {
  const [, namespace = "", , name = ""] = workload.split("/");
  return `${namespace}/${name}`;
}

/** Returns the versions of images, each once: `1.5.0 @ 4d5e6f708192`. */
function versionsText(images: readonly Pick<ImageView, "tag" | "digest">[], style: Style): string {
  const texts = images.map((image) =>
    image.digest === undefined
      ? (image.tag ?? "no tag")
      : `${image.tag === undefined ? "" : `${image.tag} `}@ ${digestText(image.digest, style)}`,
  );
  return [...new Set(texts)].join(", ");
}

/** Returns the length of a time between two instants: `1.4 s`, `30 m 15 s`. */
function lengthText(from: string, to: string): string {
  const length = Math.max(0, (parseInstant(to) ?? 0) - (parseInstant(from) ?? 0));
  if (length < 60_000) return `${(length / 1_000).toFixed(1)} s`;
  return formatDuration(durationMs(length))
    .replaceAll(/(?<=[a-z])(?=\d)/g, " ")
    .replaceAll(/(?<=\d)(?=[a-z])/g, " ");
}

/** Returns the wait without an update in words: what must come, and what runs. */
export function waitsForText(goal: Goal, view: WorkloadView, outlook: string | undefined, style: Style): string {
  const runs = trackedContainers(view)
    .map((image) => versionText(image, style))
    .join(", ");
  const held = view.reasons.map((reason) => shortReason(reason, style)).join(" · ");
  const what = goal.kind === "version" ? `a push of ${goal.text}` : "the next update";
  const details = [outlook, held].filter((text) => text !== undefined && text !== "").join(" · ");
  return `waits for ${what}${details === "" ? "" : `: ${details}`}${goal.kind === "version" && details !== "" ? "" : `; runs ${runs}`}`;
}
