import { withoutTiers } from "#domain/tiers/rules";
import { setTimeout as pause } from "node:timers/promises";
import { memoryCluster, type MemoryCluster } from "#test/model/world/cluster-hands";
import { memoryRegistry } from "#adapters/memory/registry";
import { explain } from "#app/api/explain";
import { publishPushes } from "#app/detect/publish-pushes";
import { noRules } from "#domain/approval/approvers";
import { noNodeRules } from "#domain/gates/node-rules";
import { observesNowhere } from "#domain/gates/observe";
import { withAliases } from "#app/detect/aliases";
import { syncDue } from "#app/detect/sync-cluster";
import { renderExplanation } from "#cli/render/explain";
import { printable } from "#cli/render/printable";
import { printableText } from "#domain/shared/shown-text";
import { epochMs, seconds } from "#domain/shared/time";
import type { Fact } from "#domain/update/events";
import { workloadKey } from "#domain/workload/workload";
import type { Registry, RepositoryName } from "#ports/registry";
import { openLimitedRegistry } from "#runtime/limited-registry";
import { openShell } from "#runtime/local/shell";
import { stateInMemory } from "#test/state";

/** The registry of the platform, whose repositories under `shop/` belong to the namespace shop. */
export const host = "registry.test";
/** A registry that the tenant runs: it may answer anything, and as late as it likes. */
export const ownHost = "hostile.test";
/**
 * The tenant's namespace sorts before the other one, so that it is served first wherever an order
 * decides.
 */
export const tenant = "hostile";

/** The other namespace's workload. Its names are words that nothing of the tenant may contain. */
const victim = { namespace: "shop", kind: "Deployment", name: "vault-ledger" } as const;
const privateTag = "1.0.0-q7private";
const nextTag = "1.1.0-q7private";
/** What the tenant must not learn. */
const secrets = /q7private|shop\/deployment/;

const registryRules = {
  registryPolicy: "listed",
  registries: [
    { name: "shop", host, aliases: ["mirror.test"], repositories: ["shop"], namespaces: ["shop"] },
    { name: "open", host, repositories: ["open", "tenant"] },
    { name: "theirs", host: ownHost },
  ],
} as const;

/** What happened to the other namespace, and what the tenant was told. */
export interface Verdict {
  /** Repositories of the other namespace that were read before its own push. */
  readonly read: readonly string[];
  /**
   * Writes of Lookout to objects outside the tenant's namespace, but the one that the push calls
   * for.
   */
  readonly patched: readonly string[];
  /** Texts on the tenant's objects and in their explanations that tell of the other namespace. */
  readonly learned: readonly string[];
  /** Whether the push reached the other namespace's object. */
  readonly reached: boolean;
  /** Commands of the tenant that began between the push and its patch. */
  readonly before: number;
  /**
   * The processor time of this thread from the end of the tenant's writes to that patch, whatever
   * else this machine does.
   */
  readonly cpuMs: number;
  /** What `lookout explain` prints of the tenant's first workloads. */
  readonly explained: string;
  /** Lines with control characters that `lookout explain` prints. */
  readonly control: readonly string[];
}

/** What a tenant can do: everything to the objects of its namespace, and to its registry. */
export interface TenantHands {
  readonly cluster: MemoryCluster;
  push(registry: string, repository: string, tag: string): string;
  /** Lets each request to the tenant's registry take a second, and fail. */
  hang(): void;
}

/** A case of a play. */
export interface Play {
  /** What the tenant does at once. */
  readonly act: (hands: TenantHands) => void;
  /**
   * How many of the tenant's rollouts are under way before the other namespace's image is pushed.
   * Absent: the push comes at once.
   */
  readonly rollouts?: number;
  /**
   * The number of the tenant's tracked workloads with the image `open/tools`, which the other
   * namespace runs too. Absent: it runs a private image.
   */
  readonly sharing?: number;
}

const privateImage = { repository: "shop/vault", tag: privateTag, next: nextTag };
const sharedImage = { repository: "open/tools", tag: "1.0.0", next: "1.1.0" };

