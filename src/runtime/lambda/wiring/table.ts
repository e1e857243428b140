import { dynamoPushCoalescing } from "#adapters/dynamodb/push-coalescing";
import { dynamoClient, type DynamoTable } from "#adapters/dynamodb/client";
import { dynamoClusterStates } from "#adapters/dynamodb/cluster-states";
import { dynamoProbeResults } from "#adapters/dynamodb/probe-results";
import { dynamoFreezes } from "#adapters/dynamodb/freezes";
import { dynamoLedger } from "#adapters/dynamodb/ledger";
import { dynamoQuarantine } from "#adapters/dynamodb/quarantine";
import { dynamoRegistryLimits } from "#adapters/dynamodb/registry-limits";
import { dynamoRepositories } from "#adapters/dynamodb/repositories";
import { dynamoSightings } from "#adapters/dynamodb/sightings";
import { dynamoWorkloadStore } from "#adapters/dynamodb/workload-store";
import type { TablePorts } from "#app/shared/ports";
import { environment as names } from "#contracts/aws/environment";
import { type Environment, variable, type WiringPart } from "./part.ts";

/** Returns the stack's table, which all parts of a function share. */
export function stackTable(environment: Environment): DynamoTable {
  const table = variable(environment, names.table, "the construct of the table sets it on functions that reach it");
  return { client: dynamoClient(), table };
}

/** Wires the ports that keep state in the table. The table's stream delivers the changes. */
export const table: WiringPart<Exclude<keyof TablePorts, "tagHistory" | "registrations">> = ({ shared }) => {
  const where = shared(stackTable);
  const state = {
    store: dynamoWorkloadStore(where),
    ledger: dynamoLedger(where),
    quarantine: dynamoQuarantine(where),
    freezes: dynamoFreezes(where),
    pushCoalescing: dynamoPushCoalescing(where),
    probeResults: dynamoProbeResults(where),
    repositories: dynamoRepositories(where),
    registryLimits: dynamoRegistryLimits(where),
    sightings: dynamoSightings(where),
    clusterStates: dynamoClusterStates(where),
  };
  return () => state;
};

/** Wires the ledger for a function that only appends to it. */
export const ledger: WiringPart<"ledger"> = ({ shared }) => {
  const made = dynamoLedger(shared(stackTable));
  return () => ({ ledger: made });
};
