import type { EpochMs } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";

/** What a run has read, which a patch that it sends has to rest on. */
export interface Reads {
  /** The object, as the cluster showed it last. */
  object?: {
    readonly tick: number;
    readonly uid: string;
    readonly generation: number;
    readonly annotations: Readonly<Record<string, string>>;
  };
  /** The record, as the store showed it last. */
  record?: { readonly tick: number; readonly record: WorkloadRecord | undefined };
  /** Its own clock, as it read it last. */
  clock?: EpochMs;
}

/** One run of one function: it stands at the calls of ports that have not been answered. */
export interface Run {
  readonly number: number;
  readonly name: string;
  readonly reads: Reads;
  /** How far its clock is off. */
  readonly skewMs: number;
  /** False: it was deployed before the cluster was added, or after it was taken away. */
  readonly knowsCluster: boolean;
  /** The body of the message that it works on; absent where none asked for it. */
  readonly body?: string;
  /** Until when it does not move; past: it moves. */
  frozenUntil: number;
  dead: boolean;
  ended: boolean;
}

/** A call of a port that waits for its fate. */
export interface Call {
  readonly run: Run;
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
  /** Does what the call asks of the port, without answering it. */
  perform(): Promise<unknown>;
  answer(value: unknown): void;
  fail(error: Error): void;
  /** Present when it was performed, and only the answer has not arrived. */
  done?: { readonly value: unknown };
}

/** The runs in work, and where each of them stands. */
export interface Runs {
  /** Starts a run; it goes as far as its first call. */
  start(
    name: string,
    condition: Pick<Run, "skewMs" | "knowsCluster" | "body">,
    command: (run: Run) => Promise<unknown>,
    ended: (failed: unknown) => void,
  ): Run;
  /** Lets a run wait at a call. */
  park(call: Omit<Call, "answer" | "fail">): Promise<unknown>;
  /** The calls that may be answered at this instant, in the order in which they were made. */
  waiting(now: number): readonly Call[];
  /** All calls of a run that have no answer. */
  callsOf(run: Run): readonly Call[];
  alive(): readonly Run[];
  /** How many runs were started so far. */
  count(): number;
  take(call: Call): void;
  keep(call: Call): void;
  kill(run: Run): void;
}

/** No run at first. */
export function noRuns(): Runs {
  let calls: Call[] = [];
  let runs: Run[] = [];
  let started = 0;
  const forget = (run: Run): void => {
    runs = runs.filter((one) => one !== run);
  };
  return {
    start(name, condition, command, ended) {
      started += 1;
      const run: Run = { number: started, name, reads: {}, ...condition, frozenUntil: 0, dead: false, ended: false };
      runs.push(run);
      const finish = (failed: unknown): void => {
        run.ended = true;
        forget(run);
        ended(failed);
      };
      command(run).then(() => finish(undefined), finish);
      return run;
    },
    park: (call) =>
      new Promise((answer, fail) => {
        if (!call.run.dead) calls.push({ ...call, answer, fail });
      }),
    waiting: (now) => calls.filter(({ run }) => run.frozenUntil <= now),
    callsOf: (run) => calls.filter((call) => call.run === run),
    alive: () => runs,
    count: () => started,
    take: (call) => {
      calls = calls.filter((one) => one !== call);
    },
    keep: (call) => void calls.push(call),
    kill(run) {
      run.dead = true;
      calls = calls.filter((call) => call.run !== run);
      forget(run);
    },
  };
}

/** Answers when nothing moves any more: everything that could go on has reached a call. A tick comes after all microtasks. */
export function stillness(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
