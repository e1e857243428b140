import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { RegisteredEks } from "../config/aws.ts";
import { kubernetesName, Namespaces } from "../config/fields.ts";
import { accepted, answered, body, ClusterPath } from "./operation.ts";
import { instant, list, part, request, view } from "./schema.ts";

export const ClusterView = view("Cluster", "A cluster, as of its last sync.", {
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
    eks: RegisteredEks,
    namespaces: Namespaces.exactOptional(),
    by: z.string().min(1).max(200),
  },
);
/** Registers a cluster. */
export type ClusterRequest = z.output<typeof ClusterRequest>;

export const ClusterCheckView = view(
  "ClusterCheck",
  "Whether a cluster accepts Lookout's credential and grants the needed rights.",
  {
    at: instant,
    cluster: z.string(),
    identity: z
      .string()
      .exactOptional()
      .describe("The uid of its namespace kube-system; absent: it could not be asked."),
    missing: list(z.string()).describe("Rights that updates take and that it does not give: `patch deployments`."),
    problem: z.string().exactOptional().describe("Why it could not be asked."),
    remedy: z.string().exactOptional().describe("The remedy after a failed check."),
  },
);
/** The access of Lookout to a cluster, and its missing rights. */
export type ClusterCheckView = z.output<typeof ClusterCheckView>;

export const ClusterSyncView = view("ClusterSync", "A sync that a user asked for and that begins now.", {
  at: instant,
  cluster: z.string(),
});
/** The answer to a requested sync of a cluster. */
export type ClusterSyncView = z.output<typeof ClusterSyncView>;

export const clusterOperations = {
  listClusters: createRoute({
    method: "get",
    path: "/v1/clusters",
    summary: "all clusters and their problems",
    responses: answered(ClustersView),
  }),
  readCluster: createRoute({
    method: "get",
    path: "/v1/clusters/{cluster}",
    summary: "one cluster",
    request: { params: ClusterPath },
    responses: answered(ClusterView, 404),
  }),
  addCluster: createRoute({
    method: "post",
    path: "/v1/clusters",
    summary: "registers an EKS cluster that grants access",
    request: { body: body(ClusterRequest) },
    responses: answered(ClusterCheckView, 400, 409, 413, 501),
  }),
  removeCluster: createRoute({
    method: "delete",
    path: "/v1/clusters/{cluster}",
    summary: "removes a registered cluster, and untracks its workloads",
    request: { params: ClusterPath },
    responses: answered(ClustersView, 404, 409, 501),
  }),
  checkCluster: createRoute({
    method: "post",
    path: "/v1/clusters/{cluster}/check",
    summary: "checks the access to a cluster, and names missing rights",
    request: { params: ClusterPath },
    responses: answered(ClusterCheckView, 404),
  }),
  syncCluster: createRoute({
    method: "post",
    path: "/v1/clusters/{cluster}/sync",
    summary: "syncs the cluster now",
    request: { params: ClusterPath },
    responses: accepted(ClusterSyncView, 404),
  }),
} as const;
