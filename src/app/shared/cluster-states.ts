import type { ClusterState } from "#ports/cluster-states";
import type { Ports } from "./ports.ts";

/**
 * Reads the states of all clusters, sorted by name. A cluster that was never synced has only its
 * name.
 */
export async function clusterStatesOf({ clusters, clusterStates }: Ports): Promise<ReadonlyMap<string, ClusterState>> {
  const states = clusters.names().map(async (name) => [name, (await clusterStates.read(name)) ?? { name }] as const);
  return new Map(await Promise.all(states));
}
