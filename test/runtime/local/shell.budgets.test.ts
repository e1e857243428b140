import { withoutTiers } from "#domain/tiers/rules";
import { afterEach, describe, expect, it } from "vitest";
import { memoryCluster } from "#adapters/memory/cluster";
import { memoryRegistry } from "#adapters/memory/registry";
import { noRules } from "#domain/approval/approvers";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import type { BudgetEntry } from "#domain/shares/budget";
import { epochMs, seconds } from "#domain/shared/time";
import { openLimitedRegistry } from "#runtime/limited-registry";
import { openShell, type Shell } from "#runtime/local/shell";
import { until } from "#test/cluster/bed/until";
import { stateInMemory } from "#test/state";

const host = "registry.test";
const registryRules = { registryPolicy: "any", registries: [] } as const;
let shell: Shell | undefined;
afterEach(async () => {
  await shell?.stop(1_000);
});

/** Starts a process with two workloads in each of the namespaces `lab` and `shop`. */
async function start(budgets: readonly BudgetEntry[]) {
  const clock = { now: () => epochMs(Date.now()) };
  const cluster = memoryCluster({ name: "prod", clock });
  const registry = memoryRegistry();
  for (const namespace of ["lab", "shop"])
    for (const name of ["a", "b"]) {
      registry.push(host, `${namespace}/${name}`, "1.0.0");
      cluster.apply({
        kind: "Deployment",
        metadata: { namespace, name, annotations: { "lookout.dev/enabled": "true" } },
        spec: { template: { spec: { containers: [{ name: "app", image: `${host}/${namespace}/${name}:1.0.0` }] } } },
      });
    }
  const state = stateInMemory("abc123");
  const gate = openLimitedRegistry([], { registry, registryLimits: state.registryLimits, clock });
  shell = openShell({
    ports: {
      ...{ clock, ...state, registry: gate({ add: () => undefined }) },
      clusters: { names: () => ["prod"], cluster: (name) => (name === "prod" ? cluster : undefined) },
      rules: {
        ...{
          registries: registryRules,
          plannedFreezes: [],
          checks: [],
          approvals: noRules,
          nodes: noNodeRules,
          observe: observesNowhere,
          tiers: withoutTiers,
        },
        defaults: { semver: "any" },
        limits: { settle: seconds(0), windowSpread: seconds(0), maxConcurrentRollouts: 25 },
      },
    },
    budgets,
    receivers: { receiver: () => Promise.resolve(undefined) },
    log: { outcome: () => undefined, failure: () => undefined },
    onFact: () => undefined,
  });
  await shell.start();
  const { store } = shell.ports;
  const recordsOf = async (namespace: string) =>
    (await store.readMany(["a", "b"].map((name) => `prod/${namespace}/deployment/${name}`))).filter(
      (record) => record.tracked,
    );
  await until("all workloads are evaluated", async () => {
    const records = [...(await recordsOf("lab")), ...(await recordsOf("shop"))];
    return records.length === 4 && records.every(({ needsEvaluation }) => needsEvaluation !== true) ? true : undefined;
  });
  return async (namespace: string) =>
    (await recordsOf(namespace)).flatMap(({ selectionFailures }) =>
      selectionFailures.map(({ reason, detail }) => `${reason}: ${detail}`),
    );
}

describe("a namespace over its budget", () => {
  it("has the reason with the budget, and the other namespace has none", async () => {
    const failuresOf = await start([{ namespaces: ["lab"], requestsPerMinute: 2 }]);

    expect(await failuresOf("lab")).toContain("over-budget: prod/lab has sent its 2 requests per minute");
    expect(await failuresOf("shop")).toEqual([]);
  });

  it("is no namespace without an entry", async () => {
    const failuresOf = await start([]);

    expect([await failuresOf("lab"), await failuresOf("shop")]).toEqual([[], []]);
  });
});
