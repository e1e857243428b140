import { withoutTiers } from "#domain/tiers/rules";
import { createHistogram } from "node:perf_hooks";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryCluster } from "#adapters/memory/cluster";
import { memoryRegistry } from "#adapters/memory/registry";
import { pushReceivers } from "#adapters/webhook/receivers";
import { epochMs, seconds } from "#domain/shared/time";
import { noRules } from "#domain/approval/approvers";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import { openLimitedRegistry } from "#runtime/limited-registry";
import { factStream } from "#runtime/local/fact-stream";
import { httpFace, listen } from "#runtime/local/http";
import { keepHeapSmall } from "#runtime/local/memory";
import { openShell } from "#runtime/local/shell";
import { openStateFolder } from "#runtime/local/state-folder";
import { statePorts } from "#runtime/local/state";
import { host, receiverName, receiverSecret, repositories, repositoryOf } from "./load-world.ts";

/** The counts of the process under load. */
export interface LoadCounts {
  /** Pushes whose evaluation began, including pushes that share an evaluation. */
  readonly evaluated: number;
  /** Evaluations. Pushes to one repository within a short time share an evaluation. */
  readonly evaluations: number;
  /** Notifications that were refused without a valid proof. */
  readonly forged: number;
  /** Workloads whose image the last push changed. */
  readonly updated: number;
  /** The processor time of the process so far, in milliseconds. */
  readonly cpuMs: number;
  /** The peak memory, in megabytes. */
  readonly memoryMb: number;
  /** The processor time of the turns of the event loop since the last count, in milliseconds. */
  readonly turnMs: { readonly median: number; readonly of100: number; readonly most: number };
}

/** A command of the parent process. */
export type LoadOrder = "count" | "release" | "stop";

keepHeapSmall();
const clock = { now: () => epochMs(Date.now()) };
const counts = { evaluated: 0, evaluations: 0, forged: 0 };
let memory = 0;
const registry = memoryRegistry();
const cluster = memoryCluster({ name: "prod", clock });
for (let index = 0; index < repositories; index += 1) {
  registry.push(host, repositoryOf(index), "1.0.0");
  cluster.apply({
    kind: "Deployment",
    metadata: { namespace: "shop", name: `w${index}`, annotations: { "lookout.dev/enabled": "true" } },
    spec: {
      replicas: 1,
      template: { spec: { containers: [{ name: "app", image: `${host}/${repositoryOf(index)}:1.0.0` }] } },
    },
  });
}
const dir = await mkdtemp(join(tmpdir(), "lookout-load-"));
const folder = await openStateFolder(dir);
const state = statePorts(folder.database);
const gate = openLimitedRegistry([], { registry, registryLimits: state.registryLimits, clock });
const metrics = {
  add: (name: string, value: number, about: Readonly<Record<string, string>> = {}) => {
    if (name === "PushesReceived") counts.evaluated += value;
    if (name === "WebhooksRejected" && about["reason"] === "unauthorized") counts.forged += value;
  },
};
const log = {
  outcome: ({ id, outcome }: { readonly id: string; readonly outcome: { readonly kind: string } }) => {
    if (id.startsWith("evaluate/image-pushed") && outcome.kind === "evaluated") counts.evaluations += 1;
  },
  failure: ({ id, error }: { readonly id: string; readonly error: unknown }) => {
    process.stderr.write(`${id}: ${String(error)}\n`);
  },
};
const shell = openShell({
  ports: {
    ...{ clock, ...state, registry: gate(metrics) },
    clusters: { names: () => ["prod"], cluster: (name) => (name === "prod" ? cluster : undefined) },
    rules: {
      ...{
        plannedFreezes: [],
        checks: [],
        approvals: noRules,
        nodes: noNodeRules,
        observe: observesNowhere,
        tiers: withoutTiers,
        defaults: { semver: "any" },
      },
      registries: { registryPolicy: "any", registries: [] },
      limits: { settle: seconds(1), windowSpread: seconds(0), maxConcurrentRollouts: repositories * 2 },
    },
  },
  receivers: pushReceivers([{ name: receiverName, kind: "generic", secret: receiverSecret, registry: host }], clock),
  ...{ metrics, log, onFact: () => undefined },
});
const face = httpFace({
  ...{ shell, token: folder.token, log, settings: () => ({ settings: [] }), facts: factStream() },
});
const server = await listen(face, { host: "127.0.0.1", port: 0 }, shell);
await shell.start();
const memoryEvery = setInterval(() => {
  memory = Math.max(memory, process.memoryUsage().rss);
}, 100);

const turns = createHistogram();
let cpuBefore = 0;
/** Measures each turn of the event loop. An unreferenced immediate does not keep the loop busy. */
function measureTurn(): void {
  const { user, system } = process.threadCpuUsage();
  turns.record(Math.max(1, user + system - cpuBefore));
  cpuBefore = user + system;
  setImmediate(measureTurn).unref();
}
measureTurn();

process.on("message", (order: LoadOrder) => {
  if (order === "release")
    for (let index = 0; index < repositories; index += 1) registry.push(host, repositoryOf(index), "2.0.0");
  if (order === "count") {
    const updated = cluster.objects
      .all()
      .filter(({ content }) => content.spec.template?.spec.containers[0]?.image.includes(":2.0.0") === true).length;
    const { user, system } = process.cpuUsage();
    process.send?.({
      ...counts,
      updated,
      cpuMs: (user + system) / 1_000,
      memoryMb: memory / 2 ** 20,
      turnMs: { median: turns.percentile(50) / 1e3, of100: turns.percentile(99) / 1e3, most: turns.max / 1e3 },
    } satisfies LoadCounts);
    turns.reset();
  }
  if (order === "stop") void stop();
});
process.send?.({ url: server.url, token: folder.token });

async function stop(): Promise<void> {
  clearInterval(memoryEvery);
  await shell.stop(4_000);
  await server.stop(500);
  await folder.release();
  await rm(dir, { recursive: true });
  process.disconnect();
}
