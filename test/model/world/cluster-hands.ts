import {
  memoryCluster as bareCluster,
  type MemoryCluster as BareCluster,
  type MemoryClusterOptions,
} from "#adapters/memory/cluster";
import type { WorkloadName } from "#domain/workload/workload";
import type { ClusterRefusal, PatchOutcome } from "#ports/cluster";
import {
  type Content,
  type Manifest,
  templateOf,
  withImage,
  withKeys,
  withRestart,
  withTemplate,
} from "#adapters/memory/cluster-manifest";
import type { ClusterObjects, ClusterWrite } from "#adapters/memory/cluster-objects";
import { makeJob } from "#adapters/memory/cluster-rollout";
import { containersOf, type StoredWorkload } from "#adapters/memory/cluster-state";

/** The name of a workload in this cluster. The cluster's name is optional. */
type LocalName = Omit<WorkloadName, "cluster"> & { readonly cluster?: string };

/**
 * The acts of people and other programs on a cluster. All throw RangeError for a missing workload.
 */
interface ClusterHands {
  /** Sets an image, as `kubectl set image` does. Throws RangeError for a missing container. */
  setImage(name: LocalName, container: string, image: string, manager?: string): void;
  /**
   * Undoes a rollout, as `kubectl rollout undo` does: the template, and a Deployment's annotations.
   * Labels stay.
   */
  undo(name: LocalName): void;
  /** Restarts the pods, as `kubectl rollout restart` does. */
  restart(name: LocalName, at: string): void;
  /** Sets annotations, as `kubectl annotate` does. Undefined removes the key. */
  annotate(name: LocalName, annotations: Readonly<Record<string, string | undefined>>): void;
  /** Sets labels, as `kubectl label` does. Undefined removes the key. */
  label(name: LocalName, labels: Readonly<Record<string, string | undefined>>): void;
  scale(name: LocalName, replicas: number): void;
  pause(name: LocalName): void;
  resume(name: LocalName): void;
  /** Suspends or resumes a CronJob. */
  suspend(name: LocalName, suspended: boolean): void;
  remove(name: LocalName): void;
  /** Starts a CronJob's next Job now. */
  runJob(name: LocalName): void;
  /** Deletes all pods of a workload, as a person does with OnDelete. */
  deletePods(name: LocalName): void;
  /** Restarts each running pod of a workload by a failure. */
  crash(name: LocalName): void;
  /**
   * Returns the manifest of an object with its uid, generation and version; undefined if it is
   * missing.
   */
  object(
    name: LocalName,
  ): (Manifest & { readonly metadata: { readonly uid: string; readonly generation: number } }) | undefined;
  /** All writes, the oldest first. */
  readonly history: readonly ClusterWrite[];
}

/** A simulated cluster with acts of people and faults. */
export interface MemoryCluster extends BareCluster, ClusterHands {
  /** Starts or ends an outage of the cluster. */
  unreachable(away: boolean): void;
  /** Starts or ends the answer 403 to all requests. */
  deny(denied: boolean): void;
  /**
   * Sets the outcome of the next patch. `landed`: the patch is written anyway, as if its answer was
   * lost.
   */
  failNext(outcome: Exclude<PatchOutcome, { kind: "written" }>, landed?: boolean): void;
  /** Forgets all earlier changes, so that positions of earlier lists are too old. */
  forget(): void;
}

/** Returns a simulated cluster with acts of people and faults for tests. */
export function memoryCluster(options: MemoryClusterOptions): MemoryCluster {
  const bare = bareCluster(options);
  const outcomes: { readonly outcome: PatchOutcome; readonly landed: boolean }[] = [];
  let refusal: ClusterRefusal | undefined;
  let tooOld = new Set<string>();
  const listed = new Set<string>();
  return {
    ...bare,
    ...clusterHands(options.name, bare.objects),
    identity: async (...asked) => refusal ?? bare.identity(...asked),
    rights: async (...asked) => refusal ?? bare.rights(...asked),
    read: async (...asked) => refusal ?? bare.read(...asked),
    runningImages: async (...asked) => refusal ?? bare.runningImages(...asked),
    nodes: async (...asked) => refusal ?? bare.nodes(...asked),
    health: async (...asked) => refusal ?? bare.health(...asked),
    patchAnnotation: async (...asked) => refusal ?? bare.patchAnnotation(...asked),
    deleteFailedPods: async (...asked) => refusal ?? bare.deleteFailedPods(...asked),
    list: async (since, ...asked) => {
      if (refusal !== undefined) return refusal;
      const list = await bare.list(since !== undefined && tooOld.has(since) ? undefined : since, ...asked);
      if (list.kind === "workloads") listed.add(list.position);
      return list;
    },
    patch: async (patch, ...asked) => {
      const isLate = patch.sendBy !== undefined && options.clock.now() > patch.sendBy;
      if (isLate) return { kind: "read-again" };
      if (refusal !== undefined) return refusal;
      const fault = outcomes.shift();
      if (fault !== undefined && !fault.landed) return fault.outcome;
      const outcome = await bare.patch(patch, ...asked);
      return fault?.outcome ?? outcome;
    },
    unreachable: (away) => {
      refusal = away ? { kind: "unreachable", detail: `no connection to ${options.name}` } : undefined;
    },
    deny: (denied) => {
      refusal = denied ? { kind: "denied", detail: `403 Forbidden from ${options.name}` } : undefined;
    },
    failNext: (outcome, landed = false) => void outcomes.push({ outcome, landed }),
    forget: () => {
      tooOld = new Set(listed);
      bare.objects.nextVersion();
    },
  };
}

