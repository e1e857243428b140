import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import type { StateDatabase } from "#adapters/sqlite/database";
import type { DynamoTable } from "#adapters/dynamodb/client";
import { openStateFile } from "#adapters/sqlite/state-file";
import type { Ports } from "#app/shared/ports";
import { exportState, importState } from "#app/api/transfer";
import { statePorts } from "#runtime/local/state";
import { startEngine, withEngine } from "#test/adapters/dynamodb/engine";
import { deployment, firstRecord } from "#test/contracts/records";
import { afterImport, exported, kindOf, lineOf, lived } from "../moved.ts";
import { world } from "../world.ts";
import { storedIn } from "#test/adapters/dynamodb/stored";

const row = (name: string) => lineOf("record", firstRecord(deployment(name)));

withEngine(await startEngine(), (engine) => {
  const folder = mkdtempSync(join(tmpdir(), "lookout-transfer-"));
  const databases: StateDatabase[] = [];
  afterAll(async () => {
    for (const database of databases) database.close();
    rmSync(folder, { recursive: true });
    await engine.stop();
  });

  const inStack = (where: DynamoTable) => storedIn(where);
  const inFile = (name: string) => {
    const opened = openStateFile(join(folder, name), "zzz999");
    if (opened.kind === "refused") throw new Error(opened.said);
    databases.push(opened.database);
    return statePorts(opened.database);
  };

  it("a file and a stack that import each other's export have the same state", async () => {
    const { lookout } = await lived();
    await lookout.sweep();
    const { ports } = lookout;
    await ports.registrations.put({ name: "pay", eks: { name: "pay-1" }, by: "ana", at: ports.clock.now() });
    // A workload of a cluster that is registered in the stack, and that the local process does not reach.
    await ports.store.subscribe(deployment("ledger", "pay"), [{ registry: "registry.test", repository: "shop/app" }]);
    await ports.store.restore(firstRecord(deployment("ledger", "pay")));
    const first = await exported(ports);
    const places: Ports[] = [
      { ...ports, ...inStack(await engine.table()) },
      { ...ports, ...inFile("one.db") },
      { ...ports, ...inStack(await engine.table()) },
    ];

    let { header, rows } = first;
    for (const place of places) {
      // The repository is entered with its subscriber, so that its own line changes nothing.
      const stored = rows.length - 1;
      expect(await importState({ header, firstLine: 2, rows }, place)).toEqual({ stored, kept: 1, evidence: 0 });
      ({ header, rows } = await exported(place));
      expect({ header, rows }).toEqual({ header: first.header, rows: first.rows.map(afterImport) });
    }
    expect(first.rows.map(kindOf)).toEqual([
      ...["freeze", "quarantined", "record", "record", "repository", "repository", "history", "registration"],
    ]);
  });

  it("an import adopts the name that another process of the table had read before", async () => {
    const { ports } = world();
    const where = await engine.table();
    const process = (): Ports => ({ ...ports, ...inStack(where) });
    const [one, other] = [process(), process()];
    await other.store.installation();
    const headerOf = async (from: Ports) => (await exportState({ limit: 1, history: "false" }, from)).header;
    const header = await headerOf(ports);

    expect(await importState({ header, firstLine: 2, rows: [row("one")] }, one)).toEqual({
      stored: 1,
      kept: 0,
      evidence: 0,
    });
    expect(await headerOf(other)).toEqual(header);
    expect(await importState({ header, firstLine: 3, rows: [row("two")] }, other)).toEqual({
      stored: 1,
      kept: 0,
      evidence: 0,
    });
  });
});
