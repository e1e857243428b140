import type { WiringPart } from "./part.ts";

/** Knows the clusters by name, for functions that reach none of them. */
export const clusterNames: WiringPart<"clusters"> = ({ configuration }) => {
  const names = configuration.clusters.map(({ name }) => name).sort();
  const cluster = (name: string): never => {
    throw new Error(`the route of this function does not reach clusters, and it asked for ${name}`);
  };
  return () => ({ clusters: { names: () => names, cluster } });
};
