import { DatabaseSync } from "node:sqlite";
import { afterEach, describe } from "vitest";
import { plainDatabase, type StateDatabase } from "#adapters/sqlite/database";
import { sqliteItems } from "#adapters/sqlite/items";
import { tables } from "#adapters/sqlite/schema";
import { minutes } from "#domain/shared/time";
import { storedState } from "#stored/index";
import { storedChanges } from "#stored/records";
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
import { changesContract, type ChangesBed, workloadStoreContract } from "#test/contracts/workload-store.contract";

const opened: StateDatabase[] = [];
afterEach(() => {
  for (const database of opened.splice(0)) database.close();
});

function openState() {
  const sql = new DatabaseSync(":memory:");
  sql.exec(tables);
  const database = plainDatabase(sql);
  opened.push(database);
  const { items, changes } = sqliteItems(database);
  const storage = { items, onUnreadable: () => undefined };
  const settings = { newName: () => "abc123", checksLagAtMost: minutes(30) };
  return { ...storedState(storage, settings), again: () => storedState(storage, settings), changes: storedChanges(changes, storage) };
}

describe("items in SQLite", () => {
  const bed = async (): Promise<ChangesBed> => {
    const { again, changes } = openState();
    return { store: () => again().store, changes };
  };
  workloadStoreContract(bed);
  changesContract(bed);
  budgetContract(bed);
  restoreContract(bed);
  ledgerContract(async () => openState().ledger);
  quarantineContract(async () => openState().quarantine);
  registrationsContract(async () => openState().registrations);
  probeResultsContract(async () => openState().probeResults);
  freezesContract(async () => openState().freezes);
  registryLimitsContract(async () => openState().registryLimits);
  tagHistoryContract(async () => openState().tagHistory);
  sightingsContract(async () => openState());
  clusterStatesContract(async () => openState().clusterStates);
  repositoriesContract(async () => openState());
});
