import { type EpochMs, hours } from "#domain/shared/time";
import type { Echoes } from "#ports/echoes";
import type { StateDatabase } from "./database.ts";

const kept = hours(1);

/** The arrivals of synthetic pushes, one row each. Each arrival deletes those that are older than an hour. */
export function sqliteEchoes(database: StateDatabase): Echoes {
  const put = database.sql.prepare("INSERT OR IGNORE INTO echoes (id, at) VALUES (?, ?)");
  const prune = database.sql.prepare("DELETE FROM echoes WHERE at < ?");
  const read = database.sql.prepare("SELECT at FROM echoes WHERE id = ?");
  return {
    put: (id, at) =>
      database.write(`storing when the synthetic push ${id} arrived`, () => {
        prune.run(at - kept);
        put.run(id, at);
      }),
    read: (id) =>
      database.read(`reading when the synthetic push ${id} arrived`, () => read.get(id)?.["at"] as EpochMs | undefined),
  };
}
