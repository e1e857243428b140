import { ClusterSchema, ClustersSchema } from "./api-schemas.ts";
import { ClusterCheckSchema, ClusterRequestSchema, ClusterSyncSchema } from "./cluster-schemas.ts";

/** What `/v1` can be asked about clusters: a part of its list of routes. */
export const clusterRoutes = [
  {
    name: "listClusters",
    method: "GET",
    path: "/v1/clusters",
    summary: "all clusters, and what is wrong with each",
    answer: ClustersSchema,
    refusals: [],
  },
  {
    name: "readCluster",
    method: "GET",
    path: "/v1/clusters/{cluster}",
    summary: "one of them",
    answer: ClusterSchema,
    refusals: [404],
  },
  {
    name: "addCluster",
    method: "POST",
    path: "/v1/clusters",
    summary: "registers a cluster of EKS that lets Lookout in",
    body: ClusterRequestSchema,
    answer: ClusterCheckSchema,
    refusals: [400, 409, 501],
  },
  {
    name: "removeCluster",
    method: "DELETE",
    path: "/v1/clusters/{cluster}",
    summary: "forgets a cluster that was registered; its workloads take no part any more",
    answer: ClustersSchema,
    refusals: [404, 409, 501],
  },
  {
    name: "checkCluster",
    method: "POST",
    path: "/v1/clusters/{cluster}/check",
    summary: "whether it lets Lookout in, and which rights it lacks",
    answer: ClusterCheckSchema,
    refusals: [404],
    asksCluster: true,
  },
  {
    name: "syncCluster",
    method: "POST",
    path: "/v1/clusters/{cluster}/sync",
    summary: "has it looked at now",
    answer: ClusterSyncSchema,
    status: 202,
    refusals: [404],
  },
] as const;
