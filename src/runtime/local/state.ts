import { randomInt } from "node:crypto";
import { sqlitePushCoalescing } from "#adapters/sqlite/push-coalescing";
import { sqliteClusterStates } from "#adapters/sqlite/cluster-states";
import { memoryDatabase, type StateDatabase } from "#adapters/sqlite/database";
import { sqliteProbeResults } from "#adapters/sqlite/probe-results";
import { sqliteFreezes } from "#adapters/sqlite/freezes";
import { sqliteLedger } from "#adapters/sqlite/ledger";
import { sqliteOutbox } from "#adapters/sqlite/outbox";
import { sqliteQuarantine } from "#adapters/sqlite/quarantine";
import { sqliteRegistrations } from "#adapters/sqlite/registrations";
import { sqliteRegistryLimits } from "#adapters/sqlite/registry-limits";
import { sqliteRepositories } from "#adapters/sqlite/repositories";
import { sqliteSightings } from "#adapters/sqlite/sightings";
import { sqliteTagHistory } from "#adapters/sqlite/tag-history";
import { sqliteWorkloadStore } from "#adapters/sqlite/workload-store";
import type { TablePorts } from "#app/shared/ports";
import type { Clock } from "#ports/clock";
import type { Changes } from "#ports/store";

/** The ports that store state. */
export interface StatePorts extends TablePorts {
  readonly changes: Changes;
}

/** Returns all ports that store state, on one database. `clock` decides about expired rows. */
export function statePorts(database: StateDatabase, clock: Clock): StatePorts {
  const changes = sqliteOutbox(database);
  return {
    store: sqliteWorkloadStore(database, changes),
    changes,
    ledger: sqliteLedger(database, clock),
    quarantine: sqliteQuarantine(database),
    freezes: sqliteFreezes(database),
    pushCoalescing: sqlitePushCoalescing(database),
    probeResults: sqliteProbeResults(database),
    repositories: sqliteRepositories(database),
    registryLimits: sqliteRegistryLimits(database),
    tagHistory: sqliteTagHistory(database),
    sightings: sqliteSightings(database),
    clusterStates: sqliteClusterStates(database),
    registrations: sqliteRegistrations(database),
  };
}

/** Opens an in-memory database, for the demo. */
export function newMemoryDatabase(): StateDatabase {
  return memoryDatabase(newInstallation());
}

/** Returns a random name of six characters for a new installation. */
export function newInstallation(): string {
  return randomInt(36 ** 6)
    .toString(36)
    .padStart(6, "0");
}
