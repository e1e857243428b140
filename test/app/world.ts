import type { CheckRule } from "#domain/checks/rules";
import type { Checks } from "#ports/checks";
import type { ImageBehaviour } from "#adapters/memory/cluster-state";
import type { Channels } from "#ports/channels";
import type { PushOptions } from "#adapters/memory/registry";
import type { PushNotice } from "#ports/push-receiver";
import { memoryCluster, type MemoryCluster } from "#test/model/world/cluster-hands";
import { memoryRegistry, type MemoryRegistry } from "#test/model/world/registry-hands";
import { reap } from "#app/gate/reap";
import { sweepDue } from "#app/detect/sweep-repository";
import type { Ports } from "#app/shared/ports";
import type { Fact, FactName } from "#domain/update/events";
import type { Measurement } from "#domain/update/effects/metrics";
import type { ApprovalRules } from "#domain/approval/approvers";
import type { PlannedFreeze } from "#domain/gates/freezes";
import type { SettingDefaults } from "#domain/settings/settings";
import type { NodeRules } from "#domain/gates/node-rules";
import type { ClusterNode } from "#domain/workload/node-groups";
import type { TierRules } from "#domain/tiers/rules";
import type { RegistryRules } from "#domain/workload/registry-rules";
import type { RegistryAliases } from "#domain/workload/registry-aliases";
import { type DurationMs, epochMs, seconds } from "#domain/shared/time";
import type { Limits, WorkloadRecord } from "#domain/update/state/workload";
import type { WorkloadKind } from "#domain/workload/kinds";
import { parseWorkloadKey, workloadKey } from "#domain/workload/workload";
import { withInitialImages } from "./initial-images.ts";
import { type ByHand, type HandClock, handClock, lookoutByHand } from "./by-hand.ts";

/** The installation's six characters in every test. */
export const installation = "abc123";
export const host = "registry.test";

/**
 * Everything of Lookout on memory adapters, with a clock and queues that move only when a test says
 * so.
 */
export interface World {
  readonly ports: Ports;
  readonly clock: HandClock;
  readonly cluster: MemoryCluster;
  readonly registry: MemoryRegistry;
  readonly facts: readonly Fact[];
  readonly disputes: ByHand["disputes"];
  /** Tells Lookout of a push that need not be true. */
  tell(push: PushNotice): Promise<void>;
  /** The nodes of the cluster; undefined: they may not be listed. */
  setNodes(nodes: readonly ClusterNode[] | undefined): void;
  readonly failures: readonly string[];
  readonly logged: ByHand["logged"];
  readonly measurements: readonly Measurement[];
  readonly kept: ByHand["kept"];
  readonly deliveries: ByHand["deliveries"];
  /** Images that do not start, by digest. */
  readonly broken: Set<string>;
  readonly crashing: Set<string>;
  /** Images whose pulls fail for a while, by digest. */
  readonly pulledLater: Map<string, PulledLater>;
  /** Images whose pods the API server does not create for a while, by digest. */
  readonly createdLater: Map<string, CreatedLater>;
  /** Creates a workload whose one container has this image. */
  deploy(spec: DeploySpec): string;
  /** Pushes a tag and tells Lookout as a webhook does. */
  push(
    repository: string,
    tag: string,
    options?: {
      readonly broken?: boolean;
      readonly crashes?: boolean;
      readonly pulled?: PulledLater;
      readonly created?: CreatedLater;
      readonly quietly?: boolean;
    } & Pick<PushOptions, "labels" | "annotations" | "platforms">,
  ): Promise<string>;
  /** Tells of a push that is there already, once more. */
  tellAgain(repository: string, tag: string): Promise<void>;
  /** Looks at the cluster, as the schedule does. */
  sync(): Promise<void>;
  /**
   * Looks at every repository that anyone is subscribed to, as the schedule does, a second later.
   */
  sweep(): Promise<void>;
  /** Delivers everything that is ready, until nothing is. */
  settle(): Promise<void>;
  /** Lets time pass in steps of half a second, delivering what becomes ready. */
  pass(duration: DurationMs): Promise<void>;
  /** Forgets all messages, as when the process dies. */
  loseMessages(): void;
  gatherChanges(): void;
  reap(): Promise<void>;
  record(key: string): Promise<WorkloadRecord>;
  factNames(key: string): readonly FactName[];
  image(key: string): string;
}

