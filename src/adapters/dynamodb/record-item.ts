import type { WorkloadRecord } from "#domain/update/states";
import { workloadKey } from "#domain/workload/workload";
import { PermanentError } from "#ports/errors";
import { knownRecord } from "../shared/known-record.ts";
import { type DueKey, dueKey, recordKey } from "./keys.ts";
import type { Item } from "./reads.ts";

/** Returns a record as an item: its own members, its key, and its place in the due index if something is due. */
export function toItem(record: WorkloadRecord): Item {
  return { ...record, ...recordKey(workloadKey(record.workload)), ...placeOf(record) };
}

/** Where a record stands in the due index: nowhere while its update holds a slot, by which it is found as well. */
function placeOf({ uid, dueAt, active }: WorkloadRecord): DueKey | undefined {
  return dueAt === undefined || active?.slot !== undefined ? undefined : dueKey(uid, dueAt);
}

/** The members without which no reader of a record works, and their kinds. */
const neededMembers = {
  workload: "map",
  uid: "string",
  version: "number",
  seq: "number",
  cause: "string",
  changedAt: "number",
  observed: "map",
  refusals: "list",
  selectionFailures: "list",
  transitions: "list",
  tracked: "boolean",
} as const satisfies Partial<Record<keyof WorkloadRecord, string>>;

/**
 * Returns the record of an item.
 *
 * @throws as {@link knownRecord}, and PermanentError that names a member which someone else removed or overwrote.
 */
export function toRecord({ pk, sk, duePk, dueSk, ...members }: Item): WorkloadRecord {
  const where = String(pk);
  const record = knownRecord(members, where);
  const damaged = Object.entries(neededMembers).find(([name, kind]) => kindOf(members[name]) !== kind);
  if (damaged === undefined) return record;
  const [name, kind] = damaged;
  const is = name in members ? `is no ${kind}` : "is missing";
  throw new PermanentError(`the record at ${where} is damaged: its member "${name}" ${is}`);
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return "list";
  return typeof value === "object" && value !== null ? "map" : typeof value;
}
