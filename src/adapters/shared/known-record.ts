import { readStored, schemaMismatch } from "#domain/update/state/record-schema";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { NewerRecordError, PermanentError } from "#ports/errors";

/**
 * Returns a stored value as a record.
 *
 * @param where - the place of the record, for messages.
 * @throws NewerRecordError for a newer schema version.
 * @throws PermanentError for an older schema version, and for a value that is not a record.
 */
export function knownRecord(record: unknown, where: string): WorkloadRecord {
  const stored = readStored(record);
  if (stored.kind === "record") return stored.record;
  const mismatch = schemaMismatch(`the record at ${where}`, stored.version);
  if (stored.kind === "newer")
    throw new NewerRecordError(`${mismatch}: a newer Lookout wrote the record: run that version`);
  throw new PermanentError(
    `${mismatch}: an older Lookout or another program wrote the record: run that version, or start with an empty store`,
  );
}
