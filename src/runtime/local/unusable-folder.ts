import { PermanentError } from "#ports/errors";
import { codeOf } from "./system-errors.ts";

/** The effects of a start without the earlier state, as text for users. */
export const whatANewStartMeans =
  "Without the file, Lookout tracks every workload from the start and changes none. Holds, votes, blocked digests, the quarantine, freezes and the history are lost.";

/** Returns the error of a folder that can't hold the state, with advice. */
export function unusableFolder(path: string, error: unknown): PermanentError {
  const code = codeOf(error) ?? "unknown error";
  const said = error instanceof Error ? error.message : "the system gives no reason";
  const [why, advice] = troubles[code] ?? [said, elsewhere];
  return new PermanentError(`the folder ${path} cannot be used for Lookout's state (${code}): ${why}\n${advice}`, {
    cause: error,
  });
}

/** Returns the error of a full disk that SQLite reported. */
export function fullDisk(path: string): PermanentError {
  return unusableFolder(path, Object.assign(new Error("no free space"), { code: "ENOSPC" }));
}

const elsewhere = "Name another folder with --data FOLDER.";
const full = ["its disk is full", "Free some space and start again. No data is half-written."] as const;
const foreign = [
  "this user can't write there",
  "Name another folder with --data FOLDER, or start as the folder's owner.",
] as const;
const noFolder = ["a file is in its place", elsewhere] as const;

/** Reason and advice by the code of the system error. */
const troubles: Readonly<Record<string, readonly [why: string, advice: string]>> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: foreign,
  EPERM: foreign,
  EROFS: ["its disk is read-only", elsewhere],
  EEXIST: noFolder,
  ENOTDIR: noFolder,
  EISDIR: ["a folder has the name of one of Lookout's files", elsewhere],
};
