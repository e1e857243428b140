import { dynamoPushCoalescing } from "#adapters/dynamodb/push-coalescing";
import { dynamoClient, type DynamoTable } from "#adapters/dynamodb/client";
import { dynamoItems } from "#adapters/dynamodb/items";
import { memoizeFor } from "#adapters/shared/memoize-for";
import type { TablePorts } from "#app/shared/ports";
import { environment as names } from "#contracts/aws/environment";
import { minutes } from "#domain/shared/time";
import type { WorkloadStore } from "#ports/store";
import { storedState } from "#stored/index";
import { newInstallation } from "#stored/installation";
import type { Storage } from "#stored/kind";
import { storedLedger } from "#stored/ledger";
import { type Environment, variable, type WiringPart } from "./part.ts";

/** Returns the stack's table, which all parts of a function share. */
export function stackTable(environment: Environment): DynamoTable {
  const table = variable(environment, names.table, "the construct of the table sets it on functions that reach it");
  return { client: dynamoClient(), table };
}

/** Returns the items of the stack's table. */
export function stackStorage(table: DynamoTable): Storage {
  return { items: dynamoItems(table), onUnreadable: () => undefined };
}

/** Wires the ports that keep state in the table. The table's stream delivers the changes. */
export const table: WiringPart<Exclude<keyof TablePorts, "tagHistory" | "registrations">> = ({ shared }) => {
  const where = shared(stackTable);
  const stored = storedState(stackStorage(where), { newName: newInstallation, checksLagAtMost: minutes(30) });
  const state = {
    ...stored,
    store: withRememberedName(stored.store),
    pushCoalescing: dynamoPushCoalescing(where),
  };
  return () => state;
};

/** Wires the ledger for a function that only appends to it. */
export const ledger: WiringPart<"ledger"> = ({ shared }) => {
  const made = storedLedger(stackStorage(shared(stackTable)));
  return () => ({ ledger: made });
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
