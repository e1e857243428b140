import { type FileHandle, open, rm } from "node:fs/promises";
import { backup, type DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { PermanentError } from "#ports/errors";
import { portError } from "./errors.ts";
import { finishBackup } from "./finish-backup.ts";
import { applicationId, fileVersion } from "./schema.ts";

const ownerOnly = 0o600;
/** The pages of one step. A step blocks the statements of the process for about a millisecond. */
const pagesPerStep = 100;
/**
 * The attempts to begin, and the longest pause between two. An attempt fails if a transaction is open
 * at this moment, and a busy process has one open most of the time.
 */
const attempts = 200;
const longestPauseMs = 20;

/** Returns the size of the database in bytes, without its log. */
export function sizeOf(sql: DatabaseSync): number {
  const { bytes } =
    sql.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size").get() ?? {};
  return Number(bytes);
}

/**
 * Copies the database of an open connection to a new file that only its owner may read, while the
 * process reads and writes. The copy has all writes from before the call, and perhaps later ones.
 * The copy is checked, and needs no log beside it.
 *
 * @throws TransientError for an error of SQLite, PermanentError for a damaged copy, or the error of
 *   the system or the signal. No file remains.
 */
export async function copyDatabase(sql: DatabaseSync, path: string, signal: AbortSignal): Promise<void> {
  const file = await open(path, "wx", ownerOnly);
  try {
    try {
      await copyPages(sql, path, file, signal);
    } finally {
      await file.close();
    }
    await finish(path, signal);
  } catch (error) {
    for (const each of [path, `${path}-journal`, `${path}-wal`, `${path}-shm`]) await rm(each, { force: true });
    throw portError(error, "copying the state");
  }
}

async function copyPages(sql: DatabaseSync, path: string, file: FileHandle, signal: AbortSignal): Promise<void> {
  let flushing: Promise<void> | undefined;
  const progress = (): void => {
    signal.throwIfAborted();
    // SQLite flushes the whole copy in its last step, which would block the process. This flush
    // leaves little to do.
    flushing ??= file
      .datasync()
      .catch(() => undefined)
      .then(() => {
        flushing = undefined;
      });
  };
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      await backup(sql, path, { rate: pagesPerStep, progress });
      // If the database is closed meanwhile, `backup` ends without an error.
      if (!sql.isOpen) throw new Error("the state file was closed during the copy");
      return;
    } catch (error) {
      if (attempt === attempts || !isBusy(error)) throw error;
      await pause(Math.min(attempt, longestPauseMs));
    }
  }
}

/** Returns whether a transaction was open as the copy began. Node reports no code of SQLite then. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 0;
}

/** Checks a copy in another thread, because the check reads the whole copy. */
async function finish(path: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const worker = new Worker(`(${finishBackup.toString()})()`, {
    eval: true,
    workerData: { path, applicationId, fileVersion },
  });
  worker.once("message", resolve);
  worker.once("error", reject);
  worker.once("exit", () => {
    reject(new Error("the check of the copy ended without a result"));
  });
  const end = (): void => void worker.terminate();
  signal.addEventListener("abort", end);
  const said = await promise.finally(() => {
    signal.removeEventListener("abort", end);
  });
  if (said !== "ok") throw new PermanentError(`the copy of the state is damaged: ${String(said)}`);
}
