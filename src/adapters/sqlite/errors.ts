import { TransientError } from "#ports/errors";

/** The reason why SQLite can't use a file. */
export type SqliteFault =
  /** Another process has the file open. */
  | "locked"
  /** A page is corrupt, or the file is not a database. */
  | "damaged"
  | "full"
  /** The operating system refuses to read, write or lock the file. */
  | "not-writable"
  | "unknown";

/**
 * The keys are the lower eight bits of SQLite's codes, because all extended codes of one class
 * share these bits. Source: https://sqlite.org/rescode.html
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
/** Returns the fault behind an error of SQLite, or undefined for another error. */
export function faultOf(error: unknown): SqliteFault | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return faults[error.errcode & 0xff] ?? "unknown";
}

/**
 * Returns the error that a port throws. A failed write was rolled back, and the queue delivers its
 * message again.
 */
export function portError(error: unknown, doing: string): unknown {
  if (faultOf(error) === undefined) return error;
  const said = error instanceof Error ? error.message : "";
  return new TransientError(`the state file failed while ${doing}: ${said}`, { cause: error });
}
