import { memoryBursts } from "#adapters/memory/bursts";
import { memoryCluster, type MemoryCluster } from "#adapters/memory/cluster";
import { memoryClusterStates } from "#adapters/memory/cluster-states";
import { memoryFreezes } from "#adapters/memory/freezes";
import { memoryLedger } from "#adapters/memory/ledger";
import { memoryQuarantine } from "#adapters/memory/quarantine";
import { memoryRegistry, type MemoryRegistry } from "#adapters/memory/registry";
import { memoryRepositories } from "#adapters/memory/repositories";
import { memoryChanges, memoryTable, memoryWorkloadStore } from "#adapters/memory/workload-store";
import { pushReceivers } from "#adapters/webhook/receivers";
import { withAliases } from "#app/aliases";
import { reap } from "#app/gate";
import { receivePushes } from "#app/detect";
import { sweepDue } from "#app/sweep";
import type { Ports } from "#app/ports";
import type { Fact, FactName } from "#domain/events";
import type { RegistryAliases } from "#domain/registry-aliases";
import { type DurationMs, epochMs, seconds } from "#domain/time";
import type { Limits, WorkloadRecord } from "#domain/update";
import { workloadKey } from "#domain/workload";
import { queueFunctions, changesFunction } from "#runtime/local/functions";
import type { Invocation } from "#runtime/handler";

/** The installation's six characters in every test. */
export const installation = "abc123";
export const host = "registry.test";

interface Waiting {
  readonly queue: keyof typeof queueFunctions;
  readonly body: string;
  readonly at: number;
  readonly receives: number;
}

/** Everything of Lookout on memory adapters, with a clock and queues that move only when a test says so. */
export interface World {
  readonly ports: Ports;
  readonly cluster: MemoryCluster;
  readonly registry: MemoryRegistry;
  readonly facts: readonly Fact[];
  readonly failures: readonly string[];
  /** Images that do not start, by digest. */
  readonly broken: Set<string>;
  readonly crashing: Set<string>;
  /** Creates a workload whose one container has this image. */
  deploy(spec: DeploySpec): string;
  /** Pushes a tag and tells Lookout as a webhook does. */
  push(
    repository: string,
    tag: string,
    options?: { readonly broken?: boolean; readonly crashes?: boolean; readonly quietly?: boolean },
  ): Promise<string>;
  /** Tells of a push that is there already, once more. */
  tellAgain(repository: string, tag: string): Promise<void>;
  /** Looks at the cluster, as the schedule does. */
  sync(): Promise<void>;
  /** Looks at every repository that anyone is subscribed to, as the schedule does, a second later. */
  sweep(): Promise<void>;
  /** Delivers everything that is ready, until nothing is. */
  settle(): Promise<void>;
  /** Lets time pass in steps of half a second, delivering what becomes ready. */
  pass(duration: DurationMs): Promise<void>;
  /** Forgets all messages, as when the process dies. */
  loseMessages(): void;
  reap(): Promise<void>;
  record(key: string): Promise<WorkloadRecord>;
  factNames(key: string): readonly FactName[];
  image(key: string): string;
}

