import type { FactView, RegistryFactView } from "#contracts/api/process";
import type { DecisionView, UpdateView, WorkloadView } from "#contracts/api/workloads";
import { isRegistryFact } from "#domain/registry/outage";
import { type DurationMs, durationMs, minutes, seconds, since } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import {
  type Ended,
  type Goal,
  maybeDigest,
  nextUpdate,
  outlookOf,
  type Standing,
  standingOf,
  supersededEnd,
} from "./answers/wait.ts";
import type { ServerFlags } from "./context.ts";
import { exitCodes, Failure } from "./failure.ts";
import { workloadParams } from "./names.ts";
import { verdictOn } from "./render/explain-tag.ts";
import { stepsOfUpdate, waitsForText, type WaitStep } from "./render/wait.ts";
import { updateState } from "./render/state.ts";
import type { Style } from "./render/style.ts";
import { printable } from "./render/printable.ts";
import { findServer, type Server } from "./server.ts";
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
  progress(standing: Progress): void;
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

/** The surroundings of a wait. */
export interface Waiting {
  readonly world: World;
  readonly flags: ServerFlags;
  readonly report: WaitReport;
  readonly style: () => Style;
  readonly timeout: DurationMs;
  /** Returns the workloads, by the first answer of the server. */
  readonly awaited: (server: Server) => Promise<readonly Awaited[]>;
}

/** The reads of a server with and without events. The events of a local process hurry the next read. */
const readEvery = { local: seconds(2), stack: seconds(5) } as const;
/** A server may be away for so long, for example to restart. */
const longestOutage = minutes(1);
const tick = seconds(1);
/** The pause before the history is read again, because it may lag behind the workload. */
const soon = seconds(0.2);
/** Enough for an update that ended before the wait began. */
const decisionsRead = 200;

/**
 * Waits until each workload has ended.
 *
 * @returns `interrupted` after Ctrl-C.
 * @throws Failure if the server refuses, or gives no answer for a minute.
 */
export async function waitForAll(waiting: Waiting): Promise<"done" | "interrupted"> {
  const { world, timeout } = waiting;
  const over = new AbortController();
  const interrupted = world.interrupted();
  const timedOut = world.pause(timeout, over.signal);
  const stopped = new Promise<void>((resolve) => {
    if (interrupted.aborted) resolve();
    interrupted.addEventListener("abort", () => {
      resolve();
    });
  });
  const bell = newBell();
  const rounds = roundsOf(waiting, bell, AbortSignal.any([over.signal, interrupted]));
  try {
    const finished = rounds.run().then(() => "finished" as const);
    const first = await Promise.race([
      finished,
      // Even a wait without time looks once.
      Promise.all([timedOut, rounds.lookedOnce]).then(() => "timed-out" as const),
      stopped.then(() => "interrupted" as const),
    ]);
    if (first === "finished") return "done";
    // The signal ends the rounds. A request in flight is not waited for.
    finished.catch(() => undefined);
    if (first === "interrupted") return "interrupted";
    rounds.endAll();
    return "done";
  } finally {
    over.abort();
  }
}

interface Bell {
  ring(): void;
  /** Pauses for this time, or until the bell rings. A ring since the last pause counts. */
  pause(world: World, length: DurationMs, signal: AbortSignal): Promise<"rung" | "over">;
}

function newBell(): Bell {
  let rung = new AbortController();
  return {
    ring() {
      rung.abort();
    },
    async pause(world, length, signal) {
      const { signal: ringing } = rung;
      if (!ringing.aborted) await world.pause(length, AbortSignal.any([signal, ringing]));
      if (!ringing.aborted) return "over";
      rung = new AbortController();
      return "rung";
    },
  };
}

interface Tracked {
  readonly workload: string;
  goal: Goal | undefined;
  view?: WorkloadView;
  decisions: readonly DecisionView[];
  /** The reads of the history that may follow the last change, because the history may lag behind. */
  historyReads: number;
  standing: Standing;
  readonly told: Set<string>;
  lastStep?: WaitStep;
  /** The update, as the wait last saw it open. */
  followed?: UpdateView;
}

