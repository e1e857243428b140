import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { DeleteCommand, PutCommand, type PutCommandInput, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { tableShape } from "#contracts/aws/table";
import { compareTexts } from "#domain/shared/text-order";
import { type EpochMs, epochMs } from "#domain/shared/time";
import type { Condition, Item, ItemKey, ItemQuery, Items, ItemWrite, Mark } from "#ports/items";
import { cancellationsOf } from "../shared/aws-errors.ts";
import type { DynamoTable, TransactionPart } from "./client.ts";
import { deleteItems } from "./deletes.ts";
import { asking, conditionFailed, conflicted } from "./errors.ts";
import {
  type Item as TableItem,
  type PartitionQuery,
  queryPages,
  queryPartition,
  readItem,
  readItems,
} from "./reads.ts";

/** Returns the items of a table. */
export function dynamoItems(where: DynamoTable): Items {
  return {
    async get(key, doing) {
      const stored = await readItem(where, { pk: key.pk, sk: key.sk }, doing);
      return stored && itemOf(stored);
    },
    async getMany(keys, doing, consistency) {
      const plain = keys.map(({ pk, sk }) => ({ pk, sk }));
      return (await readItems(where, plain, doing, consistency)).map(itemOf);
    },
    query: async (query, doing) => (await queried(where, query, doing)).map(itemOf),
    async sortKeys(query, doing) {
      return (await queried(where, { ...query, sortKeysOnly: true }, doing)).map(({ sk }) => String(sk));
    },
    write: (writes, doing) => write(where, writes, doing),
    removeMany: (keys, doing) =>
      deleteItems(
        where,
        keys.map(({ pk, sk }) => ({ pk, sk })),
        doing,
      ),
    due: (at, limit, doing) => due(where, at, limit, doing),
  };
}

async function queried(
  where: DynamoTable,
  { prefix = "", after = "", before, limit, ...query }: ItemQuery & Pick<PartitionQuery, "sortKeysOnly">,
  doing: string,
): Promise<readonly TableItem[]> {
  // A query has one condition on the sort key, without an empty text. A position beyond the prefix replaces it.
  const most = limit === undefined ? {} : { limit };
  if (before === undefined) {
    const from = after > prefix ? { after } : prefix === "" ? {} : { prefix };
    const items = await queryPartition(where, { ...query, ...most, ...from }, doing);
    return items.filter(({ sk }) => String(sk).startsWith(prefix));
  }
  const lower = after > prefix ? after : prefix;
  if (before <= lower) return [];
  // Both limits are inclusive, so up to two more items are read, and left out.
  const from = lower === "" ? most : { after: lower, ...(limit === undefined ? {} : { limit: limit + 2 }) };
  const items = await queryPartition(where, { ...query, ...from, before }, doing);
  const isWithin = (sk: string) => sk > after && sk < before && sk.startsWith(prefix);
  return items.filter(({ sk }) => isWithin(String(sk))).slice(0, limit);
}

async function write(where: DynamoTable, writes: readonly ItemWrite[], doing: string): ReturnType<Items["write"]> {
  const parts = writes.map((one) => partOf(where.table, one));
  return asking(doing, async () => {
    for (let conflicts = 0; ; conflicts += 1)
      try {
        await send(where, parts);
        return { kind: "written" };
      } catch (error) {
        const which = cancellationsOf(error).indexOf("ConditionalCheckFailed");
        if (which >= 0) return { kind: "refused", which };
        if (conditionFailed(error)) return { kind: "refused", which: 0 };
        // The client of AWS does not repeat a conflict. The other write has ended after a few milliseconds.
        if (!conflicted(error) || conflicts === mostConflicts) throw error;
        await pause(firstConflictPauseMs * 2 ** conflicts);
      }
  });
}

/** The number of repeats of a write that conflicted with other writes, and the first pause. */
const mostConflicts = 4;
const firstConflictPauseMs = 20;

/** A transaction costs twice as much as the write alone. */
async function send({ client }: DynamoTable, parts: readonly TransactionPart[]): Promise<void> {
  const [only, ...others] = parts;
  if (others.length > 0) await client.send(new TransactWriteCommand({ TransactItems: [...parts] }));
  else if (only?.Put !== undefined) await client.send(new PutCommand(only.Put as PutCommandInput));
  else if (only?.Delete !== undefined) await client.send(new DeleteCommand(only.Delete));
}

function partOf(table: string, one: ItemWrite): TransactionPart {
  const condition = one.if === undefined ? {} : expressionOf(one.if);
  if (one.kind === "put") return { Put: { TableName: table, Item: { ...storedForm(one.item) }, ...condition } };
  return { Delete: { TableName: table, Key: { pk: one.key.pk, sk: one.key.sk }, ...condition } };
}

interface Expression {
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, Mark>;
}

/** Returns a condition in DynamoDB's language. */
function expressionOf(condition: Condition): Expression {
  const names: Record<string, string> = {};
  const values: Record<string, Mark> = {};
  const text = (one: Condition): string => {
    if (one.kind === "absent") {
      names["#pk"] = "pk";
      return "attribute_not_exists(#pk)";
    }
    if ("of" in one) return `(${one.of.map(text).join(one.kind === "any" ? " OR " : " AND ")})`;
    const place = Object.keys(values).length;
    names["#marks"] = "marks";
    names[`#mark${place}`] = one.mark;
    values[`:value${place}`] = one.value;
    const compared = `#marks.#mark${place} ${operators[one.kind]} :value${place}`;
    // In DynamoDB, a missing attribute differs from every value.
    return one.kind === "differs" ? `(attribute_exists(#marks.#mark${place}) AND ${compared})` : compared;
  };
  const ConditionExpression = text(condition);
  return {
    ConditionExpression,
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values }),
  };
}

