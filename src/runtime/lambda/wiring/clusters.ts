import type { WiringPart } from "./part.ts";

/** Reaches the clusters. */
export const clusters: WiringPart<"clusters"> = ({ configuration }) => {
  const names = configuration.clusters.map(({ name }) => name).sort();
  return () => ({ clusters: { names: () => names, cluster: () => undefined } });
};
