import { createHash } from "node:crypto";
import { tableShape } from "#contracts/aws/table";
import { compareTexts } from "#domain/shared/text-order";
import type { EpochMs } from "#domain/shared/time";
import type { DynamoTable } from "./client.ts";
import { instantText, workloadIn } from "./keys.ts";
import { queryPages } from "./reads.ts";

/** The attributes that put a record into the sparse index of due records. */
export interface DueKey {
  readonly duePk: string;
  readonly dueSk: string;
}

/** The number of partitions of the index. */
const partitions = 16;

/** Returns the partition of the index in which a record lies, as a number from 0. */
export function dueShard(uid: string): number {
  return createHash("sha256").update(uid).digest().readUInt32BE() % partitions;
}

/** Returns the place of a record in the index. */
export function dueKey(uid: string, dueAt: EpochMs): DueKey {
  return { duePk: partitionName(dueShard(uid)), dueSk: `${instantText(dueAt)}#${uid}` };
}

/** Returns the first sort key after an instant. */
export function dueAfter(at: EpochMs): string {
  return instantText(at + 1);
}

function partitionName(shard: number): string {
  return `DUE#${String(shard).padStart(2, "0")}`;
}

/** Lists the workloads that are overdue, the longest overdue first. */
export async function overdue(where: DynamoTable, before: EpochMs, limit: number): Promise<readonly string[]> {
  const shards = Array.from({ length: partitions }, (_, shard) =>
    queryPages(
      where,
      {
        IndexName: tableShape.dueIndex.name,
        KeyConditionExpression: "#duePk = :duePk AND #dueSk < :after",
        ExpressionAttributeNames: { "#duePk": "duePk", "#dueSk": "dueSk" },
        ExpressionAttributeValues: { ":duePk": partitionName(shard), ":after": dueAfter(before) },
      },
      limit,
      "listing the overdue records",
    ),
  );
  return (await Promise.all(shards))
    .flat()
    .sort((one, other) => compareTexts(String(one.dueSk), String(other.dueSk)))
    .flatMap(({ pk }) => workloadIn(pk) ?? []);
}
