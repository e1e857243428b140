import type { FactView, RegistryFactView } from "#contracts/api/process";
import { isRegistryFact } from "#domain/registry/outage";
import { type DurationMs, durationMs, minutes, seconds, since } from "#domain/shared/time";
import { workloadKey } from "#domain/workload/workload";
import type { ServerFlags } from "./context.ts";
import { exitCodes, Failure } from "./failure.ts";
import type { Style } from "./render/style.ts";
import { findServer, type Server } from "./server.ts";
import {
  type Awaited,
  isBehind,
  isOpen,
  unread,
  type WaitedWorkload,
  waitReads,
  type WaitReport,
} from "./wait-reads.ts";
import type { World } from "./world.ts";

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

/** The time between reads. The events of a local process hurry the next read. */
const readEvery = { local: seconds(2), stack: seconds(5) } as const;
/** A server may be away for so long, for example to restart. */
const longestOutage = minutes(1);
const tick = seconds(1);
/** The pause before the history is read again, because it may lag behind the workload. */
const soon = seconds(0.2);

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
  const rounds = roundsOf(waiting, AbortSignal.any([over.signal, interrupted]));
  try {
    const finished = rounds.run().then(() => "finished" as const);
    const first = await Promise.race([
      finished,
      // Even a wait without time looks once.
      Promise.all([timedOut, rounds.lookedOnce]).then(() => "timed-out" as const),
      aborted(interrupted).then(() => "interrupted" as const),
    ]);
    // The signal ends the rounds. A request in flight is not waited for.
    finished.catch(() => undefined);
    if (first === "timed-out") rounds.endAll();
    return first === "interrupted" ? "interrupted" : "done";
  } finally {
    over.abort();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
}

interface Rounds {
  /** Resolves after the first read, also after one without an answer. */
  readonly lookedOnce: Promise<void>;
  /** Reads the workloads until all have ended. */
  run(): Promise<void>;
  /** Ends the open waits, because their time is over. */
  endAll(): void;
}

function roundsOf(waiting: Waiting, stop: AbortSignal): Rounds {
  const { world, flags, report, awaited } = waiting;
  const reads = waitReads({ ...waiting, stop });
  const bell = newBell(world, stop);
  const looked = Promise.withResolvers<undefined>();
  let waited: readonly WaitedWorkload[] | undefined;
  let server: Server | undefined;
  let lastOutage: Failure | undefined;
  let answeredAt = world.now();
  let isFollowing = false;

  const followFacts = (of: Server): void => {
    if (isFollowing) return;
    isFollowing = true;
    const isAwaited = (workload: string): boolean => waited?.some((one) => one.workload === workload) === true;
    void follow(of, stop, bell.ring, isAwaited).finally(() => (isFollowing = false));
  };

  const round = async (): Promise<void> => {
    const found = (server ??= await findServer(world, flags));
    followFacts(found);
    waited ??= (await awaited(found)).map(unread);
    await Promise.all(waited.filter(isOpen).map((one) => reads.read(found, one)));
    [answeredAt, lastOutage] = [world.now(), undefined];
  };

  const noteOutage = (error: unknown): void => {
    if (!isOutage(error) || since(answeredAt, world.now()) >= longestOutage) throw error;
    if (lastOutage === undefined && !stop.aborted) report.outage(error);
    [server, lastOutage] = [undefined, error];
  };

  const pauseLength = (): DurationMs => {
    if (lastOutage !== undefined) return tick;
    if (waited?.some(isBehind) === true) return soon;
    return server?.stack === undefined ? readEvery.local : readEvery.stack;
  };

  const pause = async (length: DurationMs): Promise<void> => {
    for (let left = length; left > 0 && !stop.aborted; left = durationMs(left - tick)) {
      const one = waited?.find(isOpen);
      if (one !== undefined) report.progress({ ...one, step: one.lastStep });
      if ((await bell.pause(durationMs(Math.min(left, tick)))) === "rung") return;
    }
  };

  return {
    lookedOnce: looked.promise,
    async run() {
      // A folder without a process is no outage.
      server = await findServer(world, flags);
      while (!stop.aborted) {
        await round().catch(noteOutage);
        looked.resolve(undefined);
        if (waited?.some(isOpen) === false) return;
        await pause(pauseLength());
      }
    },
    endAll() {
      if (waited === undefined) throw lastOutage ?? new Error("the wait ended before its first read");
      for (const one of waited) reads.timeOut(one);
    },
  };
}

interface Bell {
  readonly ring: () => void;
  /** Pauses for this time, or until the bell rings. A ring since the last pause counts. */
  readonly pause: (length: DurationMs) => Promise<"rung" | "over">;
}

function newBell(world: World, stop: AbortSignal): Bell {
  let rung = new AbortController();
  return {
    ring: () => {
      rung.abort();
    },
    pause: async (length) => {
      const { signal } = rung;
      if (!signal.aborted) await world.pause(length, AbortSignal.any([stop, signal]));
      if (!signal.aborted) return "over";
      rung = new AbortController();
      return "rung";
    },
  };
}

/** Rings at each fact about an awaited workload, until the connection ends. A stack has no events. */
async function follow(
  server: Server,
  stop: AbortSignal,
  ring: () => void,
  isAwaited: (workload: string) => boolean,
): Promise<void> {
  if (server.stack !== undefined) return;
  try {
    const events = await server.follow(stop);
    // A change before the connection began is in no event.
    ring();
    for await (const data of events) {
      const fact = JSON.parse(data) as FactView | RegistryFactView;
      if (!isAboutRegistry(fact) && isAwaited(workloadKey(fact.workload))) ring();
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
