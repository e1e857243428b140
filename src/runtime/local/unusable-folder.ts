import { PermanentError } from "#ports/errors";
import { codeOf } from "./system-errors.ts";

/** What a start without the former state means, for people who decide on it. */
export const whatANewStartMeans =
  "Lookout then tracks every workload anew and changes none. Holds, blocked digests, the quarantine, freezes and the history are lost.";

/** Says that a folder can't hold the state, why in plain words, and what to do. */
export function unusableFolder(path: string, error: unknown): PermanentError {
  const code = codeOf(error) ?? "unknown error";
  const said = error instanceof Error ? error.message : "the system refuses";
  const [why, advice] = troubles[code] ?? [said, elsewhere];
  return new PermanentError(`the folder ${path} cannot be used for Lookout's state (${code}): ${why}\n${advice}`, {
    cause: error,
  });
}

/** Says that a folder's disk is full, where SQLite found it and not the system. */
export function fullDisk(path: string): PermanentError {
  return unusableFolder(path, Object.assign(new Error("no room"), { code: "ENOSPC" }));
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
