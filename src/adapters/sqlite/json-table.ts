import type { StateDatabase } from "./database.ts";
import type { jsonTables } from "./schema.ts";
import { jsonIn } from "./stored-json.ts";

/**
 * A table of JSON values by a text key. Its methods run inside `read` and `write` of the database.
 */
export interface JsonTable<Value> {
  /** Returns the value of a key, or undefined for an unknown key. */
  readonly get: (key: string) => Value | undefined;
  /** Lists all values in the order of their keys. */
  readonly list: () => readonly Value[];
  /** Stores a value, and replaces an existing value. */
  readonly put: (key: string, value: Value) => void;
  /** Removes a value. Returns false for an unknown key. */
  readonly remove: (key: string) => boolean;
}

/** Opens a table of JSON values. */
export function jsonTable<Value>({ sql }: StateDatabase, table: (typeof jsonTables)[number]): JsonTable<Value> {
  const get = sql.prepare(`SELECT value FROM ${table} WHERE key = ?`);
  const list = sql.prepare(`SELECT value FROM ${table} ORDER BY key`);
  const put = sql.prepare(`INSERT OR REPLACE INTO ${table} (key, value) VALUES (?, ?)`);
  const remove = sql.prepare(`DELETE FROM ${table} WHERE key = ?`);
  const valueOf = ({ value }: Record<string, unknown>): Value => jsonIn(value, `the table ${table}`) as Value;
  return {
    get: (key) => {
      const row = get.get(key);
      return row && valueOf(row);
    },
    list: () => list.all().map(valueOf),
    put: (key, value) => void put.run(key, JSON.stringify(value)),
    remove: (key) => remove.run(key).changes > 0,
  };
}
