import { recordSchema, type WorkloadRecord } from "#domain/update";
import { workloadKey } from "#domain/workload";
import { knownRecord } from "../known-record.ts";
import { type DueKey, dueKey, recordKey } from "./keys.ts";
import { pack, unpack } from "./packed.ts";
import type { Item } from "./reads.ts";

/** Writes a record as an item: packed, with its key, what writes depend on, and the place in the due index if something is due. */
export function toItem(record: WorkloadRecord): Item {
  const { schemaVersion, version } = record;
  return {
    ...recordKey(workloadKey(record.workload)),
    ...placeOf(record),
    schemaVersion,
    version,
    packed: pack(record),
  };
}

/** Where a record stands in the due index: nowhere while its update holds a slot, by which it is found as well. */
function placeOf({ uid, dueAt, active }: WorkloadRecord): DueKey | undefined {
  return dueAt === undefined || active?.slot !== undefined ? undefined : dueKey(uid, dueAt);
}

/** Since this schema version records are packed. */
const firstPacked = 3;

/**
 * Reads a record back, also one of an earlier schema version.
 *
 * @throws as {@link knownRecord}, and PermanentError for one that can't be unpacked.
 */
export function toRecord({ pk, sk, duePk, dueSk, packed, ...fields }: Item): WorkloadRecord {
  const version = Number(fields["schemaVersion"]);
  const where = String(pk);
  // A newer Lookout may pack otherwise.
  const isPacked = version >= firstPacked && version <= recordSchema;
  return knownRecord(isPacked ? unpack(packed, where) : fields, where);
}
