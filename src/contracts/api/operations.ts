import type { Answer } from "./operation.ts";
import { approvalOperations } from "./approvals.ts";
import { channelOperations } from "./channels.ts";
import { controlOperations } from "./control.ts";
import { clusterOperations } from "./clusters.ts";
import { doctorOperations } from "./doctor.ts";
import { freezeOperations } from "./freezes.ts";
import { historyOperations } from "./history.ts";
import { processOperations } from "./process.ts";
import { quarantineOperations } from "./quarantine.ts";
import { registryOperations } from "./registries.ts";
import { repositoryOperations } from "./repositories.ts";
import { storedOperations } from "./stored.ts";
import { tierOperations } from "./tiers.ts";
import { tokenOperations } from "./tokens.ts";
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
  ...channelOperations,
  ...tierOperations,
  ...quarantineOperations,
  ...freezeOperations,
  ...controlOperations,
  ...approvalOperations,
  ...historyOperations,
  ...doctorOperations,
  ...storedOperations,
  ...transferOperations,
  ...tokenOperations,
  ...processOperations,
} as const;

/** All operations of `/v1`. */
export type Operations = typeof operations;

/** The endpoints of all operations, for a client that must not load the operations. */
export type Endpoints = {
  readonly [Name in keyof Operations]: {
    readonly method: Operations[Name]["method"];
    readonly path: Operations[Name]["path"];
    /** The members that every answer has. */
    readonly members: readonly (keyof Answer<Operations[Name]> & string)[];
  };
};

/** The operations whose function must reach the named cluster. */
export const operationsInCluster = [operations.checkCluster, operations.examineCluster];
