import { describe } from "vitest";
import { dynamoPushCoalescing } from "#adapters/dynamodb/push-coalescing";
import { dynamoClusterStates } from "#adapters/dynamodb/cluster-states";
import { dynamoProbeResults } from "#adapters/dynamodb/probe-results";
import { dynamoFreezes } from "#adapters/dynamodb/freezes";
import { dynamoLedger } from "#adapters/dynamodb/ledger";
import { dynamoQuarantine } from "#adapters/dynamodb/quarantine";
import { dynamoRegistrations } from "#adapters/dynamodb/registrations";
import { dynamoRegistryLimits } from "#adapters/dynamodb/registry-limits";
import { dynamoRepositories } from "#adapters/dynamodb/repositories";
import { dynamoTagHistory } from "#adapters/dynamodb/tag-history";
import { dynamoSightings } from "#adapters/dynamodb/sightings";
import { dynamoWorkloadStore } from "#adapters/dynamodb/workload-store";
import { budgetContract } from "#test/contracts/budget.contract";
import { pushCoalescingContract } from "#test/contracts/push-coalescing.contract";
import { clusterStatesContract } from "#test/contracts/cluster-states.contract";
import { probeResultsContract } from "#test/contracts/probe-results.contract";
import { freezesContract } from "#test/contracts/freezes.contract";
import { ledgerContract } from "#test/contracts/ledger.contract";
import { quarantineContract } from "#test/contracts/quarantine.contract";
import { registrationsContract } from "#test/contracts/registrations.contract";
import { registryLimitsContract } from "#test/contracts/registry-limits.contract";
import { restoreContract } from "#test/contracts/restore.contract";
import { repositoriesContract } from "#test/contracts/repositories.contract";
import { sightingsContract } from "#test/contracts/sightings.contract";
import { tagHistoryContract } from "#test/contracts/tag-history.contract";
import { workloadStoreContract, type WorkloadStoreBed } from "#test/contracts/workload-store.contract";
import type { Engine } from "./engine.ts";

/** Everything that the adapters promise, on a table of an engine. */
export function dynamoContracts(engine: () => Engine): void {
  describe("the store of workloads in DynamoDB", () => {
    const bed = async (): Promise<WorkloadStoreBed> => {
      const where = await engine().table();
      return { store: () => dynamoWorkloadStore(where) };
    };
    workloadStoreContract(bed);
    budgetContract(bed);
    restoreContract(bed);
  });
  describe("the ledger in DynamoDB", () => {
    ledgerContract(async () => dynamoLedger(await engine().table()));
  });
  describe("the quarantine in DynamoDB", () => {
    quarantineContract(async () => dynamoQuarantine(await engine().table()));
  });
  describe("registered clusters in DynamoDB", () => {
    registrationsContract(async () => dynamoRegistrations(await engine().table()));
  });
  describe("probe results in DynamoDB", () => {
    probeResultsContract(async () => dynamoProbeResults(await engine().table()));
  });
  describe("freezes in DynamoDB", () => {
    freezesContract(async () => dynamoFreezes(await engine().table()));
  });
  describe("the limits of registries in DynamoDB", () => {
    registryLimitsContract(async () => dynamoRegistryLimits(await engine().table()));
  });
  describe("push coalescing in DynamoDB", () => {
    pushCoalescingContract(async () => dynamoPushCoalescing(await engine().table()));
  });
  describe("the tag history in DynamoDB", () => {
    tagHistoryContract(async () => dynamoTagHistory(await engine().table()));
  });
  describe("sightings in DynamoDB", () => {
    sightingsContract(async () => {
      const where = await engine().table();
      return { sightings: dynamoSightings(where), tagHistory: dynamoTagHistory(where) };
    });
  });
  describe("the repositories in DynamoDB", () => {
    repositoriesContract(async () => {
      const where = await engine().table();
      return { store: dynamoWorkloadStore(where), repositories: dynamoRepositories(where) };
    });
  });
  describe("the states of clusters in DynamoDB", () => {
    clusterStatesContract(async () => dynamoClusterStates(await engine().table()));
  });
}
