import { type EpochMs, hours } from "#domain/shared/time";
import type { ProbeResults } from "#ports/probe-results";
import type { StateDatabase } from "./database.ts";

const kept = hours(1);

/**
 * Returns the store of synthetic pushes that arrived, with one row each. Each arrival deletes rows
 * that are older than an hour.
 */
export function sqliteProbeResults(database: StateDatabase): ProbeResults {
  const put = database.sql.prepare("INSERT OR IGNORE INTO probe_results (id, at) VALUES (?, ?)");
  const prune = database.sql.prepare("DELETE FROM probe_results WHERE at < ?");
  const read = database.sql.prepare("SELECT at FROM probe_results WHERE id = ?");
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
