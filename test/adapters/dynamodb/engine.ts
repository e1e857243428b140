import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type DynamoTable, dynamoClient } from "#adapters/dynamodb/client";
import { ensureDynamoTable } from "#adapters/dynamodb/table";
import { startEmbeddedTable } from "#runtime/local/embedded-table";

/** An engine that speaks DynamoDB's protocol, for the tests of one file. */
export interface Engine {
  readonly endpoint: string;
  /** Makes a new, empty table. */
  readonly table: () => Promise<DynamoTable>;
  readonly stop: () => Promise<void>;
}

/** What a test file gets: an engine, or the sentence that says why there is none. */
export type MaybeEngine = Engine | { readonly why: string };

let tables = 0;

/** Makes tables at an endpoint. */
export function engineAt(endpoint: string, stop: () => Promise<void>): Engine {
  const client = dynamoClient({ endpoint });
  return {
    endpoint,
    table: async () => {
      const where = { client, table: `lookout-${String(process.pid)}-${String((tables += 1))}` };
      await ensureDynamoTable(where);
      return where;
    },
    stop: async () => {
      client.destroy();
      await stop();
    },
  };
}

/** Starts the embedded engine; where there is none for this platform, `DYNAMODB_ENDPOINT` may name another. */
export async function startEngine(): Promise<MaybeEngine> {
  const dir = await mkdtemp(join(tmpdir(), "lookout-table-"));
  const remove = () => rm(dir, { recursive: true, force: true });
  const started = await startEmbeddedTable({ dir });
  if (started.kind === "running") {
    return engineAt(started.endpoint, async () => {
      await started.stop();
      await started.ended;
      await remove();
    });
  }
  await remove();
  const given = process.env.DYNAMODB_ENDPOINT;
  return given === undefined ? { why: started.why } : engineAt(given, () => Promise.resolve());
}

/** Registers the tests that need an engine; without one, a test whose name and output say that nothing of it was tried. */
export function withEngine(engine: MaybeEngine, tests: (engine: Engine) => void): void {
  if ("endpoint" in engine) {
    tests(engine);
    return;
  }
  const notice = `NOT TESTED HERE: ${engine.why}; set DYNAMODB_ENDPOINT to an engine that speaks DynamoDB's protocol`;
  describe(notice, () => {
    it("says so", () => {
      process.stderr.write(`\nThe DynamoDB adapters are ${notice}\n`);
      expect(engine.why).not.toBe("");
    });
  });
}
