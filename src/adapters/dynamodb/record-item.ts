import type { WorkloadRecord } from "#domain/update";
import { workloadKey } from "#domain/workload";
import { PermanentError } from "#ports/errors";
import { dueKey, recordKey } from "./keys.ts";
import type { Item } from "./reads.ts";

const readableSchema = 1;
/** Attributes of an item that are not fields of the record. */
const ofTheTable = new Set(["pk", "sk", "duePk", "dueSk", "changeOrder"]);

/** Writes a record as an item: its fields as attributes, the key, and the place in the due index if something is due. */
export function toItem(record: WorkloadRecord): Item {
  return {
    ...recordKey(workloadKey(record.workload)),
    ...(record.dueAt === undefined ? {} : dueKey(record.uid, record.dueAt)),
    ...record,
  };
}

/**
 * Reads a record back.
 *
 * @throws PermanentError for a schema version that this program does not know: it would lose what it cannot read.
 */
export function toRecord(item: Item): WorkloadRecord {
  const record = Object.fromEntries(Object.entries(item).filter(([name]) => !ofTheTable.has(name)));
  return knownSchema(record, String(item.pk));
}

/** Hands on a stored record if its schema version is known. */
export function knownSchema(record: unknown, where: string): WorkloadRecord {
  const schemaVersion =
    typeof record === "object" && record && "schemaVersion" in record ? record.schemaVersion : "none";
  if (schemaVersion !== readableSchema) {
    throw new PermanentError(
      `the record at ${where} has schema version ${String(schemaVersion)}, and this Lookout reads version ${readableSchema}: ` +
        "it was written by another version of Lookout; run that one, or a newer",
    );
  }
  return record as WorkloadRecord;
}