function roundsOf(waiting: Waiting, bell: Bell, stop: AbortSignal) {
  const { world, flags, report, awaited, style } = waiting;
  const started = style();
  let tracked: Tracked[] | undefined;

  const tell = (one: Tracked, step: WaitStep): void => {
    if (one.told.has(step.key)) return;
    one.told.add(step.key);
    one.lastStep = step;
    report.step(one.workload, step);
  };

  const end = (one: Tracked, ended: Ended): void => {
    one.standing = ended;
    report.ended(one.workload, one.goal ?? { kind: "update", seq: 0 }, ended, isFollowed(one));
  };

  const readOne = async (server: Server, one: Tracked): Promise<void> => {
    const params = workloadParams(one.workload);
    const view = await found(server.ask("readWorkload", { params }));
    if (view === undefined) {
      end(one, { kind: "ended", result: "untracked", images: [], reasons: [] });
      return;
    }
    if (view.version !== one.view?.version) one.historyReads = 3;
    one.view = printable(view);
    if (one.historyReads > 0) {
      const { decisions } = await server.ask("readDecisions", { params, query: { limit: decisionsRead } });
      one.decisions = printable(decisions);
      const newest = decisions[0]?.version ?? 0;
      one.historyReads = newest >= view.version ? 0 : one.historyReads - 1;
    }
    one.goal ??= { kind: "update", seq: nextUpdate(view) };
    const standing = standingOf(one.goal, { view: one.view, decisions: one.decisions });
    if (standing.kind === "ended") {
      tellSteps(one, standing.seq);
      end(one, standing);
    } else if (standing.kind === "open") {
      one.standing = standing;
      one.followed = standing.update;
      tellSteps(one, standing.update.seq);
    } else if (one.historyReads > 0) {
      // The end of an update may not be in the history yet.
      one.standing = standing;
    } else if (one.followed !== undefined && one.goal.kind === "version") {
      end(one, supersededEnd(one.followed, one.view));
    } else {
      await readOutlook(server, one, one.goal, one.view);
    }
  };

  /** Tells the steps of an update that the wait saw while it was open. */
  const tellSteps = (one: Tracked, seq: number | undefined): void => {
    const { view, decisions } = one;
    const update = [view?.active, view?.pending, view?.last].find((other) => other !== undefined && other.seq === seq);
    if (update === undefined || !isFollowed(one)) return;
    for (const step of stepsOfUpdate(update, decisions, style())) tell(one, step);
  };

  const readOutlook = async (server: Server, one: Tracked, goal: Goal, view: WorkloadView): Promise<void> => {
    one.standing = { kind: "no-update" };
    const wait = (words: (style: Style) => string | undefined): void => {
      const textAt = (at: Style): string => waitsForText(goal, view, words(at), at);
      tell(one, {
        // The words tell how long a wait lasts, which is no new step.
        key: `waits/${textAt(started)}`,
        at: new Date(world.now()).toISOString(),
        text: textAt(style()),
      });
    };
    if (goal.kind === "update") {
      wait(() => undefined);
      return;
    }
    if (goal.text.includes(":")) {
      wait(() => "no update has this digest yet");
      return;
    }
    const query = maybeDigest(goal.text) ? {} : { tag: goal.text };
    const explanation = await found(server.ask("explainWorkload", { params: workloadParams(one.workload), query }));
    if (explanation === undefined) return;
    const outlook = (at: Style) => outlookOf(printable(explanation), goal.text, (...asked) => verdictOn(...asked, at));
    const { mayCome, words } = outlook(style());
    if (mayCome) wait((at) => outlook(at).words);
    else end(one, { kind: "ended", result: "not-wanted", images: [], reasons: [], why: words });
  };

  const isBehind = ({ standing, historyReads }: Tracked): boolean => standing.kind === "no-update" && historyReads > 0;
  const isOpen = ({ standing }: Tracked): boolean => standing.kind !== "ended";

  const round = async (server: Server): Promise<void> => {
    tracked ??= (await awaited(server)).map(({ workload, goal }) => ({
      ...{ workload, goal, decisions: [], historyReads: 0, told: new Set<string>() },
      standing: { kind: "no-update" },
    }));
    await Promise.all(tracked.filter(isOpen).map((one) => readOne(server, one)));
  };

  const showProgress = (): void => {
    const one = tracked?.find(isOpen);
    if (one !== undefined) report.progress({ workload: one.workload, standing: one.standing, step: one.lastStep });
  };

  const looked = Promise.withResolvers<undefined>();
  let lastOutage: Failure | undefined;

  return {
    /** Resolves after the first read, also after one without an answer. */
    lookedOnce: looked.promise,
    async run(): Promise<void> {
      let server: Server | undefined = await findServer(world, flags);
      let answeredAt = world.now();
      let isFollowing = false;
      while (!stop.aborted) {
        try {
          server ??= await findServer(world, flags);
          if (!isFollowing) {
            isFollowing = true;
            void follow(server, stop, bell, () => tracked ?? []).finally(() => (isFollowing = false));
          }
          await round(server);
          answeredAt = world.now();
          lastOutage = undefined;
        } catch (error) {
          if (!isOutage(error) || since(answeredAt, world.now()) >= longestOutage) throw error;
          if (lastOutage === undefined) report.outage(error);
          [server, lastOutage] = [undefined, error];
        }
        looked.resolve(undefined);
        if (stop.aborted || tracked?.every((one) => !isOpen(one)) === true) return;
        const usual = server?.stack === undefined ? readEvery.local : readEvery.stack;
        await untilNextRead(lastOutage !== undefined ? tick : tracked?.some(isBehind) === true ? soon : usual);
      }
    },
    /** Ends the open waits, because their time is over. */
    endAll(): void {
      if (tracked === undefined) throw lastOutage ?? new Error("the wait ended before its first read");
      for (const one of tracked.filter(isOpen)) end(one, timedOutEnd(one, style()));
    },
  };

  async function untilNextRead(every: DurationMs): Promise<void> {
    for (let left = every; left > 0 && !stop.aborted; left = durationMs(left - tick)) {
      showProgress();
      if ((await bell.pause(world, durationMs(Math.min(left, tick)), stop)) === "rung") return;
    }
  }
}

