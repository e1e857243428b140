import { expect, it } from "vitest";
import { memoryDatabase } from "#adapters/sqlite/database";
import { syncCluster } from "#app/detect/sync-cluster";
import type { OutgoingCommand } from "#ports/messaging";
import { statePorts } from "#runtime/local/state";
import { world } from "#test/app/world";
import { deployment, firstRecord } from "#test/contracts/records";

it("A sync evaluates the other workloads, and no workload whose record can't be read", async () => {
  const lookout = world();
  const usual = lookout.ports;
  const database = memoryDatabase("abc123");
  const sent: OutgoingCommand[] = [];
  const queues = { ...usual.queues, send: async (commands: readonly OutgoingCommand[]) => void sent.push(...commands) };
  const ports = { ...usual, ...statePorts(database), queues };
  for (const name of ["api", "web", "job"]) lookout.deploy({ name, image: "registry.test/shop/app:1.0.0" });
  for (const name of ["api", "web"]) await ports.store.write(firstRecord(deployment(name)));
  const sync = async (id: string) => {
    sent.length = 0;
    await syncCluster({ name: "SyncCluster", id, cluster: "prod" }, ports, new AbortController().signal);
    return sent.flatMap(({ command }) => (command.name === "EvaluateWorkload" ? [command.workload.name] : [])).sort();
  };

  expect(await sync("asked:1")).toEqual(["api", "job", "web"]);
  database.sql.exec("UPDATE items SET form = 9 WHERE pk = 'WORKLOAD#prod/shop/deployment/api' AND sk = 'WORKLOAD'");
  expect(await sync("asked:2")).toEqual(["job", "web"]);
  database.sql.exec("DELETE FROM items WHERE pk = 'WORKLOAD#prod/shop/deployment/api' AND sk = 'WORKLOAD'");
  expect(await sync("asked:3")).toEqual(["api", "job", "web"]);
});
