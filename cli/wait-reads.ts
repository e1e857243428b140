import type { DecisionView, UpdateView, WorkloadView } from "#contracts/api/workloads";
import {
  type Ended,
  type Goal,
  maybeDigest,
  movedDigest,
  nextUpdate,
  outlookOf,
  type Standing,
  standingOf,
  supersededEnd,
} from "./answers/wait.ts";
import { type Failure, NotFound } from "./failure.ts";
import { workloadParams } from "./names.ts";
import { verdictOn } from "./render/explain-tag.ts";
import { printable } from "./render/printable.ts";
import { updateState } from "./render/state.ts";
import type { Style } from "./render/style.ts";
import { stepsOfUpdate, waitsForText, type WaitStep } from "./render/wait.ts";
import type { Server } from "./server.ts";
import type { World } from "./world.ts";

/** A workload that a wait is for. Without a goal, the wait is for its open or next update. */
export interface Awaited {
  readonly workload: string;
  readonly goal?: Goal;
}

/** What a wait reports while it goes on. */
export interface WaitReport {
  step(workload: string, step: WaitStep): void;
  /** Shows the present step, about once per second on a terminal. */
  progress(progress: Progress): void;
  ended(workload: string, goal: Goal, end: Ended, isFollowed: boolean): void;
  /** Says that the server gives no answer. */
  outage(failure: Failure): void;
}

/** The present step of a workload. */
export interface Progress {
  readonly workload: string;
  readonly standing: Standing;
  readonly step: WaitStep | undefined;
}

/** A workload, as the wait last saw it. */
export interface WaitedWorkload {
  readonly workload: string;
  goal: Goal | undefined;
  view?: WorkloadView;
  decisions: readonly DecisionView[];
  /** The reads of the history that may follow the last change, because the history may lag behind. */
  historyReads: number;
  standing: Standing;
  /** The keys of the reported steps. */
  readonly told: Set<string>;
  lastStep?: WaitStep;
  /** The update, as the wait last saw it open. */
  followed?: UpdateView;
}

/** Returns a workload that the wait has not read yet. */
export function unread({ workload, goal }: Awaited): WaitedWorkload {
  return { workload, goal, decisions: [], historyReads: 0, standing: { kind: "no-update" }, told: new Set() };
}

/** Returns whether the end of an update may not be in the history yet, so that the next read is due soon. */
export function isBehind({ standing, historyReads }: WaitedWorkload): boolean {
  return standing.kind === "no-update" && historyReads > 0;
}

/** Returns whether the wait for a workload goes on. */
export function isOpen({ standing }: WaitedWorkload): boolean {
  return standing.kind !== "ended";
}

/** Enough for an update that ended before the wait began. */
const decisionsRead = 200;
const mostHistoryReads = 3;

interface Reading {
  readonly world: World;
  readonly report: WaitReport;
  readonly style: () => Style;
  /** After its abort, nothing is reported. */
  readonly stop: AbortSignal;
}

