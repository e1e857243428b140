import { tableShape } from "#contracts/aws/table";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { PermanentError } from "#ports/errors";
import { knownRecord } from "../shared/known-record.ts";
import { type DueKey, dueKey } from "./due-index.ts";
import { type ItemKey, workloadIn, workloadPartition } from "./keys.ts";
import type { Item } from "./reads.ts";

/** Returns the key of a workload's record. */
export function recordKey(workload: string): ItemKey {
  return { pk: workloadPartition(workload), sk: tableShape.recordSortKey };
}

/** Returns whether an item is a record. */
export function isRecord({ pk, sk }: Item): boolean {
  return sk === tableShape.recordSortKey && workloadIn(pk) !== undefined;
}

/** Returns a record as an item: its members, its key, and its place in the due index, if any. */
export function toItem(record: WorkloadRecord): Item {
  return { ...record, ...recordKey(workloadKey(record.workload)), ...placeOf(record) };
}

/**
 * Returns the place of a record in the due index. A record whose update holds a slot has no place,
 * because the reaper finds this record by its slot.
 */
function placeOf({ uid, effects: { dueAt }, active }: WorkloadRecord): DueKey | undefined {
  return dueAt === undefined || active?.slot !== undefined ? undefined : dueKey(uid, dueAt);
}

/** The required members of a record, with their kinds. */
const neededMembers = {
  workload: "map",
  uid: "string",
  version: "number",
  seq: "number",
  cause: "string",
  changedAt: "number",
  observed: "map",
  blocked: "list",
  selectionFailures: "list",
  transitions: "list",
  effects: "map",
  tracked: "boolean",
} as const satisfies Partial<Record<keyof WorkloadRecord, string>>;

/**
 * Returns the record of an item.
 *
 * @throws the errors of {@link knownRecord}, and PermanentError that names a missing or damaged
 * member.
 */
export function toRecord({ pk, sk, duePk, dueSk, ...members }: Item): WorkloadRecord {
  const where = String(pk);
  const record = knownRecord(members, where);
  const kinds = Object.entries({ ...neededMembers, ...kindsOfOthers(members) });
  const damaged = kinds.find(([name, kind]) => kindOf(members[name]) !== kind);
  if (damaged === undefined) return recordOf(where, record);
  const [name, kind] = damaged;
  const is = name in members ? `is not a ${kind}` : "is missing";
  throw new PermanentError(`the record at ${where} is damaged: its member "${name}" ${is}`);
}

/** The optional members of a record whose kind is checked. */
const otherMembers = {
  pending: "map",
  active: "map",
  last: "map",
  landed: "map",
  hold: "map",
  retry: "map",
  readApprovals: "list",
} as const satisfies Partial<Record<keyof WorkloadRecord, string>>;

function kindsOfOthers(members: Item): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(otherMembers).filter(([name]) => name in members));
}

/**
 * Checks the workload and the version of a record. Otherwise Lookout would read a copied record as
 * the record of another workload, and version 0 as a missing record.
 */
function recordOf(where: string, record: WorkloadRecord): WorkloadRecord {
  if (recordKey(workloadKey(record.workload)).pk !== where)
    throw new PermanentError(
      `the record at ${where} is damaged: it belongs to the workload ${workloadKey(record.workload)}`,
    );
  if (!Number.isSafeInteger(record.version) || record.version < 1)
    throw new PermanentError(`the record at ${where} is damaged: its version is not a whole number from 1`);
  return record;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "list";
  return typeof value === "object" && value !== null ? "map" : typeof value;
}
