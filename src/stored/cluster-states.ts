import type { ClusterState, ClusterStates } from "#ports/cluster-states";
import { itemOf, type Kind, objectWith, type Storage, valuesOf } from "./kind.ts";
import { put } from "./writes.ts";

/** The state of a cluster. */
export const kind: Kind<ClusterState> = { name: "state of a cluster", form: 1, read: objectWith({ name: "string" }) };

/** All states share a partition, so that one query also lists clusters that are no longer configured. */
const pk = "CLUSTER-STATES";

/** Returns the store of cluster states. */
export function storedClusterStates(storage: Storage): ClusterStates {
  const { items } = storage;
  return {
    async read(name) {
      const item = await items.get({ pk, sk: name }, `reading the state of cluster ${name}`);
      // The next sync replaces a state that can't be read.
      return item && valuesOf(kind, [item], storage)[0];
    },
    list: async () => valuesOf(kind, await items.query({ pk }, "listing the states of clusters"), storage),
    write: (state) =>
      put(items, itemOf(kind, { pk, sk: state.name }, state), `storing the state of cluster ${state.name}`),
  };
}
