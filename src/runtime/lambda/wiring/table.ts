import { dynamoPushCoalescing } from "#adapters/dynamodb/push-coalescing";
import { dynamoClient, type DynamoTable } from "#adapters/dynamodb/client";
import { dynamoItems } from "#adapters/dynamodb/items";
import { memoizeFor } from "#adapters/shared/memoize-for";
import type { TablePorts } from "#app/shared/ports";
import { environment as names } from "#contracts/aws/environment";
import { minutes } from "#domain/shared/time";
import type { WorkloadStore } from "#ports/store";
import { storedDigests } from "#stored/digests";
import { storedHistory } from "#stored/history";
import { storedFleet } from "#stored/fleet";
import { storedState } from "#stored/index";
import { newInstallation } from "#stored/installation";
import type { Storage } from "#stored/kind";
import { storedLedger } from "#stored/ledger";
import { storedPushes } from "#stored/pushes";
import { storedTierMembers } from "#stored/tier-members";
import { unreadableItems, type UnreadableCollector } from "../../unreadable-items.ts";
import { type Environment, type Surroundings, variable, type WiringPart } from "./part.ts";

/** Returns the stack's table, which all parts of a function share. */
export function stackTable(environment: Environment): DynamoTable {
  const table = variable(environment, names.table, "the construct of the table sets it on functions that reach it");
  return { client: dynamoClient(), table };
}

/** Returns the items of the stack's table. All parts of a function share the unreadable items. */
export function stackStorage({ shared }: Pick<Surroundings, "shared">): Storage {
  return { items: dynamoItems(shared(stackTable)), onUnreadable: shared(stackUnreadable).onUnreadable };
}

function stackUnreadable(): UnreadableCollector {
  return unreadableItems();
}

/** Wires the ports that keep state in the table. The table's stream delivers the changes. */
export const table: WiringPart<Exclude<keyof TablePorts, "tagHistory" | "registrations">> = (surroundings) => {
  const where = surroundings.shared(stackTable);
  const unreadable = surroundings.shared(stackUnreadable);
  const stored = storedState(stackStorage(surroundings), { newName: newInstallation, checksLagAtMost: minutes(30) });
  const state = {
    ...stored,
    store: withRememberedName(stored.store),
    pushCoalescing: dynamoPushCoalescing(where),
    unreadableItems: unreadable,
  };
  return (metrics) => {
    unreadable.countIn(metrics);
    return state;
  };
};

/** Wires the ledger and the derived rows for the function that writes them. */
export const ledger: WiringPart<"ledger" | "history" | "pushes" | "digests" | "fleet"> = (surroundings) => {
  const storage = stackStorage(surroundings);
  const made = {
    ledger: storedLedger(storage),
    history: storedHistory(storage),
    pushes: storedPushes(storage),
    digests: storedDigests(storage),
    fleet: storedFleet(storage),
  };
  return () => made;
};

/** Wires the members of tiers for the function that follows them. */
export const tiers: WiringPart<"tierMembers"> = (surroundings) => {
  const made = { tierMembers: storedTierMembers(stackStorage(surroundings)) };
  return () => made;
};

/**
 * The time for which a function remembers the installation's name. After an import, other functions
 * use the new name within this time.
 */
const keptMs = 30_000;

function withRememberedName(store: WorkloadStore): WorkloadStore {
  const name = memoizeFor(() => store.readInstallation(), {
    keptMs: () => keptMs,
    freshMs: 0,
    monotonicMs: () => performance.now(),
  });
  return {
    ...store,
    installation: () => name(false),
    readInstallation: () => name(true),
    async adoptInstallation(adopted) {
      await store.adoptInstallation(adopted);
      await name(true);
    },
  };
}
