import type { SQLInputValue, StatementSync } from "node:sqlite";
import { isObject, parseJson } from "#domain/shared/json";
import { type EpochMs, epochMs, hours } from "#domain/shared/time";
import type { Condition, Item, ItemChanges, ItemKey, ItemQuery, Items, ItemWrite, Mark } from "#ports/items";
import { firstOf, type StateDatabase } from "./database.ts";

/** The shortest time between the two readings of the clock that delete an item. */
const expiryPause = hours(24);

/** The items of a state file, and its changes. */
export interface SqliteItems {
  readonly items: Items;
  readonly changes: ItemChanges;
  /**
   * Deletes expired items. Call it every hour or more often.
   *
   * A clock that jumps ahead for a while must delete nothing. So an item is deleted only if it had
   * expired at a reading of the clock that is a day older than the present reading.
   */
  readonly expire: (now: EpochMs) => Promise<void>;
}

const columns = "pk, sk, form, marks, due_at, expires_at, value";

/** Returns the items of a database. Conditions are judged inside the transaction of their writes. */
export function sqliteItems(database: StateDatabase): SqliteItems {
  const { sql } = database;
  const get = sql.prepare(`SELECT ${columns} FROM items WHERE pk = ? AND sk = ?`);
  const marksOf = sql.prepare("SELECT marks FROM items WHERE pk = ? AND sk = ?");
  const put = sql.prepare(`INSERT OR REPLACE INTO items (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const remove = sql.prepare("DELETE FROM items WHERE pk = ? AND sk = ?");
  const between = "FROM items WHERE pk = ? AND sk >= ? AND sk > ? AND sk < ? AND sk < ? ORDER BY sk";
  const statementsOf = (selected: string): Statements => ({
    ascending: sql.prepare(`SELECT ${selected} ${between}`),
    descending: sql.prepare(`SELECT ${selected} ${between} DESC`),
  });
  const [queries, keyQueries] = [statementsOf(columns), statementsOf("sk")];
  const due = sql.prepare("SELECT pk, sk FROM items WHERE due_at <= ? ORDER BY due_at, pk, sk");
  const enter = sql.prepare("INSERT INTO outbox (pk, sk, form, value) VALUES (?, ?, ?, ?)");
  const take = sql.prepare("SELECT id, pk, sk, form, value FROM outbox ORDER BY id");
  const handled = sql.prepare("DELETE FROM outbox WHERE id = ?");
  const readAt = sql.prepare("SELECT read_at FROM clock");
  const forgetReading = sql.prepare("DELETE FROM clock");
  const storeReading = sql.prepare("INSERT INTO clock (read_at) VALUES (?)");
  const expire = sql.prepare("DELETE FROM items WHERE expires_at < ?");
  const callbacks: (() => void)[] = [];

  const holds = (write: ItemWrite): boolean => {
    if (write.if === undefined) return true;
    const { pk, sk } = keyOf(write);
    return holdsFor(marksIn(marksOf.get(pk, sk)), write.if);
  };
  const perform = (write: ItemWrite): void => {
    if (write.kind === "remove") {
      remove.run(write.key.pk, write.key.sk);
      return;
    }
    const { pk, sk, form, marks, dueAt, expiresAt } = write.item;
    const value = columnOf(write.item.value);
    put.run(pk, sk, form, marks === undefined ? null : JSON.stringify(marks), dueAt ?? null, expiresAt ?? null, value);
    if (write.isChange === true) enter.run(pk, sk, form, value);
  };

  return {
    items: {
      get: ({ pk, sk }, doing) => database.read(doing, () => itemOf(get.get(pk, sk))),
      getMany: (keys, doing) =>
        database.read(doing, () => distinct(keys).flatMap(({ pk, sk }) => itemOf(get.get(pk, sk)) ?? [])),
      query: (query, doing) => database.read(doing, () => rowsOf(query, queries).flatMap((row) => itemOf(row) ?? [])),
      sortKeys: (query, doing) => database.read(doing, () => rowsOf(query, keyQueries).map(({ sk }) => sk as string)),
      async write(writes, doing) {
        const which = await database.write(doing, () => {
          const refused = writes.findIndex((write) => !holds(write));
          if (refused < 0) for (const write of writes) perform(write);
          return refused;
        });
        if (which >= 0) return { kind: "refused", which };
        if (writes.some((write) => write.kind === "put" && write.isChange))
          for (const callback of callbacks) callback();
        return { kind: "written" };
      },
      removeMany: (keys, doing) =>
        database.write(doing, () => {
          for (const { pk, sk } of keys) remove.run(pk, sk);
        }),
      due: (at, limit, doing) =>
        database.read(doing, () =>
          firstOf(due.iterate(at), limit).map(({ pk, sk }) => ({ pk: String(pk), sk: String(sk) })),
        ),
    },
    changes: {
      take: (limit) =>
        database.read("reading the outbox", () =>
          firstOf(take.iterate(), limit).flatMap((row) => {
            const item = itemOf(row);
            return item === undefined ? [] : [{ id: String(row["id"]), item }];
          }),
        ),
      done: (ids) =>
        database.write("deleting handled changes from the outbox", () => {
          for (const id of ids) handled.run(id);
        }),
      onWrite: (callback) => void callbacks.push(callback),
    },
    expire: (now) =>
      database.write("deleting expired items", () => {
        const before = readAt.get()?.["read_at"];
        if (typeof before === "number" && now >= before && now < before + expiryPause) return;
        if (typeof before === "number" && now > before) expire.run(before);
        forgetReading.run();
        storeReading.run(now);
      }),
  };
}

function keyOf(write: ItemWrite): ItemKey {
  return write.kind === "put" ? write.item : write.key;
}

function distinct(keys: readonly ItemKey[]): readonly ItemKey[] {
  return [...new Map(keys.map((key) => [`${key.pk}\n${key.sk}`, key])).values()];
}

/** A text that sorts after every other text that begins with the same prefix. */
const afterAll = "\u{10ffff}";

/** The same query in both orders. */
interface Statements {
  readonly ascending: StatementSync;
  readonly descending: StatementSync;
}

function rowsOf(
  { pk, prefix = "", after = "", before, limit = Infinity, newestFirst = false }: ItemQuery,
  { ascending, descending }: Statements,
): readonly Record<string, SQLInputValue>[] {
  // A sort key is never empty, so every key of the partition is after the empty text.
  const rows = (newestFirst ? descending : ascending).iterate(
    pk,
    prefix,
    after,
    `${prefix}${afterAll}`,
    before ?? afterAll,
  );
  return firstOf(rows as IterableIterator<Record<string, SQLInputValue>>, limit);
}

/** Returns whether a condition holds for the marks of the stored item; undefined: no item is stored. */
function holdsFor(marks: Readonly<Record<string, Mark>> | undefined, condition: Condition): boolean {
  switch (condition.kind) {
    case "absent":
      return marks === undefined;
    case "any":
      return condition.of.some((one) => holdsFor(marks, one));
    case "all":
      return condition.of.every((one) => holdsFor(marks, one));
    case "equals":
    case "differs":
    case "at-most": {
      const stored = marks?.[condition.mark];
      return stored !== undefined && compares[condition.kind](stored, condition.value);
    }
  }
}

const compares = {
  equals: (stored: Mark, value: Mark) => stored === value,
  differs: (stored: Mark, value: Mark) => stored !== value,
  "at-most": (stored: Mark, value: Mark) => typeof stored === typeof value && stored <= value,
};

function marksIn(row: Record<string, unknown> | undefined): Readonly<Record<string, Mark>> | undefined {
  if (row === undefined) return undefined;
  return typeof row["marks"] === "string" ? (JSON.parse(row["marks"]) as Readonly<Record<string, Mark>>) : {};
}

function columnOf(value: unknown): SQLInputValue {
  return value instanceof Uint8Array ? value : JSON.stringify(value);
}

function itemOf(row: Record<string, unknown> | undefined): Item | undefined {
  if (row === undefined) return undefined;
  const { pk, sk, form, marks, due_at: dueAt, expires_at: expiresAt, value } = row;
  const known = typeof marks === "string" ? parseJson(marks) : undefined;
  return {
    pk: String(pk),
    sk: String(sk),
    form: Number(form),
    value: value instanceof Uint8Array ? value : parseJson(String(value)),
    ...(isObject(known) ? { marks: known as Readonly<Record<string, Mark>> } : {}),
    ...(typeof dueAt === "number" ? { dueAt: epochMs(dueAt) } : {}),
    ...(typeof expiresAt === "number" ? { expiresAt: epochMs(expiresAt) } : {}),
  };
}
