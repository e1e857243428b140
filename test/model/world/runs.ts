import type { Declared } from "#domain/definitions/definition";
import type { EpochMs } from "#domain/shared/time";
import type { TierRules } from "#domain/tiers/rules";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { LiveWorkload } from "#domain/workload/workload";
import type { ListedDefinitions } from "#test/model/judge/definitions";

/** The reads of a run, on which its patch must be based. */
export interface Reads {
  /** The last read of the object. */
  object?: {
    readonly tick: number;
    readonly uid: string;
    readonly generation: number;
    /** Those of the object, and those that definitions declare. */
    readonly annotations: Readonly<Record<string, string>>;
    readonly live: LiveWorkload;
    /** What the store had about the workload's definitions. Absent: they do not count. */
    readonly declared?: readonly Declared[];
  };
  /** The last list of definitions, and what the run wrote to the store since. */
  listed?: ListedDefinitions;
  /** When the run first read the stored definitions of a cluster. */
  definitionsTick?: number;
  /** The last read of the record. */
  record?: { readonly tick: number; readonly record: WorkloadRecord | undefined };
  /** The tiers of the run's configuration. */
  tiers?: TierRules;
  /** The last read of the run's clock. */
  clock?: EpochMs;
  /** True: the registry did not answer a call. */
  registryFailed?: true;
}

/** One run of one function, which waits for answers to its calls of ports. */
export interface Run {
  readonly number: number;
  readonly name: string;
  readonly reads: Reads;
  /** The error of the run's clock. */
  readonly skewMs: number;
  /** False: the function's configuration does not have the cluster. */
  readonly knowsCluster: boolean;
  /** The body of the run's message. Absent for a run without a message. */
  readonly body?: string;
  /** The end of the run's freeze. A past time means that the run is not frozen. */
  frozenUntil: number;
  dead: boolean;
  ended: boolean;
  /** True: the run ended with an error, and its trigger starts it again. */
  failed: boolean;
}

/** A call of a port without an answer. */
export interface Call {
  readonly run: Run;
  readonly port: string;
  readonly method: string;
  readonly args: readonly unknown[];
  /** Performs the call at the port, without an answer to the run. */
  perform(): Promise<unknown>;
  answer(value: unknown): void;
  fail(error: Error): void;
  /** The result of a performed call whose answer has not arrived. */
  done?: { readonly value: unknown };
}

/** The active runs and their open calls. */
export interface Runs {
  /** Starts a run, which proceeds to its first call. */
  start(
    name: string,
    condition: Pick<Run, "skewMs" | "knowsCluster" | "body">,
    command: (run: Run) => Promise<unknown>,
    ended: (failed: unknown) => void,
  ): Run;
  /** Adds an open call of a run. */
  park(call: Omit<Call, "answer" | "fail">): Promise<unknown>;
  /** Returns the calls that may be answered now, in order. */
  waiting(now: number): readonly Call[];
  /** Returns all open calls of a run. */
  callsOf(run: Run): readonly Call[];
  alive(): readonly Run[];
  /** Returns the number of runs so far. */
  count(): number;
  take(call: Call): void;
  keep(call: Call): void;
  kill(run: Run): void;
}

/** Returns an empty set of runs. */
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
      const run: Run = {
        number: started,
        name,
        reads: {},
        ...condition,
        frozenUntil: 0,
        dead: false,
        ended: false,
        failed: false,
      };
      runs.push(run);
      const finish = (failed: unknown): void => {
        run.ended = true;
        run.failed = failed !== undefined;
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

/** Resolves when all runs wait at a call. A tick comes after all microtasks. */
export function stillness(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