/** Returns functions that read workloads, and report their steps and ends. */
export function waitReads({ world, report, style, stop }: Reading) {
  const started = style();
  const isOver = (one: WaitedWorkload): boolean => stop.aborted || !isOpen(one);

  const tell = (one: WaitedWorkload, step: WaitStep): void => {
    if (isOver(one) || one.told.has(step.key)) return;
    one.told.add(step.key);
    one.lastStep = step;
    report.step(one.workload, step);
  };

  const end = (one: WaitedWorkload, ended: Ended): void => {
    if (isOver(one)) return;
    one.standing = ended;
    report.ended(one.workload, one.goal ?? { kind: "update", seq: 0 }, ended, isFollowed(one));
  };

  /** Tells the steps of an update that the wait saw while it was open. */
  const tellSteps = (one: WaitedWorkload, view: WorkloadView, seq: number | undefined): void => {
    const update = [view.active, view.pending, view.last].find((other) => other !== undefined && other.seq === seq);
    if (update === undefined || !isFollowed(one)) return;
    for (const step of stepsOfUpdate(update, one.decisions, style())) tell(one, step);
  };

  const tellWait = (
    one: WaitedWorkload,
    goal: Goal,
    view: WorkloadView,
    words?: (style: Style) => string | undefined,
  ): void => {
    const textAt = (at: Style): string => waitsForText(goal, view, words?.(at), at);
    // The words tell how long a wait lasts, which is no new step.
    const key = `waits/${textAt(started)}`;
    tell(one, { key, at: new Date(world.now()).toISOString(), text: textAt(style()) });
  };

  const judgeTag = async (server: Server, one: WaitedWorkload, tag: string): Promise<void> => {
    const query = maybeDigest(tag) ? {} : { tag };
    const explanation = await found(server.ask("explainWorkload", { params: workloadParams(one.workload), query }));
    if (explanation === undefined || one.goal === undefined) return;
    const shown = printable(explanation);
    const outlook = (at: Style) => outlookOf(shown, tag, (...asked) => verdictOn(...asked, at));
    const { mayCome, words } = outlook(style());
    if (mayCome) tellWait(one, one.goal, shown.workload, (at) => outlook(at).words);
    else end(one, { kind: "ended", result: "not-wanted", images: [], reasons: [], why: words });
  };

  const judgeAbsence = async (server: Server, one: WaitedWorkload, goal: Goal, view: WorkloadView): Promise<void> => {
    one.standing = { kind: "no-update" };
    if (one.historyReads > 0) return;
    if (goal.kind === "update") tellWait(one, goal, view);
    else if (one.followed !== undefined) end(one, supersededEnd(one.followed, view));
    else if (goal.text.includes(":")) tellWait(one, goal, view, () => "no update has this digest yet");
    else await judgeTag(server, one, goal.text);
  };

  /** Lets a wait for a tag go on if the tag has moved to another image since the end of its update. */
  const followsMove = async (server: Server, one: WaitedWorkload, { images }: Ended): Promise<boolean> => {
    const { goal } = one;
    if (goal?.kind !== "version" || goal.digest !== undefined || goal.text.includes(":") || isFollowed(one))
      return false;
    const explanation = await found(server.ask("explainWorkload", { params: workloadParams(one.workload) }));
    const digest = explanation === undefined ? undefined : movedDigest(explanation, goal.text, images);
    if (digest !== undefined) one.goal = { ...goal, digest };
    return digest !== undefined;
  };

  const refresh = async (server: Server, one: WaitedWorkload): Promise<WorkloadView | undefined> => {
    const params = workloadParams(one.workload);
    const answer = await found(server.ask("readWorkload", { params }));
    if (answer === undefined) return undefined;
    if (answer.version !== one.view?.version) one.historyReads = mostHistoryReads;
    one.view = printable(answer);
    if (one.historyReads > 0) {
      const { decisions } = await server.ask("readDecisions", { params, query: { limit: decisionsRead } });
      one.decisions = printable(decisions);
      const newest = decisions[0]?.version ?? 0;
      one.historyReads = newest >= answer.version ? 0 : one.historyReads - 1;
    }
    return one.view;
  };

  return {
    /** Reads a workload and its history, and reports what is new. */
    async read(server: Server, one: WaitedWorkload): Promise<void> {
      const view = await refresh(server, one);
      if (view === undefined) {
        end(one, { kind: "ended", result: "untracked", images: [], reasons: [] });
        return;
      }
      one.goal ??= { kind: "update", seq: nextUpdate(view) };
      let standing = standingOf(one.goal, { view, decisions: one.decisions });
      if (standing.kind === "ended" && (await followsMove(server, one, standing)))
        standing = standingOf(one.goal, { view, decisions: one.decisions });
      if (standing.kind === "no-update") {
        await judgeAbsence(server, one, one.goal, view);
        return;
      }
      if (standing.kind === "open") [one.standing, one.followed] = [standing, standing.update];
      tellSteps(one, view, standing.kind === "open" ? standing.update.seq : standing.seq);
      if (standing.kind === "ended") end(one, standing);
    },
    /** Ends the wait for a workload, because its time is over. */
    timeOut(one: WaitedWorkload): void {
      end(one, timedOutEnd(one, style()));
    },
  };
}

/** Returns whether the wait saw the update open. An update may also open and end between two reads. */
function isFollowed({ followed, lastStep }: WaitedWorkload): boolean {
  return followed !== undefined || lastStep !== undefined;
}

function timedOutEnd({ standing, lastStep }: WaitedWorkload, style: Style): Ended {
  const ended = { kind: "ended", result: "timed-out", reasons: [] } as const;
  if (standing.kind !== "open")
    return { ...ended, images: [], ...(lastStep === undefined ? {} : { why: lastStep.text }) };
  const { wants, seq, detectedAt } = standing.update;
  return { ...ended, images: wants, seq, detectedAt, why: updateState(standing.update, style).words };
}

/** Returns undefined for a workload that is not tracked. */
async function found<View>(answer: Promise<View>): Promise<View | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
}
