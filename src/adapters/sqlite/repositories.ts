import { imageNameOf } from "#domain/image/reference";
import { durationMs, type EpochMs } from "#domain/shared/time";
import type { Repositories, RepositoryState } from "#ports/repositories";
import type { StateDatabase } from "./database.ts";
import { jsonTable } from "./json-table.ts";

const sweepTick = "sweep";

/** Returns the store of repositories that workloads are subscribed to, with one row each. */
export function sqliteRepositories(database: StateDatabase): Repositories {
  const table = jsonTable<RepositoryState>(database, "repositories");
  const ticks = jsonTable<EpochMs>(database, "ticks");
  return {
    checksLagAtMost: durationMs(0),
    list: () => database.read("listing the repositories", table.list),
    read: (name) => {
      const key = imageNameOf(name);
      return database.read(`reading the state of ${key}`, () => table.get(key));
    },
    write: (state) => {
      const key = imageNameOf(state);
      return database.write(`storing the state of ${key}`, () => {
        table.put(key, state);
      });
    },
    forget: (name) => {
      const key = imageNameOf(name);
      return database.write(`deleting the state of ${key}`, () => {
        table.remove(key);
      });
    },
    lastTick: () => database.read("reading the last tick of sweeps", () => ticks.get(sweepTick)),
    writeTick: (at) =>
      database.write("storing the last tick of sweeps", () => {
        ticks.put(sweepTick, at);
      }),
  };
}
