import type { WorkloadRecord } from "#domain/update/state/workload";
import { PermanentError } from "#ports/errors";
import { knownRecord } from "../shared/known-record.ts";

/** Parses a JSON column. @throws PermanentError with the place of a text that is not JSON. */
export function jsonIn(text: unknown, where: string): unknown {
  try {
    return JSON.parse(String(text));
  } catch (error) {
    throw new PermanentError(
      `the state file has no JSON in ${where}: another program wrote the row\n` +
        "Stop Lookout, and restore a copy of the file, or delete the row with sqlite3.",
      { cause: error },
    );
  }
}

/** Parses the column of a record. @throws the errors of {@link jsonIn} and {@link knownRecord}. */
export function recordIn(text: unknown, where: string): WorkloadRecord {
  return knownRecord(jsonIn(text, where), where);
}
