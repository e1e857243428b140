import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe } from "vitest";
import { memoryDatabase, type StateDatabase } from "#adapters/sqlite/database";
import { openStateFile } from "#adapters/sqlite/state-file";
import { statePorts } from "#runtime/local/state";
import { accessTokensContract } from "#test/contracts/access-tokens.contract";
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
import { repositoriesContract } from "#test/contracts/repositories.contract";
import { restoreContract } from "#test/contracts/restore.contract";
import { sightingsContract } from "#test/contracts/sightings.contract";
import { tagHistoryContract } from "#test/contracts/tag-history.contract";
import { tierMembersContract } from "#test/contracts/tier-members.contract";
import { changesContract, type ChangesBed, workloadStoreContract } from "#test/contracts/workload-store.contract";

const folder = mkdtempSync(join(tmpdir(), "lookout-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function openFile(): StateDatabase {
  const opened = openStateFile(join(folder, `state-${String((files += 1))}.db`), "abc123");
  if (opened.kind === "refused") throw new Error(`${opened.why}: ${opened.said}`);
  return opened.database;
}

describe.each([
  { kept: "a file", open: openFile },
  { kept: "memory", open: () => memoryDatabase("abc123") },
])("with SQLite in $kept", ({ open }) => {
  const opened: StateDatabase[] = [];
  afterEach(() => {
    for (const database of opened.splice(0)) database.close();
  });
  const database = (): StateDatabase => {
    const made = open();
    opened.push(made);
    return made;
  };
  const ports = () => statePorts(database());

  describe("the store of workloads", () => {
    const bed = async (): Promise<ChangesBed> => {
      const { store, changes } = ports();
      return { store: () => store, changes };
    };
    workloadStoreContract(bed);
    changesContract(bed);
    budgetContract(bed);
    restoreContract(bed);
  });
  describe("the members of tiers", () => tierMembersContract(async () => ports()));
  describe("the rows of the fleet", () => fleetContract(async () => ports().fleet));
  describe("the ledger", () => ledgerContract(async () => ports().ledger));
  describe("the history of the fleet", () => historyContract(async () => ports().history));
  describe("pushes", () => pushesContract(async () => ports().pushes));
  describe("digests", () => digestsContract(async () => ports()));
  describe("the quarantine", () => quarantineContract(async () => ports().quarantine));
  describe("personal tokens", () => accessTokensContract(async () => ports().tokens));
  describe("registered clusters", () => registrationsContract(async () => ports().registrations));
  describe("probe results", () => probeResultsContract(async () => ports().probeResults));
  describe("the limits of registries", () => registryLimitsContract(async () => ports().registryLimits));
  describe("freezes", () => freezesContract(async () => ports().freezes));
  describe("push coalescing", () => pushCoalescingContract(async () => ports().pushCoalescing));
  describe("the answers of checks", () => checkAnswersContract(async () => ports().checkAnswers));
  describe("sightings", () => sightingsContract(async () => ports()));
  describe("the tag history", () => tagHistoryContract(async () => ports().tagHistory));
  describe("the repositories", () => repositoriesContract(async () => ports()));
  describe("the states of clusters", () => clusterStatesContract(async () => ports().clusterStates));
});
