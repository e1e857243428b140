import { withoutTiers } from "#domain/tiers/rules";
import { memoryCluster } from "#adapters/memory/cluster";
import { ociRegistry } from "#adapters/oci/registry";
import { memoryDatabase } from "#adapters/sqlite/database";
import { pushReceivers } from "#adapters/webhook/receivers";
import { noRules } from "#domain/approval/approvers";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import { epochMs, seconds } from "#domain/shared/time";
import { openLimitedRegistry } from "#runtime/limited-registry";
import { factStream } from "#runtime/local/fact-stream";
import { httpFace, listen } from "#runtime/local/http";
import { keepHeapSmall } from "#runtime/local/memory";
import { openShell } from "#runtime/local/shell";
import { statePorts } from "#runtime/local/state";
import { type FairNews, type FairWorld, secret } from "./world.ts";

/** Lookout over a simulated cluster and real registries, with hostile Deployments that never rest. */
async function run({ victimHost, hostileHosts, namespaces, deployments, annotations }: FairWorld): Promise<void> {
  const clock = { now: () => epochMs(Date.now()) };
  const cluster = memoryCluster({ name: "prod", clock });
  const apply = (namespace: string, name: string, image: string, own: Readonly<Record<string, string>> = {}): void => {
    cluster.apply({
      kind: "Deployment",
      metadata: {
        namespace,
        name,
        annotations: { "lookout.dev/enabled": "true", ...own },
      },
      spec: {
        replicas: 1,
        template: { spec: { containers: [{ name: "app", image }] } },
      },
    });
  };
  apply("victim", "api", `${victimHost}/shop/api:1.0.0`);
  let round = 0;
  const press = (): void => {
    round += 1;
    for (let index = 0; index < deployments; index += 1) {
      const host = hostileHosts[index % hostileHosts.length];
      const namespace = `hostile-${index % namespaces}`;
      apply(namespace, `w${index}`, `${host}/evil/r${index}:1.0.0`, {
        ...annotations,
        round: String(round),
      });
    }
  };

  const state = statePorts(memoryDatabase("abc123"));
  const registries = [victimHost, ...hostileHosts].map((host) => ({
    name: host,
    host,
    insecure: true,
    allowPrivateNetwork: true,
  }));
  const registry = ociRegistry({
    credentials: async () => undefined,
    registries,
  });
  const gate = openLimitedRegistry(registries, {
    registry,
    registryLimits: state.registryLimits,
    clock,
  });
  const metrics = { add: () => undefined };
  const failures: string[] = [];
  const log = {
    outcome: () => undefined,
    failure: ({ id, error }: { readonly id: string; readonly error: unknown }) => {
      failures.push(`${id}: ${String(error)}`);
    },
  };
  const shell = openShell({
    ports: {
      ...{
        clock,
        ...state,
        registry: gate(metrics),
      },
      clusters: {
        names: () => ["prod"],
        cluster: (name) => (name === "prod" ? cluster : undefined),
      },
      rules: {
        plannedFreezes: [],
        checks: [],
        approvals: noRules,
        nodes: noNodeRules,
        observe: observesNowhere,
        tiers: withoutTiers,
        defaults: { semver: "any" },
        registries: { registryPolicy: "any", registries },
        limits: { settle: seconds(0), windowSpread: seconds(0), maxConcurrentRollouts: 1_000 },
      },
    },
    receivers: pushReceivers([{ name: "ci", kind: "generic", secret, registry: victimHost }], clock),
    ...{ metrics, log },
    onFact: (fact) => {
      if (fact.name !== "RolloutStarted" || fact.workload.namespace !== "victim") return;
      const images = cluster.objects.all().map(({ content }) => content.spec.template?.spec.containers[0]?.image);
      tell({
        kind: "patched",
        image: images.find((image) => image?.startsWith(victimHost)) ?? "",
      });
    },
  });
  const face = httpFace({
    shell,
    token: "t",
    log,
    settings: () => ({ settings: [] }),
    facts: factStream(),
  });
  const server = await listen(face, { host: "127.0.0.1", port: 0 }, shell);
  let memory = 0;
  setInterval(() => (memory = Math.max(memory, process.memoryUsage().rss)), 50);
  await shell.start();
  const pressing = setInterval(press, 1_000);
  press();
  process.on("message", () => {
    clearInterval(pressing);
    tell({ kind: "stopped", memoryMb: memory / 2 ** 20, failures });
    process.exit();
  });
  tell({ kind: "ready", url: server.url });
}

function tell(news: FairNews): void {
  process.send?.(news);
}

keepHeapSmall();
process.once("message", (world: FairWorld) => void run(world));
