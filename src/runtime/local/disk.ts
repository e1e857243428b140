import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PermanentError } from "#ports/errors";
import type { Log } from "../handler.ts";
import type { Reporter } from "./reporter.ts";
import { unusableFolder } from "./unusable-folder.ts";

/** The free space that the next write of the state file may need. */
const roomBytes = 1_048_576;
const lookAgainMs = 5_000;

/** Returns the problem of a folder's disk, or undefined. The check writes a test file. */
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
 * Returns a log that checks the disk after a failure. The log reports once that the disk is full,
 * and once that the disk has space again.
 */
export function logWithDisk({ log, notice }: Pick<Reporter, "log" | "notice">, folder: string): Log {
  let looking = false;
  const look = async (told: boolean): Promise<void> => {
    const trouble = await diskTrouble(folder);
    if (trouble !== undefined) {
      const [what = ""] = trouble.message.split("\n");
      if (!told) notice(`${what}. Lookout pauses until the disk has free space`, "error");
      setTimeout(() => void look(true), lookAgainMs).unref();
      return;
    }
    if (told) notice(`the disk of ${folder} has free space again; Lookout continues within two minutes`);
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
