import { approvalOperations } from "./approvals.ts";
import { clusterOperations } from "./clusters.ts";
import { doctorOperations } from "./doctor.ts";
import { freezeOperations } from "./freezes.ts";
import { processOperations } from "./process.ts";
import { quarantineOperations } from "./quarantine.ts";
import { registryOperations } from "./registries.ts";
import { repositoryOperations } from "./repositories.ts";
import { transferOperations } from "./transfer.ts";
import { workloadOperations } from "./workloads.ts";

/**
 * All operations of `/v1`, by `operationId`. Each topic lists its own operations. The OpenAPI
 * document and the list in docs/api.md are generated from all operations.
 */
export const operations = {
  ...workloadOperations,
  ...clusterOperations,
  ...repositoryOperations,
  ...registryOperations,
  ...quarantineOperations,
  ...freezeOperations,
  ...approvalOperations,
  ...doctorOperations,
  ...transferOperations,
  ...processOperations,
} as const;

/** The operations whose function must reach the named cluster. */
export const operationsInCluster = [operations.checkCluster, operations.examineCluster];
