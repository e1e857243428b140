import type { ClusterState, ClusterStates } from "#ports/cluster-states";
import type { StateDatabase } from "./database.ts";
import { jsonTable } from "./json-table.ts";

/** Returns the store of cluster states, with one row per cluster. */
export function sqliteClusterStates(database: StateDatabase): ClusterStates {
  const table = jsonTable<ClusterState>(database, "cluster_states");
  return {
    read: (name) => database.read(`reading the state of cluster ${name}`, () => table.get(name)),
    list: () => database.read("listing the states of clusters", () => table.list()),
    write: (state) =>
      database.write(`storing the state of cluster ${state.name}`, () => {
        table.put(state.name, state);
      }),
  };
}
