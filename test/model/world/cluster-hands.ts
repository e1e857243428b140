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

/** A workload of this cluster; the cluster's name may be left out. */
type LocalName = Omit<WorkloadName, "cluster"> & { readonly cluster?: string };

/** What people and other programs do to a cluster. All throw RangeError for a workload that is not there. */
interface ClusterHands {
  /** As `kubectl set image`. Throws RangeError for a container that is not there. */
  setImage(name: LocalName, container: string, image: string, manager?: string): void;
  /** As `kubectl rollout undo`: the template before, and for a Deployment the annotations of that time; labels stay. */
  undo(name: LocalName): void;
  /** As `kubectl rollout restart`. */
  restart(name: LocalName, at: string): void;
  /** As `kubectl annotate`; undefined removes the key. */
  annotate(name: LocalName, annotations: Readonly<Record<string, string | undefined>>): void;
  /** As `kubectl label`; undefined removes the key. */
  label(name: LocalName, labels: Readonly<Record<string, string | undefined>>): void;
  scale(name: LocalName, replicas: number): void;
  pause(name: LocalName): void;
  resume(name: LocalName): void;
  /** Stops a CronJob from making Jobs, or lets it. */
  suspend(name: LocalName, suspended: boolean): void;
  remove(name: LocalName): void;
  /** Makes a CronJob's next Job now. */
  runJob(name: LocalName): void;
  /** Deletes all pods of a workload, as a person does for OnDelete. */
  deletePods(name: LocalName): void;
  /** Lets each running pod of a workload fail once and start again. */
  crash(name: LocalName): void;
  /** The object as a manifest with its uid, generation and version; undefined when it is not there. */
  object(
    name: LocalName,
  ): (Manifest & { readonly metadata: { readonly uid: string; readonly generation: number } }) | undefined;
  /** All writes, oldest first. */
  readonly history: readonly ClusterWrite[];
}

/** A simulated cluster, with what people do to it and what may go wrong with it. */
export interface MemoryCluster extends BareCluster, ClusterHands {
  /** True: nothing is answered any more. */
  unreachable(away: boolean): void;
  /** True: everything is answered with 403. */
  deny(denied: boolean): void;
  /** Answers the next patch like this. `landed`: it is written all the same, as when an answer is lost. */
  failNext(outcome: Exclude<PatchOutcome, { kind: "written" }>, landed?: boolean): void;
  /** Forgets what changed up to now: positions of earlier lists are too old. */
  forget(): void;
}

/** Simulates a cluster that tests lay hands on, and whose answers they spoil. */
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

/** Lays hands on the objects of a simulated cluster. */
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

/** The revision before the present one comes back, with the annotations that a Deployment had then. */
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
