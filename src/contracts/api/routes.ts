import { approvalRoutes } from "./approvals.ts";
import { clusterRoutes } from "./clusters.ts";
import { doctorRoutes } from "./doctor.ts";
import { freezeRoutes } from "./freezes.ts";
import { processRoutes } from "./process.ts";
import { quarantineRoutes } from "./quarantine.ts";
import { registryRoutes } from "./registries.ts";
import { repositoryRoutes } from "./repositories.ts";
import { transferRoutes } from "./transfer.ts";
import { workloadRoutes } from "./workloads.ts";

/**
 * All paths of `/v1`, by `operationId`. Each topic lists its own. The OpenAPI document and the table
 * of docs/api.md are generated from them.
 */
export const routes = {
  ...workloadRoutes,
  ...clusterRoutes,
  ...repositoryRoutes,
  ...registryRoutes,
  ...quarantineRoutes,
  ...freezeRoutes,
  ...approvalRoutes,
  ...doctorRoutes,
  ...transferRoutes,
  ...processRoutes,
} as const;

/** The paths that only a function which reaches their cluster can answer. */
export const routesInCluster = [routes.checkCluster, routes.examineCluster];
