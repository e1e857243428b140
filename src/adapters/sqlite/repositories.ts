import { repositoryKey } from "#domain/image/reference";
import type { Repositories, RepositoryState } from "#ports/repositories";
import type { StateDatabase } from "./database.ts";
import { jsonTable } from "./json-table.ts";

/** The repositories that workloads are subscribed to, one row each. */
export function sqliteRepositories(database: StateDatabase): Repositories {
  const table = jsonTable<RepositoryState>(database, "repositories");
  return {
    list: () => database.read("listing the repositories", table.list),
    read: (name) => {
      const key = repositoryKey(name);
      return database.read(`reading the state of ${key}`, () => table.get(key));
    },
    write: (state) => {
      const key = repositoryKey(state);
      return database.write(`storing the state of ${key}`, () => {
        table.put(key, state);
      });
    },
    forget: (name) => {
      const key = repositoryKey(name);
      return database.write(`forgetting ${key}`, () => {
        table.remove(key);
      });
    },
  };
}
