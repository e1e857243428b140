import type { Breaker } from "#domain/registry/breaker";
import type { RegistryLimit } from "#domain/registry/lease";
import type { Outage } from "#domain/registry/outage";
import type { Pauses } from "#domain/registry/pauses";
import { type EpochMs, hours } from "#domain/shared/time";
import type { RegistryLimits } from "#ports/registry-limits";
import type { StateDatabase } from "./database.ts";
import { jsonIn } from "./stored-json.ts";

const kept = hours(24);

/**
 * Returns the store of registry limits, with one row each for a registry's limit, breaker, outage and
 * pauses.
 * Each write deletes rows that are older than a day.
 */
export function sqliteRegistryLimits(database: StateDatabase): RegistryLimits {
  const { sql } = database;
  const read = sql.prepare("SELECT part, state FROM registry_limits WHERE host = ?");
  const version = sql.prepare("SELECT version FROM registry_limits WHERE host = ? AND part = ?");
  const put = sql.prepare(
    "INSERT OR REPLACE INTO registry_limits (host, part, version, at, state) VALUES (?, ?, ?, ?, ?)",
  );
  const prune = sql.prepare("DELETE FROM registry_limits WHERE at < ?");
  const store = (
    host: string,
    part: "limit" | "breaker" | "outage" | "pauses",
    state: RegistryLimit | Breaker | Outage | Pauses,
    now: EpochMs,
  ) =>
    database.write(`storing the ${part} of ${host}`, () => {
      if (Number(version.get(host, part)?.["version"] ?? 0) !== state.version - 1) return false;
      prune.run(now - kept);
      put.run(host, part, state.version, now, JSON.stringify(state));
      return true;
    });
  return {
    read: (host) =>
      database.read(`reading the limits of ${host}`, () =>
        Object.fromEntries(
          read.all(host).map(({ part, state }) => [String(part), jsonIn(state, "the table registry_limits")]),
        ),
      ),
    writeLimit: (host, limit, now) => store(host, "limit", limit, now),
    writeBreaker: (host, breaker, now) => store(host, "breaker", breaker, now),
    writeOutage: (host, outage, now) => store(host, "outage", outage, now),
    writePauses: (host, pauses, now) => store(host, "pauses", pauses, now),
  };
}
