import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { ClusterState, ClusterStates } from "#ports/cluster-states";
import type { DynamoTable } from "./client.ts";
import { asking } from "./errors.ts";
import { clusterKey } from "./keys.ts";
import { readItem } from "./reads.ts";

/** What is remembered of clusters: one item beside the workload index of each. */
export function dynamoClusterStates(where: DynamoTable): ClusterStates {
  const { client, table } = where;
  return {
    async read(name) {
      const item = await readItem(where, clusterKey(name), `reading the state of cluster ${name}`);
      return item?.state as ClusterState | undefined;
    },

    async write(state) {
      const item = { ...clusterKey(state.name), state };
      await asking(`storing the state of cluster ${state.name}`, () =>
        client.send(new PutCommand({ TableName: table, Item: item })),
      );
    },
  };
}
