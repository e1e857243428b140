import { randomBytes } from "node:crypto";
import { chmod, mkdir, readdir, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { schemasRead } from "#domain/record-schema";
import { recordSchema } from "#domain/update";
import { PermanentError } from "#ports/errors";
import { codeOf } from "./process-identity.ts";
import { takeLock } from "./state-lock.ts";
import { readIfThere, writeWhole } from "./whole-file.ts";

/** The folder where a local Lookout keeps what outlives it. Held by one process at a time. */
export interface StateFolder {
  /** Absolute. */
  readonly path: string;
  /** What callers of the API prove themselves with: 43 characters of base64url, the same at the next start. */
  readonly token: string;
  /** Writes where this process answers into `server.json`, for commands that are run beside it. */
  announce(url: string): Promise<void>;
  /** Takes `server.json` back and gives the folder up. Twice is fine. */
  release(): Promise<void>;
}

/** What a command that is run beside the server reads of it. */
export interface ServerFile {
  readonly url: string;
  readonly pid: number;
}

/** Names of the files in the folder. */
export const stateFiles = {
  marker: "lookout-state.json",
  lock: "lock",
  token: "token",
  server: "server.json",
  table: "table.db",
  tableProcess: "table-process.json",
} as const;

/** What is in the folder is as new as its records. */
const schema = recordSchema;
const ownerOnlyFolder = 0o700;
const tokenBytes = 32;

/**
 * Opens the folder for this process: makes it if there is none, checks that it is Lookout's, locks it, reads the token or makes one.
 *
 * @param port - where the process is going to listen; others that find the folder locked are told
 * @throws PermanentError when the folder holds something else, was written by another version, may not be written, or is in use.
 */
export async function openStateFolder(dir: string, port: number): Promise<StateFolder> {
  const path = resolve(dir);
  try {
    await mkdir(path, { recursive: true, mode: ownerOnlyFolder });
    const written = await claim(path);
    await chmod(path, ownerOnlyFolder);
    const lock = await takeLock(join(path, stateFiles.lock), port);
    // From here on this folder is for no older Lookout, which would lose a part of what it holds.
    if (written < schema) await mark(join(path, stateFiles.marker));
    const server = join(path, stateFiles.server);
    const token = await readOrMakeToken(join(path, stateFiles.token)).catch(async (error: unknown) => {
      await lock.release();
      throw error;
    });
    await rm(server, { force: true });
    return {
      path,
      token,
      announce: async (url) => {
        const announced: ServerFile = { url, pid: process.pid };
        await writeWhole(server, JSON.stringify(announced)).catch((error: unknown) => {
          throw unusableFolder(path, error);
        });
      },
      release: async () => {
        await rm(server, { force: true });
        await lock.release();
      },
    };
  } catch (error) {
    throw error instanceof PermanentError ? error : unusableFolder(path, error);
  }
}

/** Marks an empty folder as Lookout's; refuses one that holds something else. Answers the schema that its marker tells. */
async function claim(path: string): Promise<number> {
  const marker = join(path, stateFiles.marker);
  const text = await readIfThere(marker);
  if (text !== undefined) return knownSchema(marker, text);
  // Lookouts that start at once in a new folder may see each other's drafts.
  const others = (await readdir(path)).filter((name) => !name.startsWith(stateFiles.marker));
  if (others.length > 0 && (await readIfThere(marker)) === undefined) {
    throw new PermanentError(
      `the folder ${path} is not Lookout's: it holds ${others[0] ?? ""} and no ${stateFiles.marker}; name an empty or a new folder`,
    );
  }
  await mark(marker);
  return schema;
}

function mark(marker: string): Promise<void> {
  return writeWhole(marker, JSON.stringify({ program: "lookout", schema }));
}

/** Answers the schema that the marker tells: this one, or one before, which are read as well. */
function knownSchema(marker: string, text: string): number {
  const written = schemaOf(text);
  if (written !== undefined && written >= 1 && written <= schema) return written;
  throw new PermanentError(
    written === undefined
      ? `${marker} is not what Lookout writes there: the folder is damaged or something else's; name another folder`
      : `${marker} says schema ${written}, and this Lookout reads ${schemasRead}: run the version that wrote it, or name another folder`,
  );
}

function schemaOf(text: string): number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || !("program" in value) || value.program !== "lookout")
      return undefined;
    return "schema" in value && typeof value.schema === "number" ? value.schema : undefined;
  } catch {
    return undefined;
  }
}

/** A token that others could have read, or that is too short to be one, is replaced. */
async function readOrMakeToken(path: string): Promise<string> {
  const stored = (await readIfThere(path))?.trim();
  if (stored !== undefined && /^[\w-]{43,}$/.test(stored) && ((await stat(path)).mode & 0o077) === 0) return stored;
  const made = randomBytes(tokenBytes).toString("base64url");
  await rm(path, { force: true });
  await writeWhole(path, `${made}\n`);
  return made;
}

/** Says that a folder's disk is full, where something else than the system said so. */
export function fullDisk(path: string): PermanentError {
  return unusableFolder(path, Object.assign(new Error("no room"), { code: "ENOSPC" }));
}

/** Says that a folder can't hold the state, why in plain words, and what to do. */
export function unusableFolder(path: string, error: unknown): PermanentError {
  const code = codeOf(error) ?? "unknown error";
  const [why, advice] = troubles[code] ?? ["the system refuses", elsewhere];
  return new PermanentError(`the folder ${path} cannot be used for Lookout's state (${code}): ${why}\n${advice}`, {
    cause: error,
  });
}

const elsewhere = "Name another one with --data FOLDER.";
const full = ["its disk is full", "Make room there and start again: nothing is half-written."] as const;
const foreign = [
  "this user may not write there",
  "Name another one with --data FOLDER, or start as the user who owns it.",
] as const;
const noFolder = ["a file is in its place", elsewhere] as const;

/** By the code of the system's error: what is wrong, and what to do. */
const troubles: Readonly<Record<string, readonly [why: string, advice: string]>> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: foreign,
  EPERM: foreign,
  EROFS: ["its disk can only be read", elsewhere],
  EEXIST: noFolder,
  ENOTDIR: noFolder,
  EISDIR: ["a folder is where Lookout keeps a file", elsewhere],
};
