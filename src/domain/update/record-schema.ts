import { withoutSlot } from "./slots.ts";
import { recordSchema, type WorkloadRecord } from "./states.ts";

/** What a stored record is to this Lookout. */
export type StoredRecord =
  | { readonly kind: "record"; readonly record: WorkloadRecord }
  /** A newer Lookout wrote it: this one would lose what it can't read. */
  | { readonly kind: "newer"; readonly version: number }
  /** No record of Lookout's. */
  | { readonly kind: "unknown"; readonly version: number | "none" };

type Stored = Readonly<Record<string, unknown>>;

/**
 * By the schema version of a stored record: what makes one of the next version of it. None is ever left out: a record of a workload where
 * nothing happens stays as it was written.
 */
const upgrades: Readonly<Record<number, (record: Stored) => Stored>> = {
  // Which push led to an update was not remembered, and may be missing.
  1: (record) => ({ ...record, schemaVersion: 2 }),
  // The same members, stored in another form.
  2: (record) => ({ ...record, schemaVersion: 3 }),
  // The slot of what is on its way is where nobody looks any more.
  3: (record) => ({ ...withoutSlot(record as unknown as WorkloadRecord), schemaVersion: 4 }),
};

/** Names the schema versions that are read, for people: `1 to 4`. */
export const schemasRead = `1 to ${recordSchema}`;

/** Reads a stored record in the form of today, also one of an earlier schema version. Its members are not checked. */
export function readStored(stored: unknown): StoredRecord {
  const version = schemaVersionOf(stored);
  if (version === undefined) return { kind: "unknown", version: "none" };
  if (version > recordSchema) return { kind: "newer", version };
  if (version === recordSchema) return { kind: "record", record: stored as WorkloadRecord };
  const upgrade = upgrades[version];
  return upgrade === undefined ? { kind: "unknown", version } : readStored(upgrade(stored as Stored));
}

function schemaVersionOf(record: unknown): number | undefined {
  if (typeof record !== "object" || record === null || !("schemaVersion" in record)) return undefined;
  return typeof record.schemaVersion === "number" ? record.schemaVersion : undefined;
}
