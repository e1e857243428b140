import type { Changes } from "#ports/store";
import { firstOf, type StateDatabase } from "./database.ts";
import { recordIn } from "./stored-json.ts";

/** The changes of records that are not handled yet, oldest first. */
export interface SqliteOutbox extends Changes {
  /** Adds a change, inside the transaction of its record. `record` is the record's JSON. */
  put(record: string): void;
  /** Calls the listeners. The store calls this method when the transaction is on the disk. */
  written(): void;
}

/** Returns the outbox of a database. The store that writes the records needs the same outbox. */
export function sqliteOutbox(database: StateDatabase): SqliteOutbox {
  const put = database.sql.prepare("INSERT INTO outbox (record) VALUES (?)");
  const take = database.sql.prepare("SELECT id, record FROM outbox ORDER BY id");
  const remove = database.sql.prepare("DELETE FROM outbox WHERE id = ?");
  const callbacks: (() => void)[] = [];
  return {
    put: (record) => void put.run(record),
    written: () => {
      for (const callback of callbacks) callback();
    },
    take: (limit) =>
      database.read("reading the outbox", () =>
        firstOf(take.iterate(), limit).map(({ id, record }) => ({
          id: String(id),
          record: recordIn(record, `row ${String(id)} of the outbox`),
        })),
      ),
    done: (changes) =>
      database.write("deleting handled changes from the outbox", () => {
        for (const { id } of changes) remove.run(id);
      }),
    onWrite: (callback) => void callbacks.push(callback),
  };
}
