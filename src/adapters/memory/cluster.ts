import type { Clock } from "#ports/clock";
import type { Cluster, ClusterRefusal, PatchOutcome, WorkloadHint, WorkloadList } from "#ports/cluster";
import { fieldManager, type WorkloadName, workloadKinds } from "#domain/workload";
import type { WorkloadPatch } from "#domain/patch";
import { type ClusterHands, clusterHands } from "./cluster-hands.ts";
import { brokenInTheWay, healthOf, runningImagesOf } from "./cluster-health.ts";
import { type ClusterObjects, clusterObjects } from "./cluster-objects.ts";
import { guardsHold, patched } from "./cluster-patch.ts";
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

/** A simulated cluster, with what people do to it and what may go wrong with it. */
export interface MemoryCluster extends Cluster, ClusterHands {
  /** True: nothing is answered any more. */
  unreachable(away: boolean): void;
  /** True: everything is answered with 403. */
  deny(denied: boolean): void;
  /** Answers the next patch like this. `landed`: it is written all the same, as when an answer is lost. */
  failNext(outcome: Exclude<PatchOutcome, { kind: "written" }>, landed?: boolean): void;
  /** Forgets what changed up to now: positions of earlier lists are too old. */
  forget(): void;
}

interface Faults {
  refusal: ClusterRefusal | undefined;
  readonly outcomes: { readonly outcome: PatchOutcome; readonly landed: boolean }[];
  oldest: number;
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
  const faults: Faults = { refusal: undefined, outcomes: [], oldest: 0 };
  return {
    ...clusterHands(options.name, objects),
    ...reads(options.name, objects, faults),
    patch: async (patch) => {
      if (patch.sendBy !== undefined && options.clock.now() > patch.sendBy) return { kind: "read-again" };
      return faults.refusal ?? patchOutcome(objects, faults, patch);
    },
    deleteFailedPods: async (workload, images) => faults.refusal ?? deleteFailed(objects, workload, images),
    watch: (onHint, signal) => follow(objects, listeners, options.progressEveryMs, onHint, signal),
    unreachable: (away) => {
      faults.refusal = away ? { kind: "unreachable", detail: `no connection to ${options.name}` } : undefined;
    },
    deny: (denied) => {
      faults.refusal = denied ? { kind: "denied", detail: `403 Forbidden from ${options.name}` } : undefined;
    },
    failNext: (outcome, landed = false) => void faults.outcomes.push({ outcome, landed }),
    forget: () => {
      faults.oldest = objects.nextVersion();
    },
  };
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
  faults: Faults,
): Pick<Cluster, "identity" | "rights" | "list" | "read" | "runningImages" | "health"> {
  return {
    identity: async () => faults.refusal ?? { kind: "identity", uid: uidOf(name, "kube-system") },
    rights: async () => faults.refusal ?? { kind: "rights", missing: [] },
    list: async (since) => faults.refusal ?? listed(objects, since, faults.oldest),
    read: async (workload) => {
      const stored = objects.find(workload);
      return faults.refusal ?? (stored === undefined ? { kind: "gone" } : { kind: "found", live: liveView(stored) });
    },
    runningImages: async (live) => {
      const stored = objects.find(live.workload);
      const present = stored?.uid === live.uid && stored.generation === live.generation;
      const images = present ? runningImagesOf(stored, objects.now(), objects.rules) : {};
      return faults.refusal ?? { kind: "running", images };
    },
    health: async (workload, since) => {
      const stored = objects.find(workload);
      if (faults.refusal !== undefined) return faults.refusal;
      return stored === undefined ? { kind: "gone" } : healthOf(stored, since, objects.now(), objects.rules);
    },
  };
}

/** Positions have the form of a real cluster's: one version for each kind, here the same. */
function listed(objects: ClusterObjects, since: string | undefined, oldest: number): WorkloadList {
  const version = objects.version();
  const position = JSON.stringify(Object.fromEntries(workloadKinds.map((kind) => [kind, String(version)])));
  const from = since === undefined ? undefined : Number(/"Deployment":"(\d+)"/.exec(since)?.[1] ?? Number.NaN);
  if (from === undefined || Number.isNaN(from) || from < oldest) {
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

function patchOutcome(objects: ClusterObjects, faults: Faults, patch: WorkloadPatch): PatchOutcome {
  const fault = faults.outcomes.shift();
  if (fault !== undefined && !fault.landed) return fault.outcome;
  const outcome = writePatch(objects, patch);
  return fault?.outcome ?? outcome;
}

function writePatch(objects: ClusterObjects, patch: WorkloadPatch): PatchOutcome {
  const stored = objects.find(patch.workload);
  if (stored === undefined) return { kind: "gone" };
  if (!guardsHold(stored, patch)) return { kind: "read-again" };
  objects.write(stored, { manager: fieldManager, what: `patch ${patch.fence.to}` }, (content) =>
    patched(content, patch),
  );
  return { kind: "written", live: liveView(stored) };
}

function deleteFailed(
  objects: ClusterObjects,
  workload: WorkloadName,
  images: readonly string[],
): { readonly kind: "deleted"; readonly pods: number } {
  const stored = workload.kind === "StatefulSet" ? objects.find(workload) : undefined;
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
