import { closeSync, existsSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";

const ownerOnly = 0o600;
const chunkBytes = 1_048_576;

/**
 * Copies a state file beside itself, as `state.db.version-12`. An existing copy is never replaced:
 * a copy with other content gets the next number, as `state.db.version-12.2`. So starts that end
 * early leave one copy, because they copy the same content.
 *
 * @returns the path of the copy, which is whole and on the disk.
 */
export function copyBeforeMigration(sql: DatabaseSync, path: string, version: number): string {
  const draft = `${path}.migrating`;
  removeDraft(draft);
  try {
    closeSync(openSync(draft, "wx", ownerOnly));
    sql.prepare("VACUUM INTO ?").run(draft);
    flush(draft, "r+");
    const copy = firstFreeOrEqual(`${path}.version-${version}`, draft);
    if (!existsSync(copy)) renameSync(draft, copy);
    // Windows can't open folders, and needs no flush.
    if (process.platform !== "win32") flush(dirname(path), "r");
    return copy;
  } finally {
    removeDraft(draft);
  }
}

/** Removes a draft, also the draft of a killed start, with its journal. */
function removeDraft(draft: string): void {
  for (const file of [draft, `${draft}-journal`]) rmSync(file, { force: true });
}

function firstFreeOrEqual(name: string, draft: string): string {
  for (let number = 1; ; number += 1) {
    const copy = number === 1 ? name : `${name}.${number}`;
    if (!existsSync(copy) || hasEqualContent(copy, draft)) return copy;
  }
}

function hasEqualContent(first: string, second: string): boolean {
  const size = statSync(first).size;
  if (size !== statSync(second).size) return false;
  const [one, other] = [openSync(first, "r"), openSync(second, "r")];
  try {
    const [oneChunk, otherChunk] = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)];
    for (let at = 0; at < size; at += chunkBytes) {
      const read = readSync(one, oneChunk, 0, chunkBytes, at);
      readSync(other, otherChunk, 0, chunkBytes, at);
      if (oneChunk.compare(otherChunk, 0, read, 0, read) !== 0) return false;
    }
    return true;
  } finally {
    closeSync(one);
    closeSync(other);
  }
}

function flush(path: string, flags: "r" | "r+"): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
