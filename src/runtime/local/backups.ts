import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { copyDatabase, sizeOf } from "#adapters/sqlite/backup";
import type { StateDatabase } from "#adapters/sqlite/database";
import type { Configuration } from "#contracts/config/configuration";
import { type EpochMs, hours } from "#domain/shared/time";
import type { Clock } from "#ports/clock";
import { TransientError } from "#ports/errors";
import type { StateCopies, StateCopiesOutcome } from "#ports/state-copies";
import { copiesAmong, copyName, draftPattern, isRecent } from "./backup-names.ts";
import { stateFiles } from "./state-files.ts";
import { codeOf } from "./system-errors.ts";
import { syncFolder } from "./whole-file.ts";

/** The copies of the state of a process. The process makes one copy at a time. */
export interface Backups extends StateCopies {
  /** Copies the state for one reader. The file has no name, so it ends with the reader. */
  read(): Promise<CopyToRead>;
  /**
   * Copies the state into the folder `backups` if a copy is due, and deletes the copies beyond
   * `keep`. Other files stay. A failed copy is tried again an hour later.
   *
   * @throws the error of the copy
   */
  copyIfDue(schedule: BackupSchedule): Promise<void>;
  /** Ends a copy that is being made. Later copies fail. */
  stop(): Promise<void>;
}

/** A copy of the state for one reader. */
export interface CopyToRead {
  readonly bytes: number;
  readonly content: ReadableStream<Uint8Array>;
}

/** `backup` of `lookout.yaml`. */
export type BackupSchedule = NonNullable<Configuration["backup"]>;

/** The free space that remains after a copy, for the writes of the process. */
const reserveBytes = 1_048_576;
const retryAfter = hours(1);

/**
 * Returns the copies of a database, in the folder `backups` of a state folder. Drafts of a killed
 * process are removed.
 */
export function openBackups(database: StateDatabase, stateFolder: string, clock: Clock): Backups {
  const folder = join(stateFolder, stateFiles.backups);
  const stopping = new AbortController();
  // The next copy reports a folder that can't be read.
  let last: Promise<unknown> = removeDrafts(folder).catch(() => undefined);
  let outcome: StateCopiesOutcome = {};

  const oneByOne = <Result>(body: () => Promise<Result>): Promise<Result> => {
    const result = last.then(body);
    last = result.catch(() => undefined);
    return result;
  };
  /** Copies the state to a draft, which the caller renames or removes. */
  const draft = async (): Promise<string> => {
    stopping.signal.throwIfAborted();
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await checkSpace(folder, sizeOf(database.sql));
    const path = join(folder, `draft.${randomUUID()}`);
    await copyDatabase(database.sql, path, stopping.signal);
    return path;
  };
  const copyNow = async (now: EpochMs, { keep }: BackupSchedule): Promise<void> => {
    const path = await draft();
    try {
      await rename(path, join(folder, copyName(now)));
    } finally {
      await rm(path, { force: true });
    }
    await syncFolder(folder);
    outcome = { newestAt: now };
    const copies = copiesAmong(await readdir(folder), now);
    for (const { name } of copies.slice(keep)) await rm(join(folder, name), { force: true });
  };

  return {
    outcome: () => outcome,

    read: () =>
      oneByOne(async () => {
        const path = await draft();
        try {
          const file = await open(path, "r");
          const { size } = await file.stat();
          const content = Readable.toWeb(createReadStream("", { fd: file })) as ReadableStream<Uint8Array>;
          return { bytes: size, content };
        } finally {
          await rm(path, { force: true });
        }
      }),

    copyIfDue: (schedule) =>
      oneByOne(async () => {
        const now = clock.now();
        if (isRecent(outcome.failure?.at, retryAfter, now)) return;
        try {
          const newest = copiesAmong(await namesIn(folder), now)[0]?.at;
          if (newest !== undefined && isRecent(newest, schedule.every, now)) outcome = { newestAt: newest };
          else await copyNow(now, schedule);
        } catch (error) {
          if (stopping.signal.aborted) return;
          const detail = error instanceof Error ? error.message : "unknown error";
          outcome = { ...outcome, failure: { at: now, detail } };
          throw error;
        }
      }),

    async stop() {
      stopping.abort(new TransientError("Lookout stops"));
      await last;
    },
  };
}

/** Removes what killed processes left. */
async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await namesIn(folder)).filter((name) => draftPattern.test(name));
  for (const name of drafts) await rm(join(folder, name), { force: true });
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  }
}

/** Throws if a copy would fill the disk, which the process needs for its own writes. */
async function checkSpace(folder: string, neededBytes: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  // Some file systems report no sizes.
  if (blocks === 0 || bavail * bsize >= neededBytes + reserveBytes) return;
  const shown = (bytes: number): string => `${Math.ceil(bytes / 1_048_576)} MiB`;
  throw new TransientError(
    `the disk of ${folder} has ${shown(bavail * bsize)} free, but a copy needs ${shown(neededBytes + reserveBytes)}`,
  );
}

/** Returns the copies' outcome as gauges in the text format of Prometheus. */
export function backupGauges({ newestAt, failure }: StateCopiesOutcome): string {
  const gauge = (name: string, value: number): string => `# TYPE ${name} gauge\n${name} ${value}\n`;
  const newest = newestAt === undefined ? "" : gauge("lookout_backup_newest_timestamp_seconds", newestAt / 1_000);
  return newest + gauge("lookout_backup_failed", failure === undefined ? 0 : 1);
}