/** Returns the acts of people on the objects of a simulated cluster. */
function clusterHands(cluster: string, objects: ClusterObjects): ClusterHands {
  const full = ({ namespace, kind, name }: LocalName): WorkloadName => ({ cluster, namespace, kind, name });
  const known = (name: LocalName): StoredWorkload => {
    const stored = objects.find(full(name));
    if (stored === undefined) {
      throw new RangeError(`no ${name.kind} ${name.name} in namespace ${name.namespace} of ${cluster}`);
    }
    return stored;
  };
  const write: Write = (name, manager, what, change) => objects.write(known(name), { manager, what }, change);
  return {
    ...specHands(write),
    ...podHands(objects, known),
    history: objects.history,
    undo: (name) => undone(objects, known(name)),
    annotate: (name, changes) =>
      write(name, "kubectl-annotate", "annotate", (content) => ({
        ...content,
        annotations: withKeys(content.annotations, changes),
      })),
    label: (name, changes) =>
      write(name, "kubectl-label", "label", (content) => ({ ...content, labels: withKeys(content.labels, changes) })),
    remove: (name) => objects.remove(full(name)),
    object: (name) => {
      const stored = objects.find(full(name));
      return stored && manifestOf(stored);
    },
  };
}

type Write = (name: LocalName, manager: string, what: string, change: (content: Content) => Content) => void;

function specHands(
  write: Write,
): Pick<ClusterHands, "setImage" | "restart" | "scale" | "pause" | "resume" | "suspend"> {
  const spec = (name: LocalName, manager: string, what: string, part: Partial<Content["spec"]>): void =>
    write(name, manager, what, (content) => ({ ...content, spec: { ...content.spec, ...part } }));
  return {
    setImage: (name, container, image, manager = "kubectl-set") =>
      write(name, manager, `set image ${container}=${image}`, (content) => imageSet(content, container, image)),
    restart: (name, at) => write(name, "kubectl-rollout", "restart", (content) => restarted(content, at)),
    scale: (name, replicas) => spec(name, "kubectl", `scale to ${String(replicas)}`, { replicas }),
    pause: (name) => spec(name, "kubectl-rollout", "pause", { paused: true }),
    resume: (name) => spec(name, "kubectl-rollout", "resume", { paused: false }),
    suspend: (name, suspended) =>
      spec(name, "kubectl-patch", suspended ? "suspend" : "unsuspend", { suspend: suspended }),
  };
}

function podHands(
  objects: ClusterObjects,
  known: (name: LocalName) => StoredWorkload,
): Pick<ClusterHands, "runJob" | "deletePods" | "crash"> {
  return {
    runJob: (name) => {
      const stored = known(name);
      makeJob(stored, objects.now(), objects.rules);
      objects.notify(stored.workload);
    },
    deletePods: (name) => {
      const stored = known(name);
      const names = stored.pods.map((pod) => pod.name);
      objects.deletePods(stored, names);
    },
    crash: (name) => {
      const stored = known(name);
      for (const pod of stored.pods.filter(({ readyAt }) => readyAt <= objects.now())) {
        pod.restarts += 1;
        pod.readyAt = objects.now() + objects.rules.startupMs;
      }
      objects.notify(stored.workload);
    },
  };
}

function imageSet(content: Content, name: string, image: string): Content {
  const template = templateOf(content.spec);
  const container = containersOf(template).find((one) => one.name === name);
  if (container === undefined) throw new RangeError(`no container ${name}`);
  return { ...content, spec: withTemplate(content.spec, withImage(template, container.list, container.index, image)) };
}

function restarted(content: Content, at: string): Content {
  return { ...content, spec: withTemplate(content.spec, withRestart(templateOf(content.spec), at)) };
}

/** Restores the previous revision, with a Deployment's annotations of that revision. */
function undone(objects: ClusterObjects, stored: StoredWorkload): void {
  const previous = stored.revisions.at(-2);
  if (previous === undefined) throw new RangeError(`no rollout history of ${stored.workload.name}`);
  objects.write(stored, { manager: "kubectl", what: "undo" }, (content) => ({
    ...content,
    annotations: stored.workload.kind === "Deployment" ? previous.annotations : content.annotations,
    spec: withTemplate(content.spec, previous.template),
  }));
}

function manifestOf(stored: StoredWorkload): NonNullable<ReturnType<ClusterHands["object"]>> {
  const { labels, annotations, ownerReferences, spec } = stored.content;
  const { namespace, kind, name } = stored.workload;
  return structuredClone({
    kind,
    metadata: {
      name,
      namespace,
      uid: stored.uid,
      generation: stored.generation,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(ownerReferences.length > 0 && { ownerReferences }),
    },
    spec,
  });
}
