import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { RegisteredEks } from "../config/aws.ts";
import { kubernetesName, Namespaces } from "../config/fields.ts";
import { accepted, answered, body, ClusterPath } from "./operation.ts";
import { EndQuery, instant, list, part, person, request, view, why } from "./schema.ts";

export const ClusterView = view("Cluster", "A cluster, as of its last sync.", {
  name: z.string(),
  lastSyncAt: instant.exactOptional(),
  problem: part({ reason: z.string(), detail: z.string(), since: instant }).exactOptional(),
  definitionProblems: list(
    part({ kind: z.string(), reason: z.string(), detail: z.string(), since: instant, remedy: z.string() }),
  )
    .exactOptional()
    .describe("What is wrong with the objects that declare updates. Absent if nothing is. Other updates go on."),
  registered: part({ by: z.string(), at: instant })
    .exactOptional()
    .describe("The registration. Absent if the cluster is in lookout.yaml."),
});
/** A cluster, as of its last sync. */
export type ClusterView = z.output<typeof ClusterView>;

export const ClustersView = view("Clusters", "All clusters, sorted by name.", {
  at: instant,
  clusters: list(ClusterView),
});
/** All clusters, sorted by name. */
export type ClustersView = z.output<typeof ClustersView>;

export const ClusterRequest = request(
  "ClusterRequest",
  "Registers an EKS cluster, with the same keys as an entry of lookout.yaml.",
  {
    name: kubernetesName,
    eks: RegisteredEks,
    namespaces: Namespaces.exactOptional(),
    by: person,
    why,
  },
);
/** Registers a cluster. */
export type ClusterRequest = z.output<typeof ClusterRequest>;

export const ClusterCheckView = view("ClusterCheck", "Lookout's access to a cluster, and the missing rights.", {
  at: instant,
  cluster: z.string(),
  identity: z
    .string()
    .exactOptional()
    .describe("The uid of the cluster's namespace kube-system. Absent if Lookout could not reach the cluster."),
  missing: list(z.string()).describe(
    "The rights that updates need and the cluster does not grant: `patch deployments`.",
  ),
  excessive: list(z.string())
    .exactOptional()
    .describe("The rights of the credential that Lookout never needs: `read Secrets`. Absent if there are none."),
  ignored: list(z.string())
    .exactOptional()
    .describe(
      "The kinds of objects that declare updates, that the cluster has, and that Lookout may not read or report: `ImagePolicy`. Absent if there are none.",
    ),
  unused: list(z.string())
    .exactOptional()
    .describe(
      "The kinds of objects that declare updates, that the cluster has, and that Lookout does not read, because lookout.yaml has no `definitions: true`: `ImagePolicy`. Absent if there are none.",
    ),
  problem: z.string().exactOptional().describe("The reason why Lookout could not reach the cluster."),
  remedy: z.string().exactOptional().describe("The remedy after a failed check."),
});
/** Lookout's access to a cluster, and the missing rights. */
export type ClusterCheckView = z.output<typeof ClusterCheckView>;

export const ClusterSyncView = view("ClusterSync", "A requested sync of a cluster, which begins now.", {
  at: instant,
  cluster: z.string(),
});
/** The answer to a requested sync of a cluster. */
export type ClusterSyncView = z.output<typeof ClusterSyncView>;

export const clusterOperations = {
  listClusters: createRoute({
    method: "get",
    path: "/v1/clusters",
    summary: "lists clusters and their problems",
    responses: answered(ClustersView),
  }),
  readCluster: createRoute({
    method: "get",
    path: "/v1/clusters/{cluster}",
    summary: "returns one cluster",
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
    request: { params: ClusterPath, query: EndQuery },
    responses: answered(ClustersView, 400, 404, 409, 501),
  }),
  checkCluster: createRoute({
    method: "post",
    path: "/v1/clusters/{cluster}/check",
    summary: "checks Lookout's access to a cluster, and names missing rights",
    request: { params: ClusterPath },
    responses: answered(ClusterCheckView, 404),
  }),
  syncCluster: createRoute({
    method: "post",
    path: "/v1/clusters/{cluster}/sync",
    summary: "syncs a cluster now",
    request: { params: ClusterPath },
    responses: accepted(ClusterSyncView, 404),
  }),
} as const;
