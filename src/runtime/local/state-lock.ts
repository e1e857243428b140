import { link, rename, rm } from "node:fs/promises";
import { PermanentError } from "#ports/errors";
import { type ProcessIdentity, asProcessIdentity, codeOf, identifyProcess, stillRuns } from "./process-identity.ts";
import { readIfThere, writeWhole } from "./whole-file.ts";

/** A lock that this process holds. */
export interface StateLock {
  /** Gives the lock up; does nothing if another process took it over. */
  release(): Promise<void>;
}

interface LockFile extends ProcessIdentity {
  readonly port: number;
}

const attempts = 10;

/**
 * Takes the lock of a folder for this process, or takes it over from a process that is dead.
 *
 * @param path - the lock file
 * @param port - where this process is going to listen, for the message that another one gets
 * @throws PermanentError when a living process holds it, or the file says nothing that Lookout wrote.
 */
export async function takeLock(path: string, port: number): Promise<StateLock> {
  const mine = JSON.stringify({ ...((await identifyProcess(process.pid)) ?? { pid: process.pid }), port });
  for (let attempt = 0; attempt < attempts; attempt++) {
    if (await createWhole(path, mine)) return { release: () => removeIf(path, mine) };
    const held = await readIfThere(path);
    if (held === undefined) continue;
    await refuseIfAlive(path, held);
    await removeIf(path, held);
  }
  throw new PermanentError(`the lock ${path} is taken and given up again all the time: start one Lookout only`);
}

/** False when there is one. */
async function createWhole(path: string, content: string): Promise<boolean> {
  try {
    await writeWhole(path, content, link);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function refuseIfAlive(path: string, held: string): Promise<void> {
  const lock = parseLock(held);
  if (lock === undefined) {
    throw new PermanentError(`the lock ${path} is not one that Lookout wrote: remove it if no Lookout uses the folder`);
  }
  if ((await stillRuns(lock)) === "no") return;
  throw new PermanentError(
    `another Lookout uses this folder: process ${lock.pid}, port ${lock.port}, by the lock ${path}. ` +
      `Stop it with "kill ${lock.pid}", or start this one with another folder`,
  );
}

/** Moves the file away first: if another process renewed it in between, it is put back. */
async function removeIf(path: string, content: string): Promise<void> {
  if ((await readIfThere(path)) !== content) return;
  const aside = `${path}.${process.pid}.aside`;
  try {
    await rename(path, aside);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw error;
  }
  if ((await readIfThere(aside)) !== content) await link(aside, path).catch(() => undefined);
  await rm(aside, { force: true });
}

function parseLock(text: string): LockFile | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const identity = asProcessIdentity(value);
    const port = typeof value === "object" && value && "port" in value ? value.port : undefined;
    return identity && typeof port === "number" ? { ...identity, port } : undefined;
  } catch {
    return undefined;
  }
}