export interface DeploySpec {
  readonly name: string;
  readonly kind?: "Deployment" | "StatefulSet" | "DaemonSet" | "CronJob";
  readonly image: string;
  readonly replicas?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A Saturday morning, 10:00 UTC. */
export const begins = epochMs(Date.parse("2026-11-21T10:00:00Z"));

export function world(given: Partial<Limits> = {}, aliases: RegistryAliases = new Map()): World {
  let now = begins as number;
  const clock = { now: () => epochMs(now) };
  const broken = new Set<string>();
  const crashing = new Set<string>();
  const registry = memoryRegistry();
  const digests = new Map<string, string>();
  const digestIn = (image: string): string | undefined => /@(sha256:.*)$/.exec(image)?.[1] ?? digests.get(image);
  const cluster = memoryCluster({
    name: "prod",
    clock,
    startupMs: 1_000,
    digestOf: digestIn,
    behaviour: (image) => {
      const digest = digestIn(image) ?? "";
      return broken.has(digest) ? "cannot-be-pulled" : crashing.has(digest) ? "crashes" : "runs";
    },
  });
  const facts: Fact[] = [];
  const failures: string[] = [];
  let waiting: Waiting[] = [];
  const send = (queue: Waiting["queue"], body: string, delay = 0, receives = 0): void => {
    waiting.push({ queue, body, at: now + delay, receives });
  };
  const table = memoryTable(installation);
  const ports: Ports = {
    clock,
    store: memoryWorkloadStore(table),
    changes: memoryChanges(table),
    ledger: memoryLedger(),
    quarantine: memoryQuarantine(),
    freezes: memoryFreezes(),
    bursts: memoryBursts(),
    repositories: memoryRepositories(table),
    clusterStates: memoryClusterStates(),
    clusters: withAliases(
      { names: () => ["prod"], cluster: (name) => (name === "prod" ? cluster : undefined) },
      aliases,
    ),
    registry,
    queues: {
      send: async (sendings) => sendings.forEach(({ work, delay }) => send(work.command, JSON.stringify(work), delay)),
    },
    bus: {
      publish: async (events) => {
        for (const event of events) {
          if (event.name === "ImagePushed") send("ImagePushed", JSON.stringify(event));
          else facts.push(event);
        }
      },
    },
    limits: { settle: seconds(10), windowSpread: seconds(0), maxConcurrentRollouts: 25, ...given },
  };
  const invocation: Invocation = {
    ports,
    receivers: pushReceivers([]),
    deadLetters: { put: async ({ body, why }) => send("given-up", JSON.stringify({ body, why })) },
    log: { outcome: () => undefined, failure: ({ error }) => failures.push(String(error)) },
    signal: new AbortController().signal,
  };
  const tell = async (): Promise<void> => {
    for (let changes = await ports.changes.take(10); changes.length > 0; changes = await ports.changes.take(10)) {
      await changesFunction(changes, invocation);
      await ports.changes.done(changes);
    }
  };
  const deliver = async (message: Waiting): Promise<void> => {
    const { batchItemFailures } = await queueFunctions[message.queue].run(
      { Records: [{ messageId: "m", body: message.body }] },
      invocation,
    );
    if (batchItemFailures.length > 0) {
      if (message.receives < 4) send(message.queue, message.body, 1_000, message.receives + 1);
      else await invocation.deadLetters.put({ id: "m", body: message.body, why: failures.at(-1) ?? "" });
    }
    await tell();
  };
  const settle = async (): Promise<void> => {
    for (let rounds = 0; rounds < 10_000; rounds += 1) {
      const index = waiting.findIndex(({ at }) => at <= now);
      const message = waiting[index];
      if (message === undefined) return;
      waiting.splice(index, 1);
      await deliver(message);
    }
    throw new Error("the world does not come to rest");
  };
  const tellOfPush = (repository: string, tag: string): Promise<unknown> =>
    receivePushes(
      [
        {
          id: `${repository}:${tag}@${digests.get(`${host}/${repository}:${tag}`) ?? ""}`,
          registry: host,
          repository,
          tag,
        },
      ],
      "webhook distribution",
      ports,
    );
  return {
    ports,
    cluster,
    registry,
    facts,
    failures,
    broken,
    crashing,
    settle,
    async sweep() {
      now += 1_000;
      await sweepDue(ports);
      await settle();
    },
    deploy({ kind = "Deployment", name, image, replicas = 3, annotations = {}, labels = {} }) {
      const template = { spec: { containers: [{ name: "app", image }] } };
      const spec = kind === "CronJob" ? { jobTemplate: { spec: { template } } } : { replicas, template };
      const metadata = {
        namespace: "shop",
        name,
        labels,
        annotations: { "lookout.dev/enabled": "true", ...annotations },
      };
      return workloadKey(cluster.apply({ kind, metadata, spec }));
    },
    async push(repository, tag, options = {}) {
      const digest = registry.push(host, repository, tag);
      digests.set(`${host}/${repository}:${tag}`, digest);
      if (options.broken === true) broken.add(digest);
      if (options.crashes === true) crashing.add(digest);
      if (options.quietly !== true) await tellOfPush(repository, tag);
      return digest;
    },
    async tellAgain(repository, tag) {
      await tellOfPush(repository, tag);
    },
    async sync() {
      send("SyncCluster", JSON.stringify({ command: "SyncCluster", id: `sync-${now}`, cluster: "prod" }));
      await settle();
    },
    async pass(duration) {
      const end = now + duration;
      await settle();
      while (now < end) {
        now = Math.min(end, now + 500);
        await settle();
      }
    },
    loseMessages: () => {
      waiting = [];
    },
    async reap() {
      await reap(ports);
      await settle();
    },
    async record(key) {
      const record = await ports.store.read(key);
      if (record === undefined) throw new Error(`${key} is not tracked`);
      return record;
    },
    factNames: (key) => facts.filter(({ workload }) => workloadKey(workload) === key).map(({ name }) => name),
    image: (key) => {
      const [, namespace = "", kindText = "", name = ""] = key.split("/");
      const kind = (
        { deployment: "Deployment", statefulset: "StatefulSet", daemonset: "DaemonSet", cronjob: "CronJob" } as const
      )[kindText as "deployment"];
      const spec = cluster.object({ namespace, kind, name })?.spec;
      return (spec?.template ?? spec?.jobTemplate?.spec.template)?.spec.containers[0]?.image ?? "";
    },
  };
}

/** The workload that most tests are about: a Deployment of the repository `shop/api`. */
export const api = { namespace: "shop", kind: "Deployment", name: "api" } as const;

/** A world in which `shop/api:1.0.0` was pushed before anybody looked. */
export async function worldWithApi(aliases?: RegistryAliases): Promise<World> {
  const lookout = world({}, aliases);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  return lookout;
}

/** Creates {@link api} with 1.0.0, lets its pods start, and has Lookout meet it; answers its key. */
export async function trackApi(
  lookout: World,
  annotations: Readonly<Record<string, string>> = {},
  spec: Partial<DeploySpec> = {},
): Promise<string> {
  const key = lookout.deploy({ name: "api", image: `${host}/shop/api:1.0.0`, annotations, ...spec });
  await lookout.pass(seconds(2));
  await lookout.sync();
  return key;
}
