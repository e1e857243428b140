import { type ActiveUpdate, recordSchema, type WorkloadRecord } from "./update.ts";

/** What a stored record is to this Lookout. */
export type StoredRecord =
  | { readonly kind: "record"; readonly record: WorkloadRecord }
  /** A newer Lookout wrote it: this one would lose what it can't read. */
  | { readonly kind: "newer"; readonly version: number }
  /** No record of Lookout's, or older than the version before. */
  | { readonly kind: "unknown"; readonly version: number | "none" };

type Stored = Readonly<Record<string, unknown>>;

/** By the schema version of a stored record: what makes one of the next version of it. */
const upgrades: Readonly<Record<number, (record: Stored) => Stored>> = {
  3: (record) => ({ ...withoutSlot(record), schemaVersion: 4 }),
};

/** What is on its way ends without a slot: its own is where nobody looks any more. */
function withoutSlot({ active, ...record }: Stored): Stored {
  if (active === undefined) return record;
  const { slot, ...rest } = active as ActiveUpdate;
  return { ...record, active: rest };
}

/** Reads a stored record in the form of today, also one of the schema version before. Its members are not checked. */
export function readStored(stored: unknown): StoredRecord {
  const version = schemaVersionOf(stored);
  if (version !== undefined && version > recordSchema) return { kind: "newer", version };
  const upgrade = upgrades[version ?? 0];
  const upgraded = upgrade === undefined ? stored : upgrade(stored as Stored);
  return schemaVersionOf(upgraded) === recordSchema
    ? { kind: "record", record: upgraded as WorkloadRecord }
    : { kind: "unknown", version: version ?? "none" };
}

function schemaVersionOf(record: unknown): number | undefined {
  if (typeof record !== "object" || record === null || !("schemaVersion" in record)) return undefined;
  return typeof record.schemaVersion === "number" ? record.schemaVersion : undefined;
}
