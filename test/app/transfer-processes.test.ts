import { afterAll, expect, it } from "vitest";
import { dynamoWorkloadStore } from "#adapters/dynamodb/workload-store";
import type { Ports } from "#app/ports";
import { exportState, importState } from "#app/transfer";
import { inMemory } from "#runtime/local/table";
import { startEngine, withEngine } from "#test/adapters/dynamodb/engine";
import { deployment, firstRecord } from "#test/contracts/records";
import { world } from "./world.ts";

const row = (name: string) => ({ kind: "record", record: firstRecord(deployment(name)) });

withEngine(await startEngine(), (engine) => {
  afterAll(engine.stop);

  it("an import goes on under the adopted name where another process of the table had read the one before", async () => {
    const { ports } = world();
    const where = await engine.table();
    const process = (): Ports => ({ ...ports, ...inMemory(), store: dynamoWorkloadStore(where) });
    const [one, other] = [process(), process()];
    await other.store.installation();
    const headerOf = async (from: Ports) => (await exportState({ limit: 1, history: "false" }, from)).header;
    const header = await headerOf(ports);

    expect(await importState({ header, firstLine: 2, rows: [row("one")] }, one)).toEqual({ stored: 1, kept: 0 });
    expect(await headerOf(other)).toEqual(header);
    expect(await importState({ header, firstLine: 3, rows: [row("two")] }, other)).toEqual({ stored: 1, kept: 0 });
  });
});
