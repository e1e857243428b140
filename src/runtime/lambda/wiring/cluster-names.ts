import { knownRegistrations, namesOf } from "./known-clusters.ts";
import type { WiringPart } from "./part.ts";

/** Knows the clusters by name, for functions that reach none of them. */
export const clusterNames: WiringPart<"clusters"> = (surroundings) => {
  const { recent } = knownRegistrations(surroundings);
  const cluster = (name: string): never => {
    throw new Error(`the route of this function does not reach clusters, and it asked for ${name}`);
  };
  return async () => {
    const names = namesOf(surroundings.configuration.clusters, await recent());
    return { clusters: { names: () => names, cluster } };
  };
};
