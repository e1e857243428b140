import { describe } from "vitest";
import { dynamoPushCoalescing } from "#adapters/dynamodb/push-coalescing";
import { budgetContract } from "#test/contracts/budget.contract";
import { pushCoalescingContract } from "#test/contracts/push-coalescing.contract";
import { checkAnswersContract } from "#test/contracts/check-answers.contract";
import { clusterStatesContract } from "#test/contracts/cluster-states.contract";
import { probeResultsContract } from "#test/contracts/probe-results.contract";
import { freezesContract } from "#test/contracts/freezes.contract";
import { fleetContract } from "#test/contracts/fleet.contract";
import { digestsContract } from "#test/contracts/digests.contract";
import { historyContract } from "#test/contracts/history.contract";
import { pushesContract } from "#test/contracts/pushes.contract";
import { ledgerContract } from "#test/contracts/ledger.contract";
import { quarantineContract } from "#test/contracts/quarantine.contract";
import { registrationsContract } from "#test/contracts/registrations.contract";
import { registryLimitsContract } from "#test/contracts/registry-limits.contract";
import { restoreContract } from "#test/contracts/restore.contract";
import { repositoriesContract } from "#test/contracts/repositories.contract";
import { sightingsContract } from "#test/contracts/sightings.contract";
import { tagHistoryContract } from "#test/contracts/tag-history.contract";
import { tierMembersContract } from "#test/contracts/tier-members.contract";
import { workloadStoreContract, type WorkloadStoreBed } from "#test/contracts/workload-store.contract";
import type { Engine } from "./engine.ts";
import { storedIn } from "./stored.ts";

/** Everything that the adapters promise, on a table of an engine. */
export function dynamoContracts(engine: () => Engine): void {
  describe("the store of workloads in DynamoDB", () => {
    const bed = async (): Promise<WorkloadStoreBed> => {
      const where = await engine().table();
      return { store: () => storedIn(where).store };
    };
    workloadStoreContract(bed);
    budgetContract(bed);
    restoreContract(bed);
  });
  describe("the members of tiers in DynamoDB", () => {
    tierMembersContract(async () => storedIn(await engine().table()));
  });
  describe("the rows of the fleet in DynamoDB", () => {
    fleetContract(async () => storedIn(await engine().table()).fleet);
  });

  describe("the ledger in DynamoDB", () => {
    ledgerContract(async () => storedIn(await engine().table()).ledger);
  });
  describe("the history of the fleet in DynamoDB", () => {
    historyContract(async () => storedIn(await engine().table()).history);
  });
  describe("pushes in DynamoDB", () => {
    pushesContract(async () => storedIn(await engine().table()).pushes);
  });
  describe("digests in DynamoDB", () => {
    digestsContract(async () => storedIn(await engine().table()));
  });
  describe("the quarantine in DynamoDB", () => {
    quarantineContract(async () => storedIn(await engine().table()).quarantine);
  });
  describe("registered clusters in DynamoDB", () => {
    registrationsContract(async () => storedIn(await engine().table()).registrations);
  });
  describe("probe results in DynamoDB", () => {
    probeResultsContract(async () => storedIn(await engine().table()).probeResults);
  });
  describe("freezes in DynamoDB", () => {
    freezesContract(async () => storedIn(await engine().table()).freezes);
  });
  describe("the limits of registries in DynamoDB", () => {
    registryLimitsContract(async () => storedIn(await engine().table()).registryLimits);
  });
  describe("push coalescing in DynamoDB", () => {
    pushCoalescingContract(async () => dynamoPushCoalescing(await engine().table()));
  });
  describe("the tag history in DynamoDB", () => {
    tagHistoryContract(async () => storedIn(await engine().table()).tagHistory);
  });
  describe("the answers of checks in DynamoDB", () => {
    checkAnswersContract(async () => storedIn(await engine().table()).checkAnswers);
  });
  describe("sightings in DynamoDB", () => {
    sightingsContract(async () => {
      const where = await engine().table();
      return { sightings: storedIn(where).sightings, tagHistory: storedIn(where).tagHistory };
    });
  });
  describe("the repositories in DynamoDB", () => {
    repositoriesContract(async () => {
      const where = await engine().table();
      return { store: storedIn(where).store, repositories: storedIn(where).repositories };
    });
  });
  describe("the states of clusters in DynamoDB", () => {
    clusterStatesContract(async () => storedIn(await engine().table()).clusterStates);
  });
}
