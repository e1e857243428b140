import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { StateDatabase } from "#adapters/sqlite/database";
import { openStateFile } from "#adapters/sqlite/state-file";
import { PermanentError } from "#ports/errors";
import { refusedStateFile } from "./refused-state-file.ts";
import type { ServerFile } from "./server-file.ts";
import { stateFiles } from "./state-files.ts";
import { newInstallation } from "./state.ts";
import { unusableFolder, whatANewStartMeans } from "./unusable-folder.ts";
import { readIfThere, writeWhole } from "./whole-file.ts";

/** The folder where a local Lookout keeps what outlives it. Held by one process at a time. */
export interface StateFolder {
  /** Absolute. */
  readonly path: string;
  /** What callers of the API prove themselves with: 43 characters of base64url, the same at the next start. */
  readonly token: string;
  /** The state file, open. Its lock keeps every other process out of the folder. */
  readonly database: StateDatabase;
  /** Writes where this process answers into `server.json`, for commands that are run beside it. */
  announce(url: string): Promise<void>;
  /** Takes `server.json` back, closes the database and gives the folder up. Twice is fine. */
  release(): Promise<void>;
}

/** What the folder of a Lookout holds that kept its state in an embedded engine. */
const formerFiles: readonly string[] = ["table.db", "lookout-state.json"];

const ownerOnlyFolder = 0o700;
const tokenBytes = 32;

/**
 * Opens the folder for this process: makes it if there is none, checks that it is Lookout's, opens the state file, which locks it, and
 * reads the token or makes one.
 *
 * @throws PermanentError when the folder holds something else, was written by another version, may not be written, or is in use.
 */
export async function openStateFolder(dir: string): Promise<StateFolder> {
  const path = resolve(dir);
  try {
    await mkdir(path, { recursive: true, mode: ownerOnlyFolder });
    await refuseOthers(path);
    await chmod(path, ownerOnlyFolder);
    const opened = openStateFile(join(path, stateFiles.state), newInstallation());
    if (opened.kind === "refused") throw await refusedStateFile(opened, path);
    return await folderAround(path, opened.database);
  } catch (error) {
    throw error instanceof PermanentError ? error : unusableFolder(path, error);
  }
}

async function folderAround(path: string, database: StateDatabase): Promise<StateFolder> {
  const server = join(path, stateFiles.server);
  try {
    const token = await readOrMakeToken(join(path, stateFiles.token));
    await rm(server, { force: true });
    return {
      path,
      token,
      database,
      announce: async (url) => {
        const announced: ServerFile = { url, pid: process.pid };
        await writeWhole(server, JSON.stringify(announced)).catch((error: unknown) => {
          throw unusableFolder(path, error);
        });
      },
      release: async () => {
        // In this order: once the lock is gone, the file may be that of another process.
        if (database.sql.isOpen) await rm(server, { force: true });
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Refuses a folder that holds anything but what Lookout keeps there; drafts and probes of a start that was killed count as Lookout's. */
async function refuseOthers(path: string): Promise<void> {
  const names = await readdir(path);
  const former = formerFiles.find((name) => names.includes(name));
  if (former !== undefined)
    throw new PermanentError(
      `the folder ${path} holds ${former}: the state of an earlier Lookout, which this one does not read\n` +
        `To start anew: mv "${path}" "${path}.old", or name another folder with --data FOLDER.\n` +
        whatANewStartMeans,
    );
  const known = [...Object.values(stateFiles), "probe."];
  const other = names.find((name) => !known.some((start) => name.startsWith(start)));
  if (other !== undefined)
    throw new PermanentError(
      `the folder ${path} is not Lookout's: it holds ${other}; name an empty or a new folder with --data FOLDER`,
    );
}

/** A token that others could have read, or that is too short to be one, is replaced. */
async function readOrMakeToken(path: string): Promise<string> {
  const stored = (await readIfThere(path))?.trim();
  if (stored !== undefined && /^[\w-]{43,}$/.test(stored) && (await isOwnersAlone(path))) return stored;
  const made = randomBytes(tokenBytes).toString("base64url");
  await rm(path, { force: true });
  await writeWhole(path, `${made}\n`);
  return made;
}

/** Windows has no such modes: there the folder of the user's profile keeps others out. */
async function isOwnersAlone(path: string): Promise<boolean> {
  return process.platform === "win32" || ((await stat(path)).mode & 0o077) === 0;
}
