import type { ClusterState, ClusterStates } from "#ports/cluster-states";
import { type Faulty, faults } from "./faults.ts";

/** What is remembered of clusters, in memory. */
export function memoryClusterStates(): ClusterStates & Faulty {
  const { around, failNext } = faults();
  const states = new Map<string, ClusterState>();
  return {
    failNext,
    read: (name) => around(() => structuredClone(states.get(name))),
    write: async (state) => {
      const copy = structuredClone(state);
      return around(() => {
        states.set(copy.name, copy);
      });
    },
  };
}
