import { afterAll, describe } from "vitest";
import { dynamoItems } from "#adapters/dynamodb/items";
import { minutes } from "#domain/shared/time";
import { storedState } from "#stored/index";
import { budgetContract } from "#test/contracts/budget.contract";
import { clusterStatesContract } from "#test/contracts/cluster-states.contract";
import { freezesContract } from "#test/contracts/freezes.contract";
import { ledgerContract } from "#test/contracts/ledger.contract";
import { probeResultsContract } from "#test/contracts/probe-results.contract";
import { quarantineContract } from "#test/contracts/quarantine.contract";
import { registrationsContract } from "#test/contracts/registrations.contract";
import { registryLimitsContract } from "#test/contracts/registry-limits.contract";
import { repositoriesContract } from "#test/contracts/repositories.contract";
import { restoreContract } from "#test/contracts/restore.contract";
import { sightingsContract } from "#test/contracts/sightings.contract";
import { tagHistoryContract } from "#test/contracts/tag-history.contract";
import { workloadStoreContract } from "#test/contracts/workload-store.contract";
import { startEngine, withEngine } from "./engine.ts";

let names = 0;
const newName = () => `name${String((names += 1)).padStart(2, "0")}`;

withEngine(await startEngine(), (engine) => {
  afterAll(engine.stop);
  const open = async () => {
    const items = dynamoItems(await engine.table());
    return () => storedState({ items, onUnreadable: () => undefined }, { newName, checksLagAtMost: minutes(30) });
  };
  const bed = async () => {
    const again = await open();
    return { store: () => again().store };
  };
  describe("items in DynamoDB", () => {
    workloadStoreContract(bed);
    budgetContract(bed);
    restoreContract(bed);
    ledgerContract(async () => (await open())().ledger);
    quarantineContract(async () => (await open())().quarantine);
    registrationsContract(async () => (await open())().registrations);
    probeResultsContract(async () => (await open())().probeResults);
    freezesContract(async () => (await open())().freezes);
    registryLimitsContract(async () => (await open())().registryLimits);
    tagHistoryContract(async () => (await open())().tagHistory);
    sightingsContract(async () => (await open())());
    clusterStatesContract(async () => (await open())().clusterStates);
    repositoriesContract(async () => (await open())());
  });
});
