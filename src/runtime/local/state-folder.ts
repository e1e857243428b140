import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { StateDatabase } from "#adapters/sqlite/database";
import { type MigratedFile, openStateFile } from "#adapters/sqlite/state-file";
import { PermanentError } from "#ports/errors";
import type { Certificate } from "./certificate.ts";
import { refusedStateFile } from "./refused-state-file.ts";
import type { ServerFile } from "./server-file.ts";
import { stateFiles } from "./state-files.ts";
import { newInstallation } from "#stored/installation";
import { unusableFolder, whatANewStartMeans } from "./unusable-folder.ts";
import { readIfThere, writeWhole } from "./whole-file.ts";

/** The state folder of a local Lookout. Only one process at a time can use the folder. */
export interface StateFolder {
  /** The absolute path of the folder. */
  readonly path: string;
  /** The token of the API: 43 characters of base64url. The token stays the same after a restart. */
  readonly token: string;
  /** The open state file. Its lock excludes other processes. */
  readonly database: StateDatabase;
  /** Present if the state file had an older version. */
  readonly migrated?: MigratedFile;
  /** Writes this process's address and certificate to `server.json`, for commands. */
  announce(url: string, certificate?: Pick<Certificate, "leaf">): Promise<void>;
  /**
   * Removes `server.json`, closes the database and releases the folder. A second call does nothing.
   */
  release(): Promise<void>;
}

/** The state files of earlier versions of Lookout, which this version does not read. */
const formerFiles: readonly string[] = ["table.db", "lookout-state.json"];

const ownerOnlyFolder = 0o700;
const tokenBytes = 32;

/**
 * Opens or creates the folder, with its state file and its token. The open state file locks the
 * folder.
 *
 * @throws PermanentError if the folder is in use, not writable, or of another program or version
 */
export async function openStateFolder(dir: string): Promise<StateFolder> {
  const path = resolve(dir);
  try {
    await mkdir(path, { recursive: true, mode: ownerOnlyFolder });
    await refuseOthers(path);
    await chmod(path, ownerOnlyFolder);
    const opened = openStateFile(join(path, stateFiles.state), newInstallation());
    if (opened.kind === "refused") throw await refusedStateFile(opened, path);
    const { database, migrated } = opened;
    return { ...(await folderAround(path, database)), ...(migrated === undefined ? {} : { migrated }) };
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
      announce: async (url, certificate) => {
        const pinned = certificate === undefined ? {} : { certificate: certificate.leaf };
        const announced: ServerFile = { url, pid: process.pid, ...pinned };
        await writeWhole(server, JSON.stringify(announced)).catch((error: unknown) => {
          throw unusableFolder(path, error);
        });
      },
      release: async () => {
        // This process removes `server.json` before it releases the lock, because the file may then
        // belong to another process.
        if (database.sql.isOpen) await rm(server, { force: true });
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Rejects a folder with other files. Files that a killed start left in the folder are allowed. */
async function refuseOthers(path: string): Promise<void> {
  const names = await readdir(path);
  const former = formerFiles.find((name) => names.includes(name));
  if (former !== undefined)
    throw new PermanentError(
      `the folder ${path} contains ${former}, the state of an earlier version, which this version does not read\n` +
        `To start anew: mv "${path}" "${path}.old", or name another folder with --data FOLDER.\n` +
        whatANewStartMeans,
    );
  const known = [...Object.values(stateFiles), "probe."];
  const other = names.find((name) => !known.some((start) => name.startsWith(start)));
  if (other !== undefined)
    throw new PermanentError(
      `the folder ${path} is not a state folder, because it contains ${other}; name an empty or a new folder with --data FOLDER`,
    );
}

/** Returns the token. A token that is too short, or that others could read, is replaced. */
async function readOrMakeToken(path: string): Promise<string> {
  const stored = (await readIfThere(path))?.trim();
  if (stored !== undefined && /^[\w-]{43,}$/.test(stored) && (await isOwnersAlone(path))) return stored;
  const made = randomBytes(tokenBytes).toString("base64url");
  await rm(path, { force: true });
  await writeWhole(path, `${made}\n`);
  return made;
}

/**
 * Returns whether only the owner can read a file. On Windows, the user's profile protects the
 * folder.
 */
async function isOwnersAlone(path: string): Promise<boolean> {
  return process.platform === "win32" || ((await stat(path)).mode & 0o077) === 0;
}
