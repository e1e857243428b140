import type { ClusterState, ClusterStates } from "#ports/cluster-states";
import type { DynamoTable } from "./client.ts";
import type { ItemKey } from "./keys.ts";
import { queryPartition, readItem } from "./reads.ts";
import { putItem } from "./writes.ts";

const pk = "CLUSTER-STATES";

function clusterKey(cluster: string): ItemKey {
  return { pk, sk: cluster };
}

/**
 * Returns the store of cluster states. All clusters share a partition, so that one query lists the
 * clusters that are no longer configured too.
 */
export function dynamoClusterStates(where: DynamoTable): ClusterStates {
  return {
    async read(name) {
      const item = await readItem(where, clusterKey(name), `reading the state of cluster ${name}`);
      return item?.state as ClusterState | undefined;
    },

    async list() {
      const items = await queryPartition(where, { pk }, "listing the states of clusters");
      return items.map((item) => item.state as ClusterState);
    },

    write: (state) =>
      putItem(where, { ...clusterKey(state.name), state }, `storing the state of cluster ${state.name}`),
  };
}
