import type { Clock } from "#ports/clock";
import type { Cluster, NodeList, PatchOutcome, WorkloadHint, WorkloadList, WorkloadLists } from "#ports/cluster";
import { type ClusterNode, labelsAt } from "#domain/workload/node-groups";
import { kindSpecs, workloadKinds } from "#domain/workload/kinds";
import type { AskedOfNodes } from "#domain/workload/placement";
import { fieldManager, type LiveWorkload, type WorkloadName } from "#domain/workload/workload";
import { definitionPorts, type MemoryDefinitions, memoryDefinitions } from "./cluster-definitions.ts";
import type { AnnotationPatch, WorkloadPatch } from "#domain/workload/patch";
import { brokenInTheWay, healthOf, runningImagesOf } from "./cluster-health.ts";
import { type ClusterObjects, clusterObjects } from "./cluster-objects.ts";
import { type Content, type Manifest, withKeys } from "./cluster-manifest.ts";
import { guardsHold, patched } from "./cluster-patch.ts";
import { containersOf, digestOfText, type ImageBehaviour, liveView, type PodRules, uidOf } from "./cluster-state.ts";

/** The options of a simulated cluster. */
export interface MemoryClusterOptions {
  readonly name: string;
  readonly clock: Clock;
  /** The behaviour of an image's containers. By default, all containers run. */
  readonly behaviour?: (image: string) => ImageBehaviour;
  /** The time from a pod's creation to its readiness or its fault. Default: 1 s. */
  readonly startupMs?: number;
  /**
   * The digest of an image at a pod's start. Default: the digest in the image's text, or a digest
   * made from the text.
   */
  readonly digestOf?: (image: string) => string | undefined;
  /** The interval of CronJobs' Jobs. Absent if only a test starts Jobs. */
  readonly cronEveryMs?: number;
  /**
   * Returns the nodes. Undefined if the cluster denies the list. The default is three nodes of
   * linux/amd64.
   */
  readonly nodes?: () => readonly ClusterNode[] | undefined;
  /**
   * The real-time interval at which watches check pods for progress. Absent if watches report only
   * writes.
   */
  readonly progressEveryMs?: number;
}

/** A simulated cluster and its objects. */
export interface MemoryCluster extends Cluster, WorkloadLists {
  readonly objects: ClusterObjects;
  readonly definitionObjects: MemoryDefinitions;
  /** Creates or updates a workload. Labels and annotations that the manifest does not name stay. */
  apply(manifest: Manifest, manager?: string): WorkloadName;
}

/**
 * Returns a simulated cluster that checks writes as the API server does. Only the clock moves
 * rollouts.
 *
 * Deployments create all new pods before they remove old pods. StatefulSets and DaemonSets replace
 * pods one after the other. An ordered StatefulSet waits for a broken pod forever.
 */
export function memoryCluster(options: MemoryClusterOptions): MemoryCluster {
  const listeners = new Set<(workload: WorkloadName) => void>();
  const notify = (workload: WorkloadName): void => listeners.forEach((listener) => listener(workload));
  const definitions = memoryDefinitions(options.clock);
  const objects = clusterObjects(options.name, options.clock, podRules(options), notify);
  return {
    objects,
    definitionObjects: definitions,
    apply: (manifest, manager = "kubectl-client-side-apply") => applied(options.name, objects, manifest, manager),
    ...reads(options.name, objects),
    listKind: async (kind, namespace) => {
      const isAsked = ({ workload }: LiveWorkload): boolean =>
        workload.kind === kind && (namespace === undefined || workload.namespace === namespace);
      return { kind: "listed", live: objects.all().map(liveView).filter(isAsked) };
    },
    nodes: async (asked) => nodeList(options, asked),
    ...definitionPorts(definitions),
    patch: async (patch) => {
      if (patch.sendBy !== undefined && options.clock.now() > patch.sendBy) return { kind: "read-again" };
      return writePatch(objects, patch);
    },
    patchAnnotation: async (patch) => writeAnnotation(objects, patch),
    deleteFailedPods: async (workload, images) => deleteFailed(objects, workload, images),
    watch: (onHint, signal) => follow(objects, listeners, options.progressEveryMs, onHint, signal),
  };
}

function applied(cluster: string, objects: ClusterObjects, manifest: Manifest, manager: string): WorkloadName {
  const { kind, metadata, spec } = structuredClone(manifest);
  const workload = { cluster, namespace: metadata.namespace ?? "default", kind, name: metadata.name };
  const writer = { manager, what: "apply" };
  const stored = objects.find(workload);
  const content = (old: Content | undefined): Content => ({
    labels: withKeys(old?.labels, metadata.labels ?? {}),
    annotations: withKeys(old?.annotations, metadata.annotations ?? {}),
    ownerReferences: metadata.ownerReferences ?? old?.ownerReferences ?? [],
    spec,
  });
  if (stored === undefined) objects.create(workload, content(undefined), writer);
  else objects.write(stored, writer, content);
  return workload;
}

function podRules(options: MemoryClusterOptions): PodRules {
  return {
    behaviour: options.behaviour ?? (() => "runs"),
    startupMs: options.startupMs ?? 1_000,
    digestOf: options.digestOf ?? digestOfText,
    pulled: new Map(),
    nodes: 3,
    cronEveryMs: options.cronEveryMs,
  };
}

