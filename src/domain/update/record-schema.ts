import { recordSchema, type WorkloadRecord } from "./states.ts";

/** A stored record, or why it can't be read. */
export type StoredRecord =
  | { readonly kind: "record"; readonly record: WorkloadRecord }
  /** A newer Lookout wrote it: this one would lose unknown members. */
  | { readonly kind: "newer"; readonly version: number }
  /** An earlier Lookout wrote it, or it is not a record. */
  | { readonly kind: "unknown"; readonly version: number | "none" };

/** Reads a stored record, without a check of its members. Earlier schema versions are not read. */
export function readStored(stored: unknown): StoredRecord {
  const version = schemaVersionOf(stored);
  if (version === undefined) return { kind: "unknown", version: "none" };
  if (version > recordSchema) return { kind: "newer", version };
  if (version === recordSchema) return { kind: "record", record: stored as WorkloadRecord };
  return { kind: "unknown", version };
}

/** Says that a record has another schema version than this Lookout reads. */
export function schemaMismatch(what: string, version: number | "none"): string {
  return `${what} has schema version ${version}, and this Lookout reads ${recordSchema}`;
}

function schemaVersionOf(record: unknown): number | undefined {
  if (typeof record !== "object" || record === null || !("schemaVersion" in record)) return undefined;
  return typeof record.schemaVersion === "number" ? record.schemaVersion : undefined;
}
