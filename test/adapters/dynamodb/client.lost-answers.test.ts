import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { dynamoPushCoalescing } from "#adapters/dynamodb/push-coalescing";
import type { DynamoTable } from "#adapters/dynamodb/client";
import { workloadKey } from "#domain/workload/workload";
import { deployment, firstRecord, nextRecord, start } from "#test/contracts/records";
import { engineClient, startEngine, withEngine } from "./engine.ts";
import { type FlakyEndpoint, startFlakyEndpoint } from "./flaky-endpoint.ts";
import { storedIn } from "./stored.ts";

withEngine(await startEngine(), (engine) => {
  let flaky: FlakyEndpoint;
  let steady: DynamoTable;
  let shaky: DynamoTable;
  beforeEach(async () => {
    steady = await engine.table();
    flaky = await startFlakyEndpoint(engine.endpoint);
    shaky = { table: steady.table, client: engineClient(flaky.endpoint) };
  });
  afterEach(async () => {
    shaky.client.destroy();
    await flaky.stop();
  });
  afterAll(engine.stop);

  describe("a request with a lost answer", () => {
    const first = firstRecord(deployment("api"));
    const second = nextRecord(first);
    const key = workloadKey(first.workload);

    it("of a first record, which enters the workload index too, is answered as written", async () => {
      const store = storedIn(shaky).store;
      flaky.loseAnswerOf("TransactWriteItems");
      expect(await store.write(first)).toEqual({ kind: "written" });
      expect(flaky.count("TransactWriteItems")).toBe(2);
      expect([await store.read(key), await store.workloadIndex("prod")]).toEqual([first, [key]]);
    });

    it("of a record is answered as written", async () => {
      const store = storedIn(shaky).store;
      await store.write(first);
      flaky.loseAnswerOf("PutItem");
      expect(await store.write(second)).toEqual({ kind: "written" });
      expect(flaky.count("PutItem")).toBe(2);
      expect(await store.read(key)).toEqual(second);
    });

    it("of a record that another writer wrote first is still a conflict", async () => {
      const store = storedIn(shaky).store;
      await store.write(first);
      await store.write(nextRecord(first, { cause: "Wake:1:1" }));
      flaky.loseAnswerOf("PutItem");
      expect(await store.write(second)).toEqual({ kind: "conflict" });
    });

    it("of a push that is being evaluated loses no joined push", async () => {
      const app = { registry: "registry.test", repository: "shop/app" };
      const pushCoalescing = dynamoPushCoalescing(shaky);
      flaky.loseAnswerOf("UpdateItem");
      expect(await pushCoalescing.begin(app, "push-1", start)).toBe("first");
      expect(await pushCoalescing.begin(app, "push-2", start)).toBe("joined");
      flaky.loseAnswerOf("TransactWriteItems");
      expect(await pushCoalescing.end(app, "push-1", start)).toBe("again");
      flaky.loseAnswerOf("DeleteItem");
      expect(await pushCoalescing.end(app, "push-1", start)).toBe("done");
    });

    it("of a lifted digest is answered as lifted", async () => {
      const quarantine = storedIn(shaky).quarantine;
      await quarantine.add({ digest: "sha256:1", by: "alice", why: "CVE", at: start });
      flaky.loseAnswerOf("DeleteItem");
      expect(await quarantine.lift("sha256:1")).toBe(true);
    });

    it("of a subscription changes it once", async () => {
      const store = storedIn(shaky).store;
      const app = { registry: "registry.test", repository: "shop/app" };
      flaky.loseAnswerOf("TransactWriteItems");
      await store.subscribe(first.workload, [app]);
      expect(await store.subscribers(app, 10)).toEqual({ workloads: [key] });
    });
  });
});
