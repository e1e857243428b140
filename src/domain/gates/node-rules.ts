import type { NodeFacts } from "../workload/node-facts.ts";

/**
 * The rule for comparing images with the nodes of a cluster. If the nodes are unknown, `require`
 * holds updates, and `prefer` compares with the running image.
 */
export type NodeRule = "require" | "prefer";

/** The rule of a cluster, and its nodes. */
export interface NodesOfCluster {
  readonly rule: NodeRule;
  /** The nodes of the cluster. Absent if no sync has listed the nodes yet. */
  readonly known?: NodeFacts;
}

/** The rules of `lookout.yaml` about nodes. */
export interface NodeRules {
  readonly clusters: readonly { readonly name: string; readonly nodePlatforms?: NodeRule | "ignore" }[];
  readonly defaults: { readonly nodePlatforms?: NodeRule | "ignore" };
}

/** The rules of an installation without node rules. */
export const noNodeRules: NodeRules = { clusters: [], defaults: {} };

/** Returns whether some cluster may have a node rule, so that Lookout may read configurations in ECR. */
export function hasNodeRule({ clusters, defaults }: NodeRules): boolean {
  return [defaults, ...clusters].some(({ nodePlatforms = "ignore" }) => nodePlatforms !== "ignore");
}

/**
 * Returns the node rule of a cluster, or undefined if Lookout does not read the nodes of the
 * cluster.
 */
export function nodeRuleOf({ clusters, defaults }: NodeRules, cluster: string): NodeRule | undefined {
  const own = clusters.find(({ name }) => name === cluster)?.nodePlatforms;
  const rule = own ?? defaults.nodePlatforms ?? "ignore";
  return rule === "ignore" ? undefined : rule;
}
