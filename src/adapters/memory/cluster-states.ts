import type { ClusterState, ClusterStates } from "#ports/cluster-states";
import { copyOf } from "./copy.ts";
import { type Faulty, faults } from "./faults.ts";

/** What is remembered of clusters, in memory. */
export function memoryClusterStates(): ClusterStates & Faulty {
  const { around, failNext } = faults();
  const states = new Map<string, ClusterState>();
  return {
    failNext,
    read: (name) => around(() => states.get(name)),
    write: async (state) => {
      const copy = copyOf(state);
      return around(() => {
        states.set(copy.name, copy);
      });
    },
  };
}
