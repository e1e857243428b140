import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { PermanentError } from "#ports/errors";
import { codeOf } from "./process-identity.ts";
import { takeLock } from "./state-lock.ts";

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

const schema = 1;
const ownerOnlyFile = 0o600;
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
    await claim(path);
    await chmod(path, ownerOnlyFolder);
    const lock = await takeLock(join(path, stateFiles.lock), port);
    const token = await readOrMakeToken(join(path, stateFiles.token));
    const server = join(path, stateFiles.server);
    await rm(server, { force: true });
    return {
      path,
      token,
      announce: (url) => writeWhole(server, JSON.stringify({ url, pid: process.pid } satisfies ServerFile)),
      release: async () => {
        await rm(server, { force: true });
        await lock.release();
      },
    };
  } catch (error) {
    throw error instanceof PermanentError ? error : unusable(path, error);
  }
}

/** Marks an empty folder as Lookout's; refuses one that holds something else. */
async function claim(path: string): Promise<void> {
  const marker = join(path, stateFiles.marker);
  const text = await readIfThere(marker);
  if (text !== undefined) {
    refuseOtherSchema(marker, text);
    return;
  }
  // Lookouts that start at once in a new folder may see each other's drafts.
  const others = (await readdir(path)).filter((name) => !name.startsWith(stateFiles.marker));
  if (others.length > 0 && (await readIfThere(marker)) === undefined) {
    throw new PermanentError(
      `the folder ${path} is not Lookout's: it holds ${others[0] ?? ""} and no ${stateFiles.marker}; name an empty or a new folder`,
    );
  }
  await writeWhole(marker, JSON.stringify({ program: "lookout", schema }));
}

function refuseOtherSchema(marker: string, text: string): void {
  const written = schemaOf(text);
  if (written === schema) return;
  throw new PermanentError(
    written === undefined
      ? `${marker} is not what Lookout writes there: the folder is damaged or something else's; name another folder`
      : `${marker} says schema ${written}, and this Lookout reads schema ${schema}: run the version that wrote it, or name another folder`,
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

/** Nobody reads half of the file: it is written beside its place and moved there. */
async function writeWhole(path: string, content: string): Promise<void> {
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, content, { mode: ownerOnlyFile });
  await rename(draft, path);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

function unusable(path: string, error: unknown): PermanentError {
  const code = codeOf(error) ?? "unknown error";
  return new PermanentError(
    `the folder ${path} cannot be used for Lookout's state (${code}): name one that you may write to`,
    {
      cause: error,
    },
  );
}
