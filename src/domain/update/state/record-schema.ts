import { recordSchema, type WorkloadRecord } from "./workload.ts";

/** A stored record, or the reason why it can't be read. */
export type StoredRecord =
  | { readonly kind: "record"; readonly record: WorkloadRecord }
  /** A newer Lookout wrote the record: this Lookout would lose unknown members. */
  | { readonly kind: "newer"; readonly version: number }
  /** An earlier Lookout wrote the record, or the item is no record. */
  | { readonly kind: "unknown"; readonly version: number | "none" };

/** Reads a stored record, without a check of its members. Earlier schema versions are not read. */
export function readStored(stored: unknown): StoredRecord {
  const version = schemaVersionOf(stored);
  if (version === undefined) return { kind: "unknown", version: "none" };
  if (version > recordSchema) return { kind: "newer", version };
  if (version === recordSchema) return { kind: "record", record: stored as WorkloadRecord };
  return { kind: "unknown", version };
}

/** Returns the message about a record whose schema version this Lookout does not read. */
export function schemaMismatch(what: string, version: number | "none"): string {
  return `${what} has schema version ${version}, but this Lookout reads ${recordSchema}`;
}

function schemaVersionOf(record: unknown): number | undefined {
  if (typeof record !== "object" || record === null || !("schemaVersion" in record)) return undefined;
  return typeof record.schemaVersion === "number" ? record.schemaVersion : undefined;
}
