import type { WorkloadName } from "./workload.ts";

/** A namespace of a cluster. */
export type Place = Pick<WorkloadName, "cluster" | "namespace">;

/**
 * Returns whether a pattern of `lookout.yaml` covers a namespace. The pattern is `NAMESPACE` or
 * `CLUSTER/NAMESPACE`. A `*` at the end of either means any text.
 */
export function coversPlace(pattern: string, { cluster, namespace }: Place): boolean {
  const slash = pattern.indexOf("/");
  return (
    (slash < 0 || matchesName(pattern.slice(0, slash), cluster)) && matchesName(pattern.slice(slash + 1), namespace)
  );
}

/** Returns whether a pattern covers a name. A `*` at the end means any text. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
