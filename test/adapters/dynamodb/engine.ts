import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { CreateTableCommand, type CreateTableCommandInput } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import { type DynamoTable, dynamoClient } from "#adapters/dynamodb/client";
import { tableShape } from "#contracts/aws/table";

/** An engine that speaks DynamoDB's protocol, for the tests of one file. */
export interface Engine {
  readonly endpoint: string;
  /** Makes a new, empty table. */
  readonly table: () => Promise<DynamoTable>;
  readonly stop: () => Promise<void>;
}

/** What a test file gets: an engine, or the sentence that says why there is none. */
export type MaybeEngine = Engine | { readonly why: string };

/** The program of the embedded engine. It is installed on Linux x64 alone. */
const program = "node_modules/@dynoxide/linux-x64/dynoxide";
const startsWithinMs = 10_000;

let tables = 0;

/** Opens a client of an engine. The engine checks neither region nor credentials. */
export function engineClient(endpoint: string): DynamoTable["client"] {
  return dynamoClient({
    endpoint,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
  });
}

/** Makes tables at an endpoint. */
export function engineAt(endpoint: string, stop: () => Promise<void>): Engine {
  const client = engineClient(endpoint);
  return {
    endpoint,
    table: async () => {
      const table = `lookout-${String(process.pid)}-${String((tables += 1))}`;
      await client.send(new CreateTableCommand({ TableName: table, ...shape }));
      return { client, table };
    },
    stop: async () => {
      client.destroy();
      await stop();
    },
  };
}

/** Starts the embedded engine in memory. */
export async function startEngine(): Promise<MaybeEngine> {
  if (!existsSync(program)) return { why: `there is no ${program} on ${process.platform}-${process.arch}` };
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${String(port)}`;
  const engine = spawn(program, ["--host", "127.0.0.1", "--port", String(port)], { stdio: "ignore" });
  const stop = async (): Promise<void> => {
    if (engine.exitCode !== null || engine.signalCode !== null) return;
    const exit = once(engine, "exit");
    engine.kill();
    await exit;
  };
  process.once("exit", () => engine.kill("SIGKILL"));
  const until = performance.now() + startsWithinMs;
  while (performance.now() < until) {
    await pause(5);
    const answer = await fetch(endpoint).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok === true) return engineAt(endpoint, stop);
  }
  await stop();
  throw new Error(`${program} did not answer within ${String(startsWithinMs)} ms`);
}

/**
 * Registers the tests that need an engine; without one, a test whose name and output say that
 * nothing of it was tried.
 */
export function withEngine(engine: MaybeEngine, tests: (engine: Engine) => void): void {
  if ("endpoint" in engine) {
    tests(engine);
    return;
  }
  const notice = `NOT TESTED HERE: ${engine.why}`;
  describe(notice, () => {
    it("says so", () => {
      process.stderr.write(`\nThe DynamoDB adapters are ${notice}\n`);
      expect(engine.why).not.toBe("");
    });
  });
}

interface Keys {
  readonly partitionKey: string;
  readonly sortKey: string;
}

const keySchema = ({ partitionKey, sortKey }: Keys): CreateTableCommandInput["KeySchema"] => [
  { AttributeName: partitionKey, KeyType: "HASH" },
  { AttributeName: sortKey, KeyType: "RANGE" },
];

const { dueIndex } = tableShape;

/** The shape that the stack deploys. */
const shape = {
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [tableShape, dueIndex]
    .flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey])
    .map((name) => ({ AttributeName: name, AttributeType: "S" })),
  KeySchema: keySchema(tableShape),
  GlobalSecondaryIndexes: [
    { IndexName: dueIndex.name, KeySchema: keySchema(dueIndex), Projection: { ProjectionType: "KEYS_ONLY" } },
  ],
} satisfies Omit<CreateTableCommandInput, "TableName">;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || address === null) throw new Error("no port was given");
  return address.port;
}
