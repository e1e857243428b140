import { memoryCluster, type MemoryCluster } from "#adapters/memory/cluster";
import { memoryRegistry, type MemoryRegistry } from "#adapters/memory/registry";
import { distributionEnvelope } from "./demo-notification.ts";
import type { DemoPushRequest, DemoPushView } from "#contracts/api/process";
import { parseImageReference } from "#domain/image/reference";
import { type BuiltInKind, kindSpecs } from "#domain/workload/kinds";
import type { Clock } from "#ports/clock";
import { PermanentError } from "#ports/errors";

/** The registry, cluster and workloads of `npm start` and `lookout demo`. */
export interface DemoWorld {
  readonly clusters: ReadonlyMap<string, MemoryCluster>;
  readonly registry: MemoryRegistry;
  /** The number of tracked workloads. */
  readonly workloads: number;
  /** Pushes an image, and returns the notification of a registry. */
  push(request: DemoPushRequest): DemoPushView & { readonly notification: unknown };
}

/** The host of the demo's registry. */
const demoRegistryHost = "registry.demo";
/** The name of the demo's cluster. */
export const demoClusterName = "demo";
/** The path of the demo's receiver. */
export const demoReceiverName = "demo";

/** A workload of the demo. Its image has its namespace and name. */
export interface DemoWorkload {
  readonly kind: BuiltInKind;
  readonly namespace: string;
  readonly name: string;
  readonly tag: string;
  readonly replicas?: number;
  readonly annotations: Readonly<Record<string, string>>;
}

/** The workloads of each cluster of a demo, by its name. */
export type DemoFleet = Readonly<Record<string, readonly DemoWorkload[]>>;

const workloads: readonly DemoWorkload[] = [
  {
    kind: "Deployment",
    namespace: "shop",
    name: "api",
    tag: "1.2.0",
    replicas: 3,
    annotations: { "lookout.dev/semver-range": "^1" },
  },
  {
    kind: "Deployment",
    namespace: "shop",
    name: "web",
    tag: "2.0.1",
    replicas: 2,
    annotations: { "lookout.dev/maintenance-window": "22:00-02:00", "lookout.dev/maintenance-days": "Sat" },
  },
  { kind: "StatefulSet", namespace: "pay", name: "ledger", tag: "3.1.0", replicas: 2, annotations: {} },
  { kind: "CronJob", namespace: "shop", name: "report", tag: "1.0.9", annotations: {} },
  {
    kind: "Deployment",
    namespace: "lab",
    name: "tool",
    tag: "latest",
    replicas: 1,
    annotations: { "lookout.dev/semver-range": ">>1" },
  },
];

/** The cluster of `npm start` and of the usual tour. */
export const usualFleet: DemoFleet = { [demoClusterName]: workloads };

/** Returns the world of a demo before the first push. */
export function demoWorld(clock: Clock, startupMs: number, fleet: DemoFleet): DemoWorld {
  const registry = memoryRegistry();
  const broken = new Set<string>();
  const digests = new Map<string, string>();
  const open = (name: string): MemoryCluster =>
    memoryCluster({
      ...{ name, clock, startupMs, progressEveryMs: 100, cronEveryMs: 60_000 },
      behaviour: (image) => (broken.has(digestIn(image) ?? "") ? "cannot-be-pulled" : "runs"),
      digestOf: (image) => digestIn(image) ?? digests.get(image),
    });
  const pushTo = (repository: string, tag: string): string => {
    const digest = registry.push(demoRegistryHost, repository, tag);
    digests.set(`${demoRegistryHost}/${repository}:${tag}`, digest);
    return digest;
  };
  const clusters = new Map(Object.keys(fleet).map((name) => [name, open(name)]));
  for (const [name, tracked] of Object.entries(fleet))
    for (const workload of tracked) {
      pushTo(`${workload.namespace}/${workload.name}`, workload.tag);
      clusters.get(name)?.apply(manifestOf(workload));
    }
  return {
    clusters,
    registry,
    workloads: Object.values(fleet).flat().length,
    push({ image, broken: isBroken }) {
      const { repository, tag } = demoImage(image);
      const digest = pushTo(repository, tag);
      if (isBroken === true) broken.add(digest);
      return {
        image: `${demoRegistryHost}/${repository}:${tag}`,
        digest,
        notification: distributionEnvelope(demoRegistryHost, repository, tag, digest),
      };
    },
  };
}

function digestIn(image: string): string | undefined {
  return /@(sha256:.*)$/.exec(image)?.[1];
}

function demoImage(image: string): { readonly repository: string; readonly tag: string } {
  const text = image.startsWith(`${demoRegistryHost}/`) ? image : `${demoRegistryHost}/${image}`;
  const parsed = parseImageReference(text);
  if (!parsed.ok) throw new PermanentError(`"${image}" is not an image: ${parsed.problem.message}`);
  if (parsed.value.tag === undefined)
    throw new PermanentError(`"${image}" has no tag: expected NAME:TAG, such as shop/api:1.3.0`);
  return { repository: parsed.value.repository, tag: parsed.value.tag };
}

function manifestOf({
  kind,
  namespace,
  name,
  tag,
  replicas,
  annotations,
}: DemoWorkload): Parameters<MemoryCluster["apply"]>[0] {
  const image = `${demoRegistryHost}/${namespace}/${name}:${tag}`;
  const template = { spec: { containers: [{ name, image }] } };
  const spec =
    kindSpecs[kind].template === "spec.jobTemplate.spec.template"
      ? { schedule: "* * * * *", jobTemplate: { spec: { template } } }
      : { replicas: replicas ?? 1, template };
  return {
    kind,
    metadata: { namespace, name, annotations: { "lookout.dev/enabled": "true", ...annotations } },
    spec,
  };
}
