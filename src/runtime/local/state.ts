import { sqlitePushCoalescing } from "#adapters/sqlite/push-coalescing";
import { sqliteItems } from "#adapters/sqlite/items";
import { memoryDatabase, type StateDatabase } from "#adapters/sqlite/database";
import type { TablePorts } from "#app/shared/ports";
import { durationMs, type EpochMs } from "#domain/shared/time";
import type { AccessTokens } from "#ports/access-tokens";
import type { KeptMessages } from "#ports/kept-messages";
import type { Metrics } from "#ports/metrics";
import type { Changes } from "#ports/store";
import { storedAccessTokens } from "#stored/access-tokens";
import { storedMessages } from "#stored/kept-messages";
import { storedState } from "#stored/index";
import { keptFleet } from "#stored/kept-fleet";
import { newInstallation } from "#stored/installation";
import { storedChanges } from "#stored/records";
import { unreadableItems } from "../unreadable-items.ts";

/** The ports that store state. */
export interface StatePorts extends TablePorts {
  readonly changes: Changes;
  readonly tokens: AccessTokens;
  readonly messages: KeptMessages;
  /** Deletes expired items. Call it every hour or more often. */
  readonly expire: (now: EpochMs) => Promise<void>;
}

/**
 * Returns all ports that store state, on one database.
 *
 * @param metrics - counts the items that can't be read. Absent if they are not counted.
 */
export function statePorts(database: StateDatabase, metrics?: Metrics): StatePorts {
  const { items, changes, expire } = sqliteItems(database);
  const unreadable = unreadableItems();
  if (metrics !== undefined) unreadable.countIn(metrics);
  const storage = { items, onUnreadable: unreadable.onUnreadable };
  const stored = storedState(storage, { newName: newInstallation, checksLagAtMost: durationMs(0) });
  return {
    ...stored,
    // No other process has the file open.
    fleet: keptFleet(stored.fleet, () => unreadable.sights()),
    pushCoalescing: sqlitePushCoalescing(database),
    tokens: storedAccessTokens(storage),
    unreadableItems: unreadable,
    changes: storedChanges(changes, storage),
    messages: storedMessages(storage),
    expire,
  };
}

/** Opens an in-memory database, for the demo. */
export function newMemoryDatabase(): StateDatabase {
  return memoryDatabase(newInstallation());
}
