import type { WorkloadRecord } from "#domain/update/states";
import { PermanentError } from "#ports/errors";
import { knownRecord } from "../shared/known-record.ts";

/** Reads a JSON column. @throws PermanentError that names where the text lies, for a text that is no JSON. */
export function jsonIn(text: unknown, where: string): unknown {
  try {
    return JSON.parse(String(text));
  } catch (error) {
    throw new PermanentError(
      `the state file has no JSON in ${where}: another program wrote there\n` +
        "Stop Lookout, and put a copy of the file back, or remove that row with sqlite3.",
      { cause: error },
    );
  }
}

/** Reads the column of a record. @throws as {@link jsonIn} and {@link knownRecord} do. */
export function recordIn(text: unknown, where: string): WorkloadRecord {
  return knownRecord(jsonIn(text, where), where);
}
