import type { ClusterState, ClusterStates } from "#ports/cluster-states";
import { itemOf, type Kind, objectWith, type Storage, valueOf, valuesOf } from "./kind.ts";
import { put } from "./writes.ts";

const kind: Kind<ClusterState> = { name: "state of a cluster", form: 1, read: objectWith({ name: "string" }) };

/** All states share a partition, so that one query also lists clusters that are no longer configured. */
const pk = "CLUSTER-STATES";

/** Returns the store of cluster states. */
export function storedClusterStates(storage: Storage): ClusterStates {
  const { items } = storage;
  return {
    async read(name) {
      const item = await items.get({ pk, sk: name }, `reading the state of cluster ${name}`);
      return item && valueOf(kind, item);
    },
    list: async () => valuesOf(kind, await items.query({ pk }, "listing the states of clusters"), storage),
    write: (state) =>
      put(items, itemOf(kind, { pk, sk: state.name }, state), `storing the state of cluster ${state.name}`),
  };
}
