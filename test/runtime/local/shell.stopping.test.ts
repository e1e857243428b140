import { withoutTiers } from "#domain/tiers/rules";
import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { memoryRegistry } from "#adapters/memory/registry";
import { memoryDatabase } from "#adapters/sqlite/database";
import { noRules } from "#domain/approval/approvers";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import { epochMs, seconds } from "#domain/shared/time";
import type { Fact } from "#domain/update/events";
import { openShell } from "#runtime/local/shell";
import { statePorts } from "#runtime/local/state";
import { memoryCluster } from "#test/model/world/cluster-hands";

const host = "registry.test";
const workloads = 40;
const manyTags = 1_800;
/** Takes a quarter of a second with the tags of this test. Each workload has its own pattern. */
const evilPattern = (index: number) => `(a?){98}a{98}${index}$`;

/** A process with slow work for ten seconds, and what it logs. */
function busyShell() {
  const clock = { now: () => epochMs(Date.now()) };
  const cluster = memoryCluster({ name: "prod", clock, startupMs: 50 });
  const registry = memoryRegistry();
  for (let index = 0; index < manyTags; index += 1) registry.push(host, "shop/api", `${"a".repeat(97)}b${index}`);
  registry.push(host, "shop/api", "1.0.0");
  for (let index = 0; index < workloads; index += 1)
    cluster.apply({
      kind: "Deployment",
      metadata: {
        ...{ namespace: "shop", name: `api-${index}` },
        annotations: { "lookout.dev/enabled": "true", "lookout.dev/tag-pattern": evilPattern(index) },
      },
      spec: { replicas: 1, template: { spec: { containers: [{ name: "api", image: `${host}/shop/api:1.0.0` }] } } },
    });
  const database = memoryDatabase("abc123");
  const facts: Fact[] = [];
  const failures: unknown[] = [];
  const shell = openShell({
    ports: {
      ...{ clock, ...statePorts(database), registry },
      clusters: { names: () => ["prod"], cluster: (name) => (name === "prod" ? cluster : undefined) },
      rules: {
        ...{
          registries: { registryPolicy: "any", registries: [] },
          approvals: noRules,
          nodes: noNodeRules,
          observe: observesNowhere,
          tiers: withoutTiers,
        },
        ...{ defaults: { semver: "any" }, plannedFreezes: [], checks: [] },
        limits: { settle: seconds(10), windowSpread: seconds(0), maxConcurrentRollouts: 25 },
      },
    },
    receivers: { receiver: () => Promise.resolve(undefined) },
    log: { outcome: () => undefined, failure: (entry) => failures.push(entry) },
    onFact: (fact) => facts.push(fact),
  });
  return { shell, database, facts, failures };
}

/** Returns the processor time of this thread in milliseconds. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

it.each([
  { withinMs: 4_000, what: "work that ends in time" },
  { withinMs: 0, what: "work that goes on after the state was closed" },
])("a stop ends matching of slow patterns soon, and reports no failure: $what", { timeout: 60_000 }, async (row) => {
  const { shell, database, facts, failures } = busyShell();
  await shell.start();
  await pause(500);
  // The patterns take turns, so most evaluations have not ended, however fast the machine is.
  expect(facts.length).toBeLessThan(workloads / 2);
  const before = cpuMs();
  await shell.stop(row.withinMs);
  database.close();
  // The process ends when no work is left, so work that goes on would delay its end.
  for (let used = -1; cpuMs() - used > 50;) {
    used = cpuMs();
    await pause(200);
  }

  expect(cpuMs() - before).toBeLessThan(2_000);
  expect(failures).toEqual([]);
});
