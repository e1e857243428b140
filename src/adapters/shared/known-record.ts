import { readStored } from "#domain/update/record-schema";
import { recordSchema } from "#domain/update/states";
import type { WorkloadRecord } from "#domain/update/states";
import { NewerRecordError, PermanentError } from "#ports/errors";

/**
 * Hands on a stored record in the form of today.
 *
 * @param where - where it is stored, for people.
 * @throws NewerRecordError for a newer schema version.
 * @throws PermanentError for what is no record of Lookout's.
 */
export function knownRecord(record: unknown, where: string): WorkloadRecord {
  const stored = readStored(record);
  if (stored.kind === "record") return stored.record;
  const tells = `the record at ${where} has schema version ${stored.version}, and this Lookout reads ${recordSchema}`;
  if (stored.kind === "newer") throw new NewerRecordError(`${tells}: a newer Lookout wrote it; run that one`);
  throw new PermanentError(`${tells}: an earlier Lookout wrote it, or another program; run that one, or start anew`);
}
