/** The process of the benchmark of a release: a state file with many held updates of one freeze, and the API over HTTP. */
import { withoutTiers } from "#domain/tiers/rules";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { memoryCluster } from "#adapters/memory/cluster";
import { memoryRegistry } from "#adapters/memory/registry";
import { publishPushes } from "#app/detect/publish-pushes";
import { noRules } from "#domain/approval/approvers";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import { epochMs, seconds } from "#domain/shared/time";
import { factStream } from "#runtime/local/fact-stream";
import { httpFace, listen } from "#runtime/local/http";
import { keepHeapSmall } from "#runtime/local/memory";
import { openShell } from "#runtime/local/shell";
import { openStateFolder } from "#runtime/local/state-folder";
import { statePorts } from "#runtime/local/state";
import { usualDefaults } from "#domain/settings/settings";

/** What the process tells. */
export type ReleaseNews =
  | { readonly kind: "ready"; readonly url: string; readonly token: string }
  | { readonly kind: "patched"; readonly waitMs: number }
  | { readonly kind: "ended"; readonly seconds: number; readonly most: number; readonly memoryMb: number };

const host = "registry.example.com";
const [held = 0, slots = 0, namespaces = 1] = process.argv.slice(2).map(Number);

keepHeapSmall();
const clock = { now: () => epochMs(Date.now()) };
const dir = await mkdtemp(join(tmpdir(), "lookout-release-"));
const folder = await openStateFolder(dir);
const state = statePorts(folder.database);
const cluster = memoryCluster({ name: "prod", clock });
const registry = memoryRegistry();
const log = { outcome: () => undefined, failure: () => undefined };

let succeeded = 0;
let pushes = 0;
let pushedAt = 0;
const shell = openShell({
  ports: {
    ...{ clock, ...state, registry },
    clusters: { names: () => ["prod"], cluster: (name) => (name === "prod" ? cluster : undefined) },
    rules: {
      ...{
        plannedFreezes: [],
        checks: [],
        approvals: noRules,
        nodes: noNodeRules,
        observe: observesNowhere,
        tiers: withoutTiers,
      },
      defaults: usualDefaults,
      registries: { registryPolicy: "any", registries: [] },
      limits: { settle: seconds(0), windowSpread: seconds(0), maxConcurrentRollouts: slots },
    },
  },
  receivers: { receiver: () => Promise.resolve(undefined) },
  log,
  onFact: ({ name, workload: { namespace } }) => {
    if (namespace !== "web") succeeded += name === "RolloutSucceeded" ? 1 : 0;
    else if (name === "RolloutStarted") tell({ kind: "patched", waitMs: Date.now() - pushedAt });
    else if (name === "RolloutSucceeded") void push();
  },
});

deploy("web", "site", "web/site");
for (let index = 0; index < held; index += 1) deploy(`shop-${index % namespaces}`, `api-${index}`, "shop/api");
for (const repository of ["web/site", "shop/api"]) registry.push(host, repository, "1.0.0");
await shell.ports.freezes.put({ scope: { cluster: "prod" }, by: "ana", why: "a sale", at: clock.now() });
await shell.start();
await untilAll((record) => record.needsEvaluation !== true);
registry.push(host, "shop/api", "1.1.0");
await publishPushes(
  [{ id: "1.1.0", registry: host, repository: "shop/api", tags: ["1.1.0"] }],
  "benchmark",
  shell.ports,
);
await untilAll(({ pending }) => pending !== undefined);

const face = httpFace({ shell, token: folder.token, log, settings: () => ({ settings: [] }), facts: factStream() });
const server = await listen(face, { host: "127.0.0.1", port: 0 }, shell);
process.once("message", () => void watch());
tell({ kind: "ready", url: server.url, token: folder.token });

/** Pushes for the other namespace, and waits until all released updates have succeeded. */
async function watch(): Promise<void> {
  const begins = performance.now();
  let [most, memory] = [0, 0];
  await push();
  while (succeeded < held) {
    await setTimeout(200);
    most = Math.max(most, (await shell.ports.store.slots("prod")).length);
    memory = Math.max(memory, process.memoryUsage().rss);
  }
  tell({ kind: "ended", seconds: (performance.now() - begins) / 1_000, most, memoryMb: memory / 1e6 });
  await server.stop(1_000);
  await folder.release();
  await rm(dir, { recursive: true, force: true });
  process.exit(0);
}

async function push(): Promise<void> {
  pushes += 1;
  const tag = `1.0.${pushes}`;
  registry.push(host, "web/site", tag);
  pushedAt = Date.now();
  await publishPushes([{ id: tag, registry: host, repository: "web/site", tags: [tag] }], "benchmark", shell.ports);
}

function deploy(namespace: string, name: string, repository: string): void {
  cluster.apply({
    kind: "Deployment",
    metadata: { namespace, name, annotations: { "lookout.dev/enabled": "true" } },
    spec: { replicas: 1, template: { spec: { containers: [{ name: "app", image: `${host}/${repository}:1.0.0` }] } } },
  });
}

async function untilAll(isSo: (record: Awaited<ReturnType<typeof state.store.readMany>>[number]) => boolean) {
  const keys = Array.from({ length: held }, (_, index) => `prod/shop-${index % namespaces}/deployment/api-${index}`);
  for (;;) {
    const records = await state.store.readMany(keys);
    if (records.every((record) => record.version > 0 && record.tracked && isSo(record))) return;
    await setTimeout(1_000);
  }
}

function tell(news: ReleaseNews): void {
  process.send?.(news);
}
