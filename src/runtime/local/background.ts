import { setTimeout as pause } from "node:timers/promises";
import { syncDue } from "#app/detect/sync-cluster";
import { sendAllOpenWork } from "#app/gate/reap";
import type { Ports } from "#app/shared/ports";
import { allRecords } from "#app/shared/records";
import type { Invocation, Log } from "../handler.ts";
import { changesFunctions, scheduleFunctions } from "./functions.ts";
import type { InTime } from "./time-limit.ts";
import { clusterWatches } from "./watch.ts";

interface BackgroundOptions {
  /** Returns the ports with the configuration in force. */
  readonly ports: () => Ports;
  readonly log: Log;
  /** Runs a function within the time limit of its route. */
  readonly inTime: InTime;
  /** Aborts when the process stops. */
  readonly stopped: AbortSignal;
}

/** The background work: schedules, changes, and watches of the clusters. */
export interface Background {
  /** Resumes the unfinished work of an earlier process, then starts the background work. */
  start(): Promise<void>;
  /**
   * Watches the clusters of a new configuration. `evaluates`: the configuration may decide otherwise, so
   * all clusters are synced and all workloads evaluated.
   */
  configurationChanged(evaluates: boolean): Promise<void>;
  /** Resolves after the last run. The signal must have aborted before. */
  stop(): Promise<void>;
}

/** The delay before changes are published, so that commands such as a patch run first. */
const gatherChangesMs = 50;
/** The interval of checks for changes that no write of this process announced. */
const changesEveryMs = 1_000;
const changesPerRun = 100;

/** Returns the background of a process. */
export function backgroundOf(options: BackgroundOptions): Background {
  const { ports, inTime, stopped, log } = options;
  const timers = new Set<NodeJS.Timeout>();
  const teller = tellerOf(options);
  const watches = clusterWatches(stopped, log);
  const every = (milliseconds: number, run: () => void): void => {
    timers.add(setInterval(run, milliseconds));
  };
  return {
    async start() {
      ports().changes.onWrite(teller.tell);
      teller.tell();
      await takeUp(ports());
      await syncDue(ports());
      watches.follow(ports());
      every(changesEveryMs, teller.tell);
      for (const { name, route, run } of scheduleFunctions)
        every(route.trigger.everyMs, () => {
          inTime(route, run).catch((error: unknown) => log.failure({ id: name, error }));
        });
    },
    async configurationChanged(evaluates) {
      watches.follow(ports());
      if (!evaluates) return;
      await syncDue(ports());
      await evaluateTracked(ports(), "reload");
    },
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await Promise.allSettled([watches.ended(), teller.last()]);
    },
  };
}

interface Teller {
  readonly tell: () => void;
  /** Returns the run in progress, or undefined between runs. */
  last(): Promise<void> | undefined;
}

/**
 * Publishes changes, one run at a time, until none are left. The next check retries a failed run.
 */
function tellerOf({ ports, log, inTime }: BackgroundOptions): Teller {
  let running: Promise<void> | undefined;
  let asked = 0;
  const run = async (): Promise<void> => {
    for (let heard = -1; heard !== asked;) {
      await pause(gatherChangesMs);
      heard = asked;
      await inTime({ timeoutMs: 30_000 }, (invocation) => handOnAll(ports(), invocation));
    }
  };
  return {
    tell() {
      asked += 1;
      running ??= run()
        .catch((error: unknown) => log.failure({ id: "notify/state-changed", error }))
        .finally(() => {
          running = undefined;
        });
    },
    last: () => running,
  };
}

async function handOnAll({ changes }: Ports, invocation: Invocation): Promise<void> {
  for (let taken = await changes.take(changesPerRun); taken.length > 0; taken = await changes.take(changesPerRun)) {
    for (const { run } of changesFunctions) await run(taken, invocation);
    await changes.done(taken);
  }
}

/** Resumes the work of an earlier process: timers, open updates, pushes without an evaluation. */
export async function takeUp(ports: Ports): Promise<void> {
  await sendAllOpenWork(ports);
  await evaluateTracked(ports, "start");
}

/** Queues an evaluation of each tracked workload. `why` begins the id of the commands. */
export async function evaluateTracked(ports: Ports, why: string): Promise<void> {
  const { queues, clock } = ports;
  const tracked = (await allRecords(ports)).filter((record) => record.tracked);
  const id = `${why}:${clock.now()}`;
  await queues.send(
    tracked.map(({ workload }) => ({ command: { name: "EvaluateWorkload", id, workload, source: "start" } })),
  );
}