const operators = { equals: "=", differs: "<>", "at-most": "<=" } as const;

/** Returns the attributes of an item. */
function storedForm({ pk, sk, form, value, marks, dueAt, expiresAt }: Item): TableItem {
  return {
    pk,
    sk,
    form,
    value,
    ...(marks && { marks }),
    ...(dueAt === undefined ? {} : dueKey({ pk, sk }, dueAt)),
    ...(expiresAt === undefined ? {} : { [tableShape.expiryAttribute]: Math.floor(expiresAt / 1_000) }),
  };
}

/** Returns the item of attributes. An item of another program has the form NaN. */
export function itemOf(stored: TableItem): Item {
  const { pk, sk, form, value, marks, dueSk } = stored;
  const expiry = stored[tableShape.expiryAttribute];
  return {
    pk: String(pk),
    sk: String(sk),
    form: typeof form === "number" ? form : NaN,
    value,
    ...(marks === undefined ? {} : { marks: marks as Readonly<Record<string, Mark>> }),
    ...(typeof dueSk === "string" ? { dueAt: epochMs(Number(dueSk.slice(0, instantText(0).length))) } : {}),
    ...(typeof expiry === "number" ? { expiresAt: epochMs(expiry * 1_000) } : {}),
  };
}

/** Returns an instant as a text that sorts by time. The 15 digits are enough until the year 33658. */
function instantText(at: number): string {
  return String(Math.max(0, Math.trunc(at))).padStart(15, "0");
}

/** The number of partitions of the index of due items. */
const partitions = 16;

function dueKey({ pk, sk }: ItemKey, dueAt: EpochMs): Readonly<Record<"duePk" | "dueSk", string>> {
  const shard = createHash("sha256").update(`${pk}\n${sk}`).digest().readUInt32BE() % partitions;
  return { duePk: duePartition(shard), dueSk: `${instantText(dueAt)}#${pk}` };
}

function duePartition(shard: number): string {
  return `DUE#${String(shard).padStart(2, "0")}`;
}

async function due(where: DynamoTable, at: EpochMs, limit: number, doing: string): Promise<readonly ItemKey[]> {
  const shards = Array.from({ length: partitions }, (_, shard) =>
    queryPages(
      where,
      {
        IndexName: tableShape.dueIndex.name,
        KeyConditionExpression: "#duePk = :duePk AND #dueSk < :after",
        ExpressionAttributeNames: { "#duePk": "duePk", "#dueSk": "dueSk" },
        ExpressionAttributeValues: { ":duePk": duePartition(shard), ":after": instantText(at + 1) },
      },
      limit,
      doing,
    ),
  );
  return (await Promise.all(shards))
    .flat()
    .sort((one, other) => compareTexts(String(one["dueSk"]), String(other["dueSk"])))
    .slice(0, limit)
    .map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) }));
}
