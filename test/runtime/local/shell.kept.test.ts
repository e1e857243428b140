import { withoutTiers } from "#domain/tiers/rules";
import { afterEach, expect, it } from "vitest";
import { memoryCluster } from "#adapters/memory/cluster";
import { memoryMetrics } from "#adapters/memory/metrics";
import { memoryRegistry } from "#adapters/memory/registry";
import { memoryDatabase } from "#adapters/sqlite/database";
import { noRules } from "#domain/approval/approvers";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import { epochMs, seconds } from "#domain/shared/time";
import type { Measurement } from "#domain/update/effects/metrics";
import { openShell, type Shell } from "#runtime/local/shell";
import { statePorts } from "#runtime/local/state";
import { until } from "#test/cluster/bed/until";

const host = "registry.test";
let shell: Shell | undefined;
afterEach(async () => {
  await shell?.stop(1_000);
});

it("a message for a damaged record is named in the log, and counted as kept", async () => {
  const clock = { now: () => epochMs(Date.now()) };
  const cluster = memoryCluster({ name: "prod", clock });
  const registry = memoryRegistry();
  registry.push(host, "shop/api", "1.0.0");
  const workload = cluster.apply({
    kind: "Deployment",
    metadata: { namespace: "shop", name: "api", annotations: { "lookout.dev/enabled": "true" } },
    spec: { template: { spec: { containers: [{ name: "app", image: `${host}/shop/api:1.0.0` }] } } },
  });
  const database = memoryDatabase("abc123");
  const failures: (readonly [id: string, message: string])[] = [];
  const measurements: Measurement[] = [];
  shell = openShell({
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
        limits: { settle: seconds(0), windowSpread: seconds(0), maxConcurrentRollouts: 25 },
      },
    },
    metrics: memoryMetrics(measurements),
    receivers: { receiver: () => Promise.resolve(undefined) },
    log: { outcome: () => undefined, failure: ({ id, error }) => failures.push([id, String(error)]) },
    onFact: () => undefined,
  });
  await shell.start();
  const { store, queues } = shell.ports;
  await until("the workload is evaluated", async () => {
    const record = await store.read("prod/shop/deployment/api");
    return record !== undefined && record.needsEvaluation !== true ? true : undefined;
  });
  database.sql.exec(`UPDATE items SET value = '{}' WHERE pk = 'WORKLOAD#prod/shop/deployment/api' AND sk = 'WORKLOAD'`);
  await queues.send([{ command: { name: "EvaluateWorkload", id: "1", source: "test", workload } }]);
  const kept = () => measurements.filter(({ name }) => name === "MessagesKept").length;
  await until("the message is kept", async () => (kept() > 0 ? true : undefined));

  const damaged = "the record of a workload at WORKLOAD#prod/shop/deployment/api, WORKLOAD is damaged";
  const lines = failures.map(([id, message]) =>
    `${id}: ${message}`.replace(/ m\d+:/, ":").replace(/ is damaged.*/, " is damaged"),
  );
  expect(lines).toEqual([
    `evaluate/evaluate-workload: PermanentError: ${damaged}`,
    `gate/dead-letter: PermanentError: ${damaged}`,
    `gate/dead-letter: PermanentError: Lookout does not retry EvaluateWorkload of prod/shop/deployment/api: ${damaged}`,
  ]);
});
