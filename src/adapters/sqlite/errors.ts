import { TransientError } from "#ports/errors";

/** Why SQLite can't use a file. */
export type SqliteFault =
  /** Another process has the file open. */
  | "locked"
  /** A page makes no sense, or the file is no database. */
  | "damaged"
  | "full"
  /** The system refuses to read, write or lock it. */
  | "not-writable"
  | "unknown";

/**
 * The keys are the lower eight bits of SQLite's codes: extended codes of one class share them.
 * Source: https://sqlite.org/rescode.html
 */
const faults: Readonly<Record<number, SqliteFault>> = {
  5: "locked",
  8: "not-writable",
  10: "not-writable",
  11: "damaged",
  13: "full",
  14: "not-writable",
  26: "damaged",
};
/** Returns the meaning of an error of SQLite; undefined for an error of anything else. */
export function faultOf(error: unknown): SqliteFault | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return faults[error.errcode & 0xff] ?? "unknown";
}

/** Makes the error that a port throws. A write that failed was rolled back; the queue delivers the message again. */
export function portError(error: unknown, doing: string): unknown {
  if (faultOf(error) === undefined) return error;
  const said = error instanceof Error ? error.message : "";
  return new TransientError(`the state file failed while ${doing}: ${said}`, { cause: error });
}