/** How long the first pull of a pod fails, and why. */
export type PulledLater = Omit<Extract<ImageBehaviour, { kind: "pulled-later" }>, "kind">;

/** How long the API server creates no pods, and why. */
export type CreatedLater = Omit<Extract<ImageBehaviour, { kind: "created-later" }>, "kind">;

export interface DeploySpec {
  /** Absent: shop. */
  readonly namespace?: string;
  readonly name: string;
  readonly kind?: WorkloadKind;
  readonly image: string;
  /** The images of further containers, by name. */
  readonly more?: Readonly<Record<string, string>>;
  /** The references of image volumes, by name. */
  readonly volumes?: Readonly<Record<string, string>>;
  readonly pullPolicy?: "Always" | "IfNotPresent" | "Never";
  readonly replicas?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
}

/** A Saturday morning, 10:00 UTC. */
export const begins = epochMs(Date.parse("2026-11-21T10:00:00Z"));

export function world(
  given: Partial<Limits> = {},
  aliases: RegistryAliases = new Map(),
  plannedFreezes: readonly PlannedFreeze[] = [],
  registryRules?: RegistryRules,
  approvalRules?: ApprovalRules,
  nodeRules?: NodeRules,
  defaults?: SettingDefaults,
  channels?: Channels,
  tiers?: TierRules,
  checked?: { readonly checkRules?: readonly CheckRule[]; readonly checks?: Checks; readonly definitions?: true },
  initialImages?: Readonly<Record<string, string>>,
): World {
  let nodes: readonly ClusterNode[] | undefined;
  const clock = handClock(begins);
  const broken = new Set<string>();
  const crashing = new Set<string>();
  const pulledLater = new Map<string, PulledLater>();
  const createdLater = new Map<string, CreatedLater>();
  const registry = memoryRegistry();
  const digests = new Map<string, string>();
  const digestIn = (image: string): string | undefined => /@(sha256:.*)$/.exec(image)?.[1] ?? digests.get(image);
  const cluster = memoryCluster({
    name: "prod",
    clock,
    startupMs: 1_000,
    nodes: () => nodes,
    digestOf: digestIn,
    behaviour: (image) => {
      const digest = digestIn(image) ?? "";
      const later = pulledLater.get(digest);
      if (later !== undefined) return { kind: "pulled-later", ...later };
      const created = createdLater.get(digest);
      if (created !== undefined) return { kind: "created-later", ...created };
      return broken.has(digest) ? "cannot-be-pulled" : crashing.has(digest) ? "crashes" : "runs";
    },
  });
  const lookout = lookoutByHand({
    installation,
    clock,
    cluster: initialImages === undefined ? cluster : withInitialImages(cluster, initialImages),
    clusterName: "prod",
    registry,
    limits: given,
    aliases,
    plannedFreezes,
    ...(registryRules === undefined ? {} : { registryRules }),
    ...(approvalRules === undefined ? {} : { approvalRules }),
    ...(nodeRules === undefined ? {} : { nodeRules }),
    ...(defaults === undefined ? {} : { defaults }),
    ...(channels === undefined ? {} : { channels }),
    ...(tiers === undefined ? {} : { tiers }),
    ...checked,
  });
  const { ports, facts, disputes, failures, logged, measurements, kept, deliveries } = lookout;
  const tellOfPush = (repository: string, tag: string): Promise<void> => {
    const id = `${repository}:${tag}@${digests.get(`${host}/${repository}:${tag}`) ?? ""}`;
    return lookout.tell({ id, registry: host, repository, tags: [tag] });
  };
  const settle = async (): Promise<void> => {
    await lookout.settle();
  };
  return {
    ports,
    clock,
    cluster,
    registry,
    facts,
    disputes,
    tell: (push) => lookout.tell(push),
    setNodes: (listed) => void (nodes = listed),
    failures,
    logged,
    measurements,
    kept,
    deliveries,
    broken,
    crashing,
    pulledLater,
    createdLater,
    settle,
    async sweep() {
      clock.turn(seconds(1));
      // Every repository is due, as after its interval.
      const lastTick = async () => epochMs(0);
      await sweepDue({ ...ports, repositories: { ...ports.repositories, lastTick } });
      await settle();
    },
    deploy({
      kind = "Deployment",
      namespace = "shop",
      name,
      image,
      more = {},
      volumes = {},
      pullPolicy,
      replicas = 3,
      annotations = {},
      labels = {},
    }) {
      const container = { name: "app", image, ...(pullPolicy && { imagePullPolicy: pullPolicy }) };
      const others = Object.entries(more).map(([other, text]) => ({ name: other, image: text }));
      const images = Object.entries(volumes).map(([volume, reference]) => ({ name: volume, image: { reference } }));
      const pod = { containers: [container, ...others], ...(images.length === 0 ? {} : { volumes: images }) };
      const template = { spec: pod };
      const spec = kind === "CronJob" ? { jobTemplate: { spec: { template } } } : { replicas, template };
      const metadata = {
        namespace,
        name,
        labels,
        annotations: { "lookout.dev/enabled": "true", ...annotations },
      };
      return workloadKey(cluster.apply({ kind, metadata, spec }));
    },
    async push(repository, tag, options = {}) {
      const { labels, annotations, platforms } = options;
      const content = {
        ...(labels && { labels }),
        ...(annotations && { annotations }),
        ...(platforms && { platforms }),
      };
      const digest = registry.push(host, repository, tag, content);
      digests.set(`${host}/${repository}:${tag}`, digest);
      if (options.broken === true) broken.add(digest);
      if (options.crashes === true) crashing.add(digest);
      if (options.pulled !== undefined) pulledLater.set(digest, options.pulled);
      if (options.created !== undefined) createdLater.set(digest, options.created);
      if (options.quietly !== true) await tellOfPush(repository, tag);
      return digest;
    },
    tellAgain: tellOfPush,
    async sync() {
      lookout.send({ name: "SyncCluster", id: `sync-${clock.now()}`, cluster: "prod" });
      await settle();
    },
    pass: (duration) => lookout.pass(duration),
    loseMessages: () => lookout.loseMessages(),
    gatherChanges: () => lookout.gatherChanges(),
    record: (key) => lookout.record(key),
    async reap() {
      await reap(ports);
      await settle();
    },
    factNames: (key) => facts.filter(({ workload }) => workloadKey(workload) === key).map(({ name }) => name),
    image: (key) => {
      const workload = parseWorkloadKey(key);
      const spec = workload.ok ? cluster.object(workload.value)?.spec : undefined;
      return (spec?.template ?? spec?.jobTemplate?.spec.template)?.spec.containers[0]?.image ?? "";
    },
  };
}

/** The workload that most tests are about: a Deployment of the repository `shop/api`. */
export const api = { namespace: "shop", kind: "Deployment", name: "api" } as const;

/** A world in which `shop/api:1.0.0` was pushed before anybody looked. */
export async function worldWithApi(
  aliases?: RegistryAliases,
  plannedFreezes?: readonly PlannedFreeze[],
  channels?: Channels,
): Promise<World> {
  const lookout = world({}, aliases, plannedFreezes, undefined, undefined, undefined, undefined, channels);
  await lookout.push("shop/api", "1.0.0", { quietly: true });
  return lookout;
}

/**
 * Creates {@link api} with 1.0.0, lets its pods start, and has Lookout meet it; answers its key.
 */
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
