import { join } from "node:path";
import { dynamoBursts } from "#adapters/dynamodb/bursts";
import { dynamoClient } from "#adapters/dynamodb/client";
import { dynamoClusterStates } from "#adapters/dynamodb/cluster-states";
import { dynamoEchoes } from "#adapters/dynamodb/echoes";
import { dynamoFreezes } from "#adapters/dynamodb/freezes";
import { dynamoLedger } from "#adapters/dynamodb/ledger";
import { dynamoOutbox } from "#adapters/dynamodb/outbox";
import { dynamoQuarantine } from "#adapters/dynamodb/quarantine";
import { dynamoRepositories } from "#adapters/dynamodb/repositories";
import { dropDynamoTable, ensureDynamoTable } from "#adapters/dynamodb/table";
import { dynamoTagMoves } from "#adapters/dynamodb/tag-moves";
import { dynamoWorkloadStore } from "#adapters/dynamodb/workload-store";
import { memoryBursts } from "#adapters/memory/bursts";
import { memoryClusterStates } from "#adapters/memory/cluster-states";
import { memoryEchoes } from "#adapters/memory/echoes";
import { memoryFreezes } from "#adapters/memory/freezes";
import { memoryLedger } from "#adapters/memory/ledger";
import { memoryQuarantine } from "#adapters/memory/quarantine";
import { memoryRepositories } from "#adapters/memory/repositories";
import { memoryTagMoves } from "#adapters/memory/tag-moves";
import { memoryChanges, memoryTable, memoryWorkloadStore } from "#adapters/memory/workload-store";
import type { Ports } from "#app/ports";
import { PermanentError, TransientError } from "#ports/errors";
import { diskTrouble } from "./disk.ts";
import { damagedTable, isFull, saysDamaged, startEmbeddedTable } from "./embedded-table.ts";
import { withoutUser } from "./settings.ts";
import { fullDisk, stateFiles } from "./state-folder.ts";

/** The ports that keep state. */
export type StatePorts = Pick<
  Ports,
  | "store"
  | "changes"
  | "ledger"
  | "quarantine"
  | "freezes"
  | "bursts"
  | "echoes"
  | "repositories"
  | "tagMoves"
  | "clusterStates"
>;

/** State, and what keeps it. */
export interface OpenState {
  readonly ports: StatePorts;
  /** What people are told: `embedded DynamoDB`, an endpoint, or memory and why. */
  readonly kept: string;
  /** It lies in the state folder, on a disk that can fill up. */
  readonly onDisk: boolean;
  /** Resolves when what keeps the state has ended by itself, with what it said; never in memory. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

/** Where state is kept. */
export interface StateOptions {
  /** The state folder, which this process holds. */
  readonly dir: string;
  readonly table: string;
  /** True: what an earlier process kept under this name in the embedded engine is dropped. */
  readonly afresh: boolean;
  /** An endpoint of DynamoDB that someone else runs; it goes before the embedded engine. */
  readonly endpoint?: string | undefined;
}

/**
 * Opens the table: the given endpoint, else the embedded engine, else memory where there is no engine for this platform.
 *
 * @throws PermanentError that says what to do, for an endpoint that is no URL or does not answer, and for a table that can't be used.
 */
export async function openState({ dir, table, afresh, endpoint }: StateOptions): Promise<OpenState> {
  if (endpoint !== undefined)
    return {
      ...(await overForeign(endpoint, table)),
      kept: `DynamoDB at ${withoutUser(endpoint)}`,
      onDisk: false,
      ended: never(),
      close: done,
    };
  const engine = await startEmbeddedTable({ dir });
  if (engine.kind === "unavailable")
    return {
      ports: inMemory(),
      kept: `memory alone: ${engine.why} What Lookout knows is gone when it stops`,
      onDisk: false,
      ended: never(),
      close: done,
    };
  try {
    const { ports } = await overDynamo(engine.endpoint, table, afresh);
    return {
      // Only this process works on the table: markers of bursts need not outlive it, since its start looks at every workload.
      ports: { ...ports, bursts: memoryBursts() },
      kept: "embedded DynamoDB",
      onDisk: true,
      ended: engine.ended,
      close: () => engine.stop(),
    };
  } catch (error) {
    await engine.stop();
    throw (await diskTrouble(dir)) ?? faultIn(error, dir) ?? error;
  }
}

/** Nothing of what others keep is dropped. */
async function overForeign(endpoint: string, table: string): ReturnType<typeof overDynamo> {
  const named = `DYNAMODB_ENDPOINT names ${withoutUser(endpoint)}`;
  const advice = "Without the variable the embedded engine is used.";
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ""))
    throw new PermanentError(`${named}, which is not a URL\nFor example: http://127.0.0.1:8000. ${advice}`);
  try {
    return await overDynamo(endpoint, table, false);
  } catch (error) {
    if (!(error instanceof TransientError)) throw error;
    const what = `Start the DynamoDB that should answer there, or correct the variable. ${advice}`;
    throw new PermanentError(`${named}, and that can't be used: ${error.message}\n${what}`, { cause: error });
  }
}

/** What the engine says of its file is in the cause of what failed. */
function faultIn(error: unknown, dir: string): Error | undefined {
  const said = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  if (isFull(said)) return fullDisk(dir);
  const table = join(dir, stateFiles.table);
  return saysDamaged(said) ? damagedTable(table, said) : undefined;
}

/** Keeps state in this process alone. */
export function inMemory(table = memoryTable()): StatePorts {
  return {
    store: memoryWorkloadStore(table),
    changes: memoryChanges(table),
    ledger: memoryLedger(),
    quarantine: memoryQuarantine(),
    freezes: memoryFreezes(),
    bursts: memoryBursts(),
    echoes: memoryEchoes(),
    repositories: memoryRepositories(table),
    tagMoves: memoryTagMoves(),
    clusterStates: memoryClusterStates(),
  };
}

async function overDynamo(endpoint: string, table: string, afresh: boolean): Promise<{ readonly ports: StatePorts }> {
  const where = { client: dynamoClient({ endpoint }), table };
  if (afresh) await dropDynamoTable(where);
  await ensureDynamoTable(where);
  const outbox = dynamoOutbox(where);
  return {
    ports: {
      store: dynamoWorkloadStore({ ...where, outbox }),
      changes: outbox,
      ledger: dynamoLedger({ ...where, inTransactions: true }),
      quarantine: dynamoQuarantine(where),
      freezes: dynamoFreezes(where),
      bursts: dynamoBursts(where),
      echoes: dynamoEchoes(where),
      repositories: dynamoRepositories(where),
      tagMoves: dynamoTagMoves(where),
      clusterStates: dynamoClusterStates(where),
    },
  };
}

function never(): Promise<string> {
  return new Promise(() => undefined);
}

function done(): Promise<void> {
  return Promise.resolve();
}
