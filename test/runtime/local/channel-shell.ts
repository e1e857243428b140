import { withoutTiers } from "#domain/tiers/rules";
import { memoryCluster } from "#adapters/memory/cluster";
import { memoryMetrics } from "#adapters/memory/metrics";
import { memoryRegistry } from "#adapters/memory/registry";
import { noRules } from "#domain/approval/approvers";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import { epochMs, type EpochMs, seconds } from "#domain/shared/time";
import type { Fact } from "#domain/update/events";
import type { Channels } from "#ports/channels";
import { openShell, type Shell } from "#runtime/local/shell";
import type { StatePorts } from "#runtime/local/state";

/** Opens a process with channels and an empty cluster. */
export function shellWith(channels: Channels, state: StatePorts, failures: string[] = []): Shell {
  const clock = { now: () => epochMs(Date.now()) };
  const cluster = memoryCluster({ name: "prod", clock });
  return openShell({
    ports: {
      ...{ clock, ...state, registry: memoryRegistry() },
      clusters: { names: () => ["prod"], cluster: (name) => (name === "prod" ? cluster : undefined) },
      rules: {
        registries: { registryPolicy: "any", registries: [] },
        ...{ approvals: noRules, nodes: noNodeRules, observe: observesNowhere, tiers: withoutTiers },
        ...{ defaults: { semver: "any" }, plannedFreezes: [], checks: [] },
        limits: { settle: seconds(0), windowSpread: seconds(0), maxConcurrentRollouts: 25 },
      },
    },
    channels,
    metrics: memoryMetrics(),
    receivers: { receiver: () => Promise.resolve(undefined) },
    log: { outcome: () => undefined, failure: ({ id, error }) => void failures.push(`${id}: ${String(error)}`) },
    onFact: () => undefined,
  });
}

/** Returns the success of an update. Another number gives another workload. */
export function aFact(number: number, at: EpochMs): Fact {
  const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: `api-${number}` } as const;
  const id = [`uid-${number}`, 1, 3, "RolloutSucceeded"].join("/");
  return {
    name: "RolloutSucceeded",
    id,
    workload,
    uid: `uid-${number}`,
    seq: 1,
    version: 3,
    at,
    changes: [],
    reasons: [],
  };
}
