import { randomUUID } from "node:crypto";
import { open, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { codeOf } from "./process-identity.ts";

/**
 * Writes a file that only its owner can read, whole or not at all: beside its place, down to the disk, and then moved there.
 *
 * @param place - puts the written file in its place: `rename` replaces what is there, `link` fails with EEXIST
 * @throws what the system says; then nothing is left of it.
 */
export async function writeWhole(path: string, content: string, place = rename): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, content, { mode: 0o600, flush: true });
    await place(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
}

/** Reads a text; undefined when there is no such file. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The name is part of the folder, which is written by itself. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
