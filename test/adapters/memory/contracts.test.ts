import { describe } from "vitest";
import { memoryBursts } from "#adapters/memory/bursts";
import { memoryClusterStates } from "#adapters/memory/cluster-states";
import { memoryEchoes } from "#adapters/memory/echoes";
import { memoryFreezes } from "#adapters/memory/freezes";
import { memoryLedger } from "#adapters/memory/ledger";
import { memoryQuarantine } from "#adapters/memory/quarantine";
import { memoryRegistrations } from "#adapters/memory/registrations";
import { memoryRepositories } from "#adapters/memory/repositories";
import { memoryTagMoves } from "#adapters/memory/tag-moves";
import { memoryChanges, memoryTable, memoryWorkloadStore } from "#adapters/memory/workload-store";
import { budgetContract } from "#test/contracts/budget.contract";
import { burstsContract } from "#test/contracts/bursts.contract";
import { clusterStatesContract } from "#test/contracts/cluster-states.contract";
import { echoesContract } from "#test/contracts/echoes.contract";
import { freezesContract } from "#test/contracts/freezes.contract";
import { ledgerContract } from "#test/contracts/ledger.contract";
import { quarantineContract } from "#test/contracts/quarantine.contract";
import { registrationsContract } from "#test/contracts/registrations.contract";
import { restoreContract } from "#test/contracts/restore.contract";
import { repositoriesContract } from "#test/contracts/repositories.contract";
import { tagMovesContract } from "#test/contracts/tag-moves.contract";
import { workloadStoreContract, type WorkloadStoreBed } from "#test/contracts/workload-store.contract";

describe("the store of workloads in memory", () => {
  const bed = async (): Promise<WorkloadStoreBed> => {
    const table = memoryTable();
    return { store: () => memoryWorkloadStore(table), changes: memoryChanges(table) };
  };
  workloadStoreContract(bed);
  budgetContract(bed);
  restoreContract(bed);
});

describe("the ledger in memory", () => {
  ledgerContract(async () => memoryLedger());
});

describe("the quarantine in memory", () => {
  quarantineContract(async () => memoryQuarantine());
});

describe("registered clusters in memory", () => {
  registrationsContract(async () => memoryRegistrations());
});

describe("echoes in memory", () => {
  echoesContract(async () => memoryEchoes());
});

describe("freezes in memory", () => {
  freezesContract(async () => memoryFreezes());
});

describe("bursts in memory", () => {
  burstsContract(async () => memoryBursts());
});

describe("when tags moved, in memory", () => {
  tagMovesContract(async () => memoryTagMoves());
});

describe("the repositories in memory", () => {
  repositoriesContract(async () => {
    const table = memoryTable();
    return { store: memoryWorkloadStore(table), repositories: memoryRepositories(table) };
  });
});

describe("the states of clusters in memory", () => {
  clusterStatesContract(async () => memoryClusterStates());
});