function reads(
  name: string,
  objects: ClusterObjects,
): Pick<Cluster, "identity" | "rights" | "list" | "read" | "runningImages" | "health"> {
  return {
    identity: async () => ({ kind: "identity", uid: uidOf(name, "kube-system") }),
    rights: async () => ({ kind: "rights", missing: [] }),
    list: async (since) => listed(objects, since),
    read: async (workload) => {
      const stored = objects.find(workload);
      return stored === undefined ? { kind: "gone" } : { kind: "found", live: liveView(stored) };
    },
    runningImages: async (live) => {
      const stored = objects.find(live.workload);
      const present = stored?.uid === live.uid && stored.generation === live.generation;
      const images = present ? runningImagesOf(stored, objects.now(), objects.rules) : {};
      return { kind: "running", images };
    },
    health: async (workload, since) => {
      const stored = objects.find(workload);
      return stored === undefined ? { kind: "gone" } : healthOf(stored, since, objects.now(), objects.rules);
    },
  };
}

function nodeList({ name, nodes = () => usualNodes }: MemoryClusterOptions, { labels: asked }: AskedOfNodes): NodeList {
  const listed = nodes();
  return listed === undefined
    ? { kind: "denied", detail: `the cluster ${name} denies the list of nodes` }
    : { kind: "nodes", nodes: listed.map((node) => ({ ...node, labels: labelsAt(node.labels, asked) })) };
}

const usualNodes = ["node-1", "node-2", "node-3"].map((name): ClusterNode => ({
  name,
  os: "linux",
  architecture: "amd64",
  taints: [],
  labels: { "kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name },
}));

/**
 * Returns the changes since a position. As in a real cluster, a position has a version for each
 * kind.
 */
function listed(objects: ClusterObjects, since: string | undefined): WorkloadList {
  const version = objects.version();
  const position = JSON.stringify(Object.fromEntries(workloadKinds.map((kind) => [kind, String(version)])));
  const from = since === undefined ? undefined : Number(/"Deployment":"(\d+)"/.exec(since)?.[1] ?? Number.NaN);
  if (from === undefined || Number.isNaN(from)) {
    return { kind: "workloads", complete: true, live: objects.all().map(liveView), deleted: [], position };
  }
  const live = objects
    .all()
    .filter((stored) => stored.version > from)
    .map(liveView);
  const gone = objects.deletions.filter(
    (deletion) => deletion.version > from && objects.find(deletion.workload) === undefined,
  );
  return { kind: "workloads", complete: false, live, deleted: gone.map(({ workload }) => workload), position };
}

function writePatch(objects: ClusterObjects, patch: WorkloadPatch): PatchOutcome {
  const stored = objects.find(patch.workload);
  if (stored === undefined) return { kind: "gone" };
  if (!guardsHold(stored, patch)) return { kind: "read-again" };
  objects.write(stored, { manager: fieldManager, what: `patch ${patch.updateLabel.to}` }, (content) =>
    patched(content, patch),
  );
  return { kind: "written", live: liveView(stored) };
}

function writeAnnotation(objects: ClusterObjects, patch: AnnotationPatch): PatchOutcome {
  const { workload, uid, generation, hasAnnotations, key, from, to } = patch;
  const stored = objects.find(workload);
  if (stored === undefined) return { kind: "gone" };
  const { annotations } = stored.content;
  const isAsRead = stored.uid === uid && stored.generation === generation && annotations?.[key] === from;
  if (!isAsRead || (annotations !== undefined) !== hasAnnotations) return { kind: "read-again" };
  objects.write(stored, { manager: fieldManager, what: `annotate ${key}` }, (content) => ({
    ...content,
    annotations: withKeys(content.annotations, { [key]: to }),
  }));
  return { kind: "written", live: liveView(stored) };
}

function deleteFailed(
  objects: ClusterObjects,
  workload: WorkloadName,
  images: readonly string[],
): { readonly kind: "deleted"; readonly pods: number } {
  const stored = kindSpecs[workload.kind].rollout === "in-order" ? objects.find(workload) : undefined;
  if (stored === undefined) return { kind: "deleted", pods: 0 };
  const present = stored.revisions.at(-1)?.id;
  const broken = brokenInTheWay(stored, objects.now(), objects.rules);
  const failed = stored.pods
    .filter((pod) => pod.readyAt > objects.now() && pod.revision !== present)
    .filter((pod) => broken.includes(pod) || containersOf(pod.template).some(({ image }) => images.includes(image)))
    .map((pod) => pod.name);
  if (failed.length > 0) objects.deletePods(stored, failed);
  return { kind: "deleted", pods: failed.length };
}

/** Reports writes immediately, and progress at the given interval. */
async function follow(
  objects: ClusterObjects,
  listeners: Set<(workload: WorkloadName) => void>,
  everyMs: number | undefined,
  onHint: (hint: WorkloadHint) => void,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return;
  const listener = (workload: WorkloadName): void =>
    queueMicrotask(() => {
      const stored = objects.find(workload);
      onHint({ workload, ...(stored === undefined ? {} : { live: liveView(stored) }) });
    });
  listeners.add(listener);
  const seen = new Map<string, number>();
  const reportProgress = (): void => {
    for (const stored of objects.all()) {
      const ready = [...stored.pods, ...stored.jobs].filter((pod) => pod.readyAt <= objects.now()).length;
      if (seen.has(stored.uid) && seen.get(stored.uid) !== ready) listener(stored.workload);
      seen.set(stored.uid, ready);
    }
  };
  const timer = everyMs === undefined ? undefined : setInterval(reportProgress, everyMs);
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  clearInterval(timer);
  listeners.delete(listener);
}