/** Returns whether the wait saw the update open. An update may also open and end between two reads. */
function isFollowed({ followed, lastStep }: Tracked): boolean {
  return followed !== undefined || lastStep !== undefined;
}

function timedOutEnd({ standing, lastStep }: Tracked, style: Style): Ended {
  const ended = { kind: "ended", result: "timed-out", reasons: [] } as const;
  if (standing.kind !== "open")
    return { ...ended, images: [], ...(lastStep === undefined ? {} : { why: lastStep.text }) };
  const { wants, seq, detectedAt } = standing.update;
  return { ...ended, images: wants, seq, detectedAt, why: updateState(standing.update, style).words };
}

/** Rings the bell at each fact about an awaited workload, until the connection ends. */
async function follow(
  server: Server,
  stop: AbortSignal,
  bell: Bell,
  awaited: () => readonly Pick<Tracked, "workload">[],
): Promise<void> {
  if (server.stack !== undefined) return;
  try {
    const events = await server.follow(stop);
    // A change before the connection began is in no event.
    bell.ring();
    for await (const data of events) {
      const fact = JSON.parse(data) as FactView | RegistryFactView;
      if (isAboutRegistry(fact)) continue;
      const workload = workloadKey(fact.workload);
      if (awaited().some((one) => one.workload === workload)) bell.ring();
    }
  } catch {
    // The reads go on at their interval, and report a server that gives no answer.
  }
}

function isAboutRegistry(fact: FactView | RegistryFactView): fact is RegistryFactView {
  return isRegistryFact(fact);
}

function isOutage(error: unknown): error is Failure {
  return error instanceof Failure && error.exitCode === exitCodes.unreachable;
}

/** Returns undefined for a workload that is not tracked. */
async function found<View>(answer: Promise<View>): Promise<View | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Failure && error.exitCode === exitCodes.notSo) return undefined;
    throw error;
  }
}
