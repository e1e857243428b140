import type { Clock } from "#ports/clock";
import type { Cluster, PatchOutcome, WorkloadHint, WorkloadList } from "#ports/cluster";
import { kindSpecs, workloadKinds } from "#domain/workload/kinds";
import { fieldManager, type WorkloadName } from "#domain/workload/workload";
import type { WorkloadPatch } from "#domain/workload/patch";
import { brokenInTheWay, healthOf, runningImagesOf } from "./cluster-health.ts";
import { type ClusterObjects, clusterObjects } from "./cluster-objects.ts";
import { type Content, type Manifest, withKeys } from "./cluster-manifest.ts";
import { guardsHold, patched } from "./cluster-patch.ts";
import { copyOf } from "./copy.ts";
import { containersOf, digestOfText, type ImageBehaviour, liveView, type PodRules, uidOf } from "./cluster-state.ts";

/** What a simulated cluster is like. */
export interface MemoryClusterOptions {
  readonly name: string;
  readonly clock: Clock;
  /** What becomes of a container of an image; all run unless told otherwise. */
  readonly behaviour?: (image: string) => ImageBehaviour;
  /** From a pod's creation to its readiness, or to the appearance of its fault; 1 s unless told otherwise. */
  readonly startupMs?: number;
  /** The digest that an image text names when a pod starts; its own, or one made from the text, unless told otherwise. */
  readonly digestOf?: (image: string) => string | undefined;
  /** Nodes, for DaemonSets; 3 unless told otherwise. */
  readonly nodes?: number;
  /** CronJobs make a Job at every multiple of this; absent: only by `runJob`. */
  readonly cronEveryMs?: number;
  /** How often watches look for progress that comes from the clock alone, in real time; absent: they tell of writes only. */
  readonly progressEveryMs?: number;
}

/** A simulated cluster, and the objects in it. */
export interface MemoryCluster extends Cluster {
  readonly objects: ClusterObjects;
  /** Creates a workload, or writes its labels, annotations and spec; keys that the manifest does not name stay. */
  apply(manifest: Manifest, manager?: string): WorkloadName;
}

/**
 * Simulates a cluster: the semantics of the API server's guarded writes, and rollouts that move with the clock alone.
 *
 * Deployments surge, StatefulSets and DaemonSets replace one pod after the other, an ordered StatefulSet stays stuck on a broken pod, and
 * `kubectl rollout undo` brings back a Deployment's annotations but not its labels.
 */
export function memoryCluster(options: MemoryClusterOptions): MemoryCluster {
  const listeners = new Set<(workload: WorkloadName) => void>();
  const tell = (workload: WorkloadName): void => listeners.forEach((listener) => listener(workload));
  const objects = clusterObjects(options.name, options.clock, podRules(options), tell);
  return {
    objects,
    apply: (manifest, manager = "kubectl-client-side-apply") => applied(options.name, objects, manifest, manager),
    ...reads(options.name, objects),
    patch: async (patch) => {
      if (patch.sendBy !== undefined && options.clock.now() > patch.sendBy) return { kind: "read-again" };
      return writePatch(objects, patch);
    },
    deleteFailedPods: async (workload, images) => deleteFailed(objects, workload, images),
    watch: (onHint, signal) => follow(objects, listeners, options.progressEveryMs, onHint, signal),
  };
}

function applied(cluster: string, objects: ClusterObjects, manifest: Manifest, manager: string): WorkloadName {
  const { kind, metadata, spec } = copyOf(manifest);
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
    nodes: options.nodes ?? 3,
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

/** Positions have the form of a real cluster's: one version for each kind, here the same. */
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

/** Tells of writes at once; of progress when it is looked for. */
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
  const look = (): void => {
    for (const stored of objects.all()) {
      const ready = [...stored.pods, ...stored.jobs].filter((pod) => pod.readyAt <= objects.now()).length;
      if (seen.has(stored.uid) && seen.get(stored.uid) !== ready) listener(stored.workload);
      seen.set(stored.uid, ready);
    }
  };
  const timer = everyMs === undefined ? undefined : setInterval(look, everyMs);
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  clearInterval(timer);
  listeners.delete(listener);
}
