import { stat } from "node:fs/promises";
import { codeOf } from "./system-errors.ts";

/** The outcome of a reader of files. `moved`: the files changed during the read. */
export type ReadAgain = "done" | "failed" | "moved";

interface WatchedFiles {
  /** Returns the paths. A link stands for its target, so a swapped link is a change. */
  readonly paths: () => readonly string[];
  /** Reads the files. `isSame` resolves to whether the files are still as they were at the call. */
  readonly read: (isSame: () => Promise<boolean>) => Promise<ReadAgain>;
}

/** After a failure, the files are read again at each of these looks: a secret in AWS may be back. */
const retryEvery = 30;

/**
 * Returns a function that looks at the files, and reads them once a change has lasted for two looks.
 * Call it every second.
 *
 * The function compares sizes, times and inodes, because no other way works on every file system.
 */
export function watchedFiles({ paths, read }: WatchedFiles): () => Promise<void> {
  // The first stable look reads the files once more: they may have changed since the start read them.
  let used = "";
  let seen = "";
  let looksSinceFailure: number | undefined;
  let running: Promise<void> | undefined;

  const look = async (): Promise<void> => {
    const now = await markOf(paths());
    const isStable = now === seen;
    seen = now;
    if (looksSinceFailure !== undefined) looksSinceFailure += 1;
    const isRetry = looksSinceFailure !== undefined && looksSinceFailure >= retryEvery;
    if (!isStable || (now === used && !isRetry)) return;
    const ended = await read(async () => (await markOf(paths())) === now);
    if (ended === "moved") return;
    // If the read has found further files, the next look sees other marks, and reads once more.
    used = now;
    looksSinceFailure = ended === "failed" ? 0 : undefined;
  };
  return () =>
    (running ??= look().finally(() => {
      running = undefined;
    }));
}

async function markOf(paths: readonly string[]): Promise<string> {
  return JSON.stringify(await Promise.all(paths.map(async (path) => [path, await stateOf(path)])));
}

async function stateOf(path: string): Promise<string> {
  try {
    const { mtimeNs, ctimeNs, size, ino, dev } = await stat(path, { bigint: true });
    return [mtimeNs, ctimeNs, size, ino, dev].join();
  } catch (error) {
    return codeOf(error) ?? "unknown error";
  }
}
