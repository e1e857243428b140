import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PermanentError } from "#ports/errors";
import type { Log } from "../handler.ts";
import type { Reporter } from "./reporter.ts";
import { unusableFolder } from "./unusable-folder.ts";

/** With less room than this the state file can't be relied on to take the next write. */
const roomBytes = 1_048_576;
const lookAgainMs = 5_000;

/** Finds out by writing whether a folder's disk takes what is written; what is wrong with it, or undefined. */
export async function diskTrouble(folder: string): Promise<PermanentError | undefined> {
  const probe = join(folder, `probe.${randomUUID()}`);
  try {
    await writeFile(probe, Buffer.alloc(roomBytes), { flush: true });
    return undefined;
  } catch (error) {
    return unusableFolder(folder, error);
  } finally {
    await rm(probe, { force: true }).catch(() => undefined);
  }
}

/**
 * Makes a log that looks at the disk when something fails, and says once that it is full, and once that it is no more.
 *
 * The state file takes a write as a whole or not at all, and a message that failed is delivered again: nothing else is to be done.
 */
export function logWithDisk({ log, notice }: Pick<Reporter, "log" | "notice">, folder: string): Log {
  let looking = false;
  const look = async (told: boolean): Promise<void> => {
    const trouble = await diskTrouble(folder);
    if (trouble !== undefined) {
      const [what = ""] = trouble.message.split("\n");
      if (!told) notice(`${what}. Until that is mended nothing is decided; then all goes on by itself`, "error");
      setTimeout(() => void look(true), lookAgainMs).unref();
      return;
    }
    if (told) notice(`there is room again for ${folder}: what was left goes on within two minutes`);
    looking = false;
  };
  return {
    outcome: (entry) => {
      log.outcome(entry);
    },
    failure: (entry) => {
      log.failure(entry);
      if (looking) return;
      looking = true;
      void look(false);
    },
  };
}