/** Plays a case: the tenant acts, then the other namespace's image is pushed. */
export async function play({ act, rollouts = 0, sharing = 0 }: Play): Promise<Verdict> {
  const { repository, tag, next } = sharing > 0 ? sharedImage : privateImage;
  const clock = { now: () => epochMs(Date.now()) };
  const cluster = memoryCluster({ name: "prod", clock, startupMs: 50, behaviour: behaviourOf });
  const images = memoryRegistry();
  const asked: string[] = [];
  let hangs = false;
  const registry = watched(images, asked, () => hangs);
  const state = stateInMemory("abc123");
  const gate = openLimitedRegistry(registryRules.registries, { registry, registryLimits: state.registryLimits, clock });
  const facts: Fact[] = [];
  let begun = 0;
  let imageBefore: string | undefined;
  let begunBeforePatch: number | undefined;
  const count = (): void => {
    if (imageBefore !== undefined && imageOf(cluster) !== imageBefore) begunBeforePatch ??= begun;
    begun += 1;
  };
  const shell = openShell({
    ports: {
      ...{
        clock,
        ...state,
        registry: gate({ add: () => undefined }),
      },
      clusters: withAliases(
        { names: () => ["prod"], cluster: (name) => (name === "prod" ? cluster : undefined) },
        new Map([["mirror.test", host]]),
      ),
      rules: {
        registries: registryRules,
        defaults: { semver: "any" },
        plannedFreezes: [],
        checks: [],
        approvals: noRules,
        nodes: noNodeRules,
        observe: observesNowhere,
        tiers: withoutTiers,
        limits: { settle: seconds(10), windowSpread: seconds(0), maxConcurrentRollouts: 25 },
      },
    },
    receivers: { receiver: () => Promise.resolve(undefined) },
    log: { outcome: count, failure: count },
    onFact: (fact) => facts.push(fact),
  });
  try {
    for (const repository of ["shop/vault", "open/base"]) images.push(host, repository, privateTag);
    for (const name of ["tenant/app", "open/base", "open/tools"]) images.push(host, name, "1.0.0");
    cluster.apply({
      kind: victim.kind,
      metadata: { ...victim, annotations: { "lookout.dev/enabled": "true", "lookout.dev/allow-prerelease": "true" } },
      spec: { replicas: 1, template: podOf(`${host}/${repository}:${tag}`) },
    });
    await shell.start();
    await until(() => facts.some(({ name }) => name === "WorkloadTracked"));
    await quiet(shell);
    asked.length = 0;
    imageBefore = imageOf(cluster);

    act({ cluster, push: (...image) => images.push(...image), hang: () => (hangs = true) });
    if (sharing > 0) await syncDue(shell.ports);
    await until(() => facts.filter(({ name }) => name === "WorkloadTracked").length > sharing);
    const cpu = process.threadCpuUsage();
    // The tenant's work comes first: its objects are listed, and their evaluations queued.
    const known = facts.length;
    await syncDue(shell.ports);
    await until(() => facts.length > known || begun > 3, 1_000);
    await until(() => facts.filter(({ name }) => name === "RolloutStarted").length >= rollouts);
    const read = asked.filter((repository) => repository.includes("shop/vault"));

    const begunBefore = begun;
    images.push(host, repository, next);
    await publishPushes([{ id: "p1", registry: host, repository, tags: [next] }], "test", shell.ports);
    await until(() => imageOf(cluster) !== imageBefore, 60_000);
    const before = (begunBeforePatch ?? begun) - begunBefore;
    const { user, system } = process.threadCpuUsage(cpu);

    await until(() => facts.some(({ workload }) => workload.namespace === tenant));
    await quiet(shell, 300);
    const keys = (await shell.ports.store.workloadIndex("prod")).filter((key) => key.includes(`/${tenant}/`));
    const held = (await shell.ports.store.readMany(keys)).find(({ pending }) => pending !== undefined);
    const asks = [...keys.slice(0, 3), ...(held === undefined ? [] : [workloadKey(held.workload)])];
    const texts = await Promise.all(asks.map((key) => explanationOf(key, shell.ports)));
    const explained = texts.join("\n");
    const tenants = cluster.objects.all().filter(({ workload }) => workload.namespace === tenant);
    const told = [...tenants.map(({ content }) => JSON.stringify([content.labels, content.annotations])), ...texts];
    return {
      ...{ read, before, explained, reached: imageOf(cluster).includes(next), cpuMs: (user + system) / 1_000 },
      patched: cluster.history
        .filter(({ manager, workload }) => manager === "lookout" && workload.namespace !== tenant)
        .map(({ workload }) => workloadKey(workload))
        .slice(1),
      learned: told.filter((text) => secrets.test(text)).map((text) => text.slice(0, 200)),
      control: explained.split("\n").filter((line) => printableText(line) !== line),
    };
  } finally {
    await shell.stop(1_000);
  }
}

/** A pod template with one container. */
export function podOf(image: string, name = "app") {
  return { spec: { containers: [{ name, image }] } };
}

function behaviourOf(image: string): "runs" | "never-ready" {
  return image.includes("never-ready") ? "never-ready" : "runs";
}

function watched(registry: Registry, asked: string[], hangs: () => boolean): Registry {
  const ask = async <Answer>(name: RepositoryName, signal: AbortSignal, answer: () => Promise<Answer>) => {
    asked.push(`${name.registry}/${name.repository}`);
    if (name.registry !== ownHost || !hangs()) return answer();
    await pause(1_000, undefined, { signal }).catch(() => undefined);
    return { kind: "unreachable", detail: `${ownHost} did not answer in time`, isOutage: true } as const;
  };
  const tags: Registry["tags"] = (name, signal) => ask(name, signal, () => registry.tags(name, signal));
  return {
    tags,
    inspect: async (name, signal) => ({ listing: await tags(name, signal) }),
    resolve: (name, tag, signal) => ask(name, signal, () => registry.resolve(name, tag, signal)),
    manifest: (name, digest, signal) => ask(name, signal, () => registry.manifest(name, digest, signal)),
    config: (name, digest, signal) => ask(name, signal, () => registry.config(name, digest, signal)),
    answers: async (name) => ({ kind: name.registry === ownHost && hangs() ? "no-answer" : "answers" }),
  };
}

type ShellPorts = Parameters<typeof explain>[1];

async function explanationOf(key: string, ports: ShellPorts): Promise<string> {
  const view = await explain(key, ports, AbortSignal.timeout(10_000));
  const style = { width: undefined, colour: false, now: ports.clock.now(), timeZone: "UTC", wide: false };
  return view === undefined ? "" : renderExplanation(printable(view), undefined, style);
}

function imageOf(cluster: MemoryCluster): string {
  return cluster.object(victim)?.spec.template?.spec.containers[0]?.image ?? "";
}

async function until(holds: () => boolean, withinMs = 10_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!holds() && performance.now() < end) await pause(2);
}

/** Waits for a pause of the changes, or for some time. */
async function quiet({ ports }: { readonly ports: ShellPorts }, withinMs = 2_000): Promise<void> {
  let last = -1;
  let now = 0;
  const sum = async (): Promise<number> => {
    const records = await ports.store.readMany(await ports.store.workloadIndex("prod"));
    return records.reduce((total, { version }) => total + version, 0);
  };
  for (const end = performance.now() + withinMs; last !== now && performance.now() < end;) {
    last = now;
    await pause(60);
    now = await sum();
  }
}
