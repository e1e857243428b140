import { recordSchema, type WorkloadRecord } from "#domain/update";
import { workloadKey } from "#domain/workload";
import { PermanentError, TransientError } from "#ports/errors";
import { dueKey, recordKey } from "./keys.ts";
import type { Item } from "./reads.ts";

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
 * Reads a record back, also one of the schema version before.
 *
 * @throws as {@link knownSchema}.
 */
export function toRecord(item: Item): WorkloadRecord {
  const record = Object.fromEntries(Object.entries(item).filter(([name]) => !ofTheTable.has(name)));
  return knownSchema(record, String(item.pk));
}

type Stored = Readonly<Record<string, unknown>>;

/** By the schema version of a stored record: what makes one of the next version of it. */
const upgrades: Readonly<Record<number, (record: Stored) => Stored>> = {
  // Which push led to an update was not remembered, and may be missing.
  1: (record) => ({ ...record, schemaVersion: 2 }),
};

/**
 * Hands on a stored record in the form of today.
 *
 * @throws TransientError for a newer schema version: this program is being replaced by one that reads it, which gets the work again.
 * @throws PermanentError for what is no record of Lookout's, or older than the version before.
 */
export function knownSchema(record: unknown, where: string): WorkloadRecord {
  const version = schemaVersionOf(record);
  if (version !== undefined && version > recordSchema)
    throw new TransientError(
      `the record at ${where} has schema version ${version}, and this Lookout reads up to version ${recordSchema}: a newer Lookout wrote it; run that one`,
    );
  const upgrade = upgrades[version ?? 0];
  const upgraded = upgrade === undefined ? record : upgrade(record as Stored);
  if (schemaVersionOf(upgraded) === recordSchema) return upgraded as WorkloadRecord;
  throw new PermanentError(
    `the record at ${where} has schema version ${version ?? "none"}, and this Lookout reads ${recordSchema - 1} and ${recordSchema}: ` +
      "it is not Lookout's, or older than it can read; run a Lookout in between first, which writes it anew",
  );
}

function schemaVersionOf(record: unknown): number | undefined {
  if (typeof record !== "object" || record === null || !("schemaVersion" in record)) return undefined;
  return typeof record.schemaVersion === "number" ? record.schemaVersion : undefined;
}
