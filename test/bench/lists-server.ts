/** The process of the benchmark of lists: a state file with many workloads, and the API over HTTP. */
import { withoutTiers } from "#domain/tiers/rules";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryCluster } from "#adapters/memory/cluster";
import { memoryMetrics } from "#adapters/memory/metrics";
import { memoryRegistry } from "#adapters/memory/registry";
import { pushReceivers } from "#adapters/webhook/receivers";
import { writeFleetRows } from "#app/shared/fleet-rows";
import { noRules } from "#domain/approval/approvers";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import { epochMs, seconds } from "#domain/shared/time";
import type { PendingUpdate, WorkloadRecord } from "#domain/update/state/workload";
import { factStream } from "#runtime/local/fact-stream";
import { httpFace, listen } from "#runtime/local/http";
import { keepHeapSmall } from "#runtime/local/memory";
import { openShell } from "#runtime/local/shell";
import { openStateFolder } from "#runtime/local/state-folder";
import { statePorts } from "#runtime/local/state";
import { firstRecord } from "#test/contracts/records";

/** What the process tells when it answers. */
export interface ListsServer {
  readonly url: string;
  readonly token: string;
}

keepHeapSmall();
const workloads = Number(process.argv[2]);
const clock = { now: () => epochMs(Date.now()) };
const dir = await mkdtemp(join(tmpdir(), "lookout-lists-"));
const folder = await openStateFolder(dir);
const state = statePorts(folder.database);
const cluster = memoryCluster({ name: "prod", clock });
const shell = openShell({
  ports: {
    ...{ clock, ...state, registry: memoryRegistry() },
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
      defaults: { semver: "any" },
      registries: { registryPolicy: "any", registries: [] },
      limits: { settle: seconds(1), windowSpread: seconds(0), maxConcurrentRollouts: 25 },
    },
  },
  receivers: pushReceivers([], clock),
  ...{ metrics: memoryMetrics(), log: { outcome: () => undefined, failure: () => undefined }, onFact: () => undefined },
});
const records = Array.from({ length: workloads }, (_, index) => recordOf(index));
// Writes of one turn of the event loop share a transaction.
await Promise.all(records.map((record) => state.store.write(record)));
await Promise.all(
  records
    .filter((_, index) => index % 5 === 0)
    .map(({ workload: { name, namespace } }) =>
      state.repositories.write({ registry: "registry.example.com", repository: `${namespace}/${name}`, missed: 0 }),
    ),
);
await Promise.all(records.map((record) => writeFleetRows([record], shell.ports)));
const face = httpFace({
  ...{ shell, token: folder.token, log: { outcome: () => undefined, failure: () => undefined } },
  ...{ settings: () => ({ settings: [] }), facts: factStream() },
});
const server = await listen(face, { host: "127.0.0.1", port: 0 }, shell);
process.on("message", (order) => {
  if (order === "count") process.send?.({ memoryMb: process.memoryUsage().rss / 1e6 });
  if (order === "stop")
    void server
      .stop(1_000)
      .then(() => folder.release())
      .then(() => rm(dir, { recursive: true, force: true }))
      .then(() => {
        process.exit(0);
      });
});
process.send?.({ url: server.url, token: folder.token } satisfies ListsServer);

/** Returns one of many records: every 50th waits for its window, the others are up to date. */
function recordOf(index: number): WorkloadRecord {
  const repository = `registry.example.com/team-${index % 100}/app-${index}`;
  const digest = (digit: string) => `sha256:${digit.repeat(64)}`;
  const first = firstRecord(
    { cluster: "prod", namespace: `team-${index % 100}`, kind: "Deployment", name: `app-${index}` },
    {
      observed: {
        containers: [{ list: "containers", name: "app", image: `${repository}:1.4.2`, digest: digest("9") }],
        annotations: { "lookout.dev/enabled": "true", "lookout.dev/semver-range": ">=1 <2" },
        sourceMarks: {},
        labels: { app: `app-${index}`, tier: index % 2 === 0 ? "web" : "jobs" },
      },
    },
  );
  if (index % 50 > 0) return first;
  const at = first.changedAt;
  const pending: PendingUpdate = {
    ...{ status: "held", seq: 1, detectedAt: at, source: "webhook ghcr", selectedAt: at },
    waits: [{ reason: "window-closed", until: epochMs(at + 3_600_000), detail: "Sat 22:00-02:00 UTC" }],
    changes: [
      {
        ...{ list: "containers", name: "app", imageName: repository, tag: "1.5.0", digest: digest("4"), apply: "pin" },
        ...{ from: `${repository}:1.4.2`, to: `${repository}:1.5.0@${digest("4")}`, policy: "semver >=1 <2" },
      },
    ],
  };
  return { ...first, seq: 1, pending };
}
