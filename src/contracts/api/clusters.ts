import * as z from "zod";
import { Eks } from "../config/aws.ts";
import { kubernetesName, Namespaces } from "../config/fields.ts";
import { instant, list, part, request, view } from "./schema.ts";

export const ClusterView = view("Cluster", "A cluster, as the last look left it.", {
  name: z.string(),
  lastSyncAt: instant.exactOptional(),
  problem: part({ reason: z.string(), detail: z.string(), since: instant }).exactOptional(),
  registered: part({ by: z.string(), at: instant }).exactOptional().describe("Absent: it is from lookout.yaml."),
});
/** A cluster, as the last look left it. */
export type ClusterView = z.output<typeof ClusterView>;

export const ClustersView = view("Clusters", "All clusters, by name.", { at: instant, clusters: list(ClusterView) });
/** All clusters, sorted by name. */
export type ClustersView = z.output<typeof ClustersView>;

export const ClusterRequest = request(
  "ClusterRequest",
  "Registers a cluster of EKS, as an entry of lookout.yaml describes one.",
  {
    name: kubernetesName,
    eks: Eks,
    namespaces: Namespaces.exactOptional(),
    by: z.string().min(1).max(200),
  },
);
/** Registers a cluster. */
export type ClusterRequest = z.output<typeof ClusterRequest>;

export const ClusterCheckView = view(
  "ClusterCheck",
  "Whether a cluster lets Lookout in, and gives it the rights that it needs.",
  {
    at: instant,
    cluster: z.string(),
    identity: z
      .string()
      .exactOptional()
      .describe("The uid of its namespace kube-system; absent: it could not be asked."),
    missing: list(z.string()).describe("Rights that updates take and that it does not give: `patch deployments`."),
    problem: z.string().exactOptional().describe("Why it could not be asked."),
    remedy: z
      .string()
      .exactOptional()
      .describe("What a person can do, where something is missing or it could not be asked."),
  },
);
/** Whether a cluster lets Lookout in, and gives it the rights that it needs. */
export type ClusterCheckView = z.output<typeof ClusterCheckView>;

export const ClusterSyncView = view("ClusterSync", "A look at a cluster that was asked for and begins now.", {
  at: instant,
  cluster: z.string(),
});
/** A look at a cluster that was asked for. */
export type ClusterSyncView = z.output<typeof ClusterSyncView>;
