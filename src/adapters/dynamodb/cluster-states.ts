import type { ClusterState, ClusterStates } from "#ports/cluster-states";
import type { DynamoTable } from "./client.ts";
import { clusterPartition, type ItemKey } from "./keys.ts";
import { readItem } from "./reads.ts";
import { putItem } from "./writes.ts";

function clusterKey(cluster: string): ItemKey {
  return { pk: clusterPartition(cluster), sk: "CLUSTER" };
}

/**
 * Returns the store of cluster states. Each cluster has one item, in the partition of its workload
 * index.
 */
export function dynamoClusterStates(where: DynamoTable): ClusterStates {
  return {
    async read(name) {
      const item = await readItem(where, clusterKey(name), `reading the state of cluster ${name}`);
      return item?.state as ClusterState | undefined;
    },

    write: (state) =>
      putItem(where, { ...clusterKey(state.name), state }, `storing the state of cluster ${state.name}`),
  };
}
