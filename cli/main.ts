import { setTimeout as pause } from "node:timers/promises";
import { durationMs, epochMs } from "#domain/shared/time";
import { run } from "./program.ts";
import type { World } from "./world.ts";

/** The time limit of a request. The Lookout server may wait for a registry before it answers. */
const answerTimeout = durationMs(30_000);

/**
 * Runs the `lookout` command with the environment of this process.
 *
 * @returns one of `exitCodes`.
 */
export async function main(arguments_: readonly string[]): Promise<number> {
  return run(arguments_, worldOfThisProcess(watchOutput()));
}

/** The error codes of a pipe without a reader, and of a closed terminal. */
const closedCodes = new Set(["EPIPE", "EIO"]);

/** Returns {@link World.outputClosed}. Before its first call, a closed output ends the command. */
function watchOutput(): World["outputClosed"] {
  const closed = new AbortController();
  let isWatched = false;
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (!closedCodes.has(error.code ?? "")) throw error;
    // A reader such as `head -1` may close the pipe early, which is not a failure.
    if (!isWatched) process.exit(0);
    closed.abort();
  });
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (!closedCodes.has(error.code ?? "")) throw error;
  });
  return () => {
    isWatched = true;
    return closed.signal;
  };
}

/** Returns the environment, the streams and the clock of the running process. */
export function worldOfThisProcess(outputClosed: World["outputClosed"]): World {
  const isTerminal = process.stdout.isTTY;
  return {
    environment: process.env,
    cwd: process.cwd(),
    stdin: () => process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: () => epochMs(Date.now()),
    fetch: async (url, request, trust) => {
      const timed = { signal: AbortSignal.timeout(answerTimeout), ...request };
      if (trust === undefined) return fetch(url, timed);
      const { trustingFetch } = await import("./trusting-fetch.ts");
      return trustingFetch(url, timed, trust);
    },
    interrupted,
    outputClosed,
    pause: (length, signal) => pause(length, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
    columns: isTerminal ? process.stdout.columns : undefined,
    isTerminal,
    isErrorTerminal: process.stderr.isTTY,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.on(signal, () => {
      controller.abort();
    });
  return controller.signal;
}
