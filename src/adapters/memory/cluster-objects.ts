import type { Clock } from "#ports/clock";
import type { FieldOwner, WorkloadName } from "#domain/workload/workload";
import { workloadKey } from "#domain/workload/workload";
import { type Content, templateOf } from "./cluster-manifest.ts";
import { advance, presentRevision } from "./cluster-rollout.ts";
import { containersOf, type PodRules, type StoredWorkload, uidOf } from "./cluster-state.ts";

/** A write in a simulated cluster. */
export interface ClusterWrite {
  readonly at: number;
  readonly workload: WorkloadName;
  /** The writer's field manager. */
  readonly manager: string;
  readonly what: string;
  readonly generation: number;
  /** The images after the write, in the order of the containers. */
  readonly images: readonly string[];
}

/** The author of a write, and the description of the write in the history. */
export interface Writer {
  readonly manager: string;
  readonly operation?: FieldOwner["operation"];
  readonly what: string;
}

/** A deletion that lists report. */
export interface Deletion {
  readonly workload: WorkloadName;
  readonly version: number;
}

/** The objects of a simulated cluster, and the only way to change them. */
export interface ClusterObjects {
  readonly rules: PodRules;
  readonly history: readonly ClusterWrite[];
  readonly deletions: readonly Deletion[];
  now(): number;
  /** The cluster's version, which rises with each write and each deletion. */
  version(): number;
  /** Raises the version without a write. */
  nextVersion(): number;
  /** All objects, with their pods moved to the present instant. */
  all(): readonly StoredWorkload[];
  find(workload: WorkloadName): StoredWorkload | undefined;
  create(workload: WorkloadName, content: Content, writer: Writer): void;
  /** Changes an object. As in the API server, a write without a change has no effect. */
  write(stored: StoredWorkload, writer: Writer, change: (content: Content) => Content): void;
  remove(workload: WorkloadName): void;
  /** Deletes pods. The controllers create new pods immediately. */
  deletePods(stored: StoredWorkload, names: readonly string[]): void;
  notify(workload: WorkloadName): void;
}

interface State {
  readonly name: string;
  readonly clock: Clock;
  readonly rules: PodRules;
  readonly notify: (workload: WorkloadName) => void;
  readonly objects: Map<string, StoredWorkload>;
  readonly history: ClusterWrite[];
  readonly deletions: Deletion[];
  version: number;
}

/** Returns an empty cluster that calls `notify` for every changed object. */
export function clusterObjects(
  name: string,
  clock: Clock,
  rules: PodRules,
  notify: (workload: WorkloadName) => void,
): ClusterObjects {
  const state: State = { name, clock, rules, notify, objects: new Map(), history: [], deletions: [], version: 0 };
  return {
    rules,
    notify,
    history: state.history,
    deletions: state.deletions,
    now: () => clock.now(),
    version: () => state.version,
    nextVersion: () => (state.version += 1),
    all: () => [...state.objects.values()].map((stored) => moved(stored, clock.now(), rules)),
    find: (workload) => {
      const stored = state.objects.get(workloadKey(workload));
      return stored && moved(stored, clock.now(), rules);
    },
    create: (workload, content, writer) => create(state, workload, content, writer),
    write: (stored, writer, change) => write(state, stored, writer, change),
    remove: (workload) => {
      if (!state.objects.delete(workloadKey(workload))) return;
      state.version += 1;
      state.deletions.push({ workload, version: state.version });
      notify(workload);
    },
    deletePods: (stored, names) => {
      stored.pods = stored.pods.filter((pod) => !names.includes(pod.name));
      stored.since = clock.now();
      moved(stored, clock.now(), rules);
      notify(stored.workload);
    },
  };
}

function create(state: State, workload: WorkloadName, content: Content, writer: Writer): void {
  const now = state.clock.now();
  state.version += 1;
  const stored = emptyWorkload(workload, uidOf(state.name, String(state.version)), content, now);
  own(stored, undefined, writer, now);
  stored.version = state.version;
  state.objects.set(workloadKey(workload), moved(stored, now, state.rules));
  remember(state, stored, writer);
}

function write(state: State, stored: StoredWorkload, writer: Writer, change: (content: Content) => Content): void {
  const before = stored.content;
  const after = change(before);
  if (JSON.stringify(after) === JSON.stringify(before)) return;
  const now = state.clock.now();
  state.version += 1;
  follow(stored, before, after, now);
  own(stored, before, writer, now);
  stored.version = state.version;
  moved(stored, now, state.rules);
  remember(state, stored, writer);
}

function remember(state: State, stored: StoredWorkload, writer: Writer): void {
  const { workload, generation, content } = stored;
  const images = containersOf(templateOf(content.spec)).map(({ image }) => image);
  const at = state.clock.now();
  state.history.push({ at, workload, manager: writer.manager, what: writer.what, generation, images });
  state.notify(workload);
}

function moved(stored: StoredWorkload, now: number, rules: PodRules): StoredWorkload {
  advance(stored, now, rules);
  return stored;
}

function emptyWorkload(workload: WorkloadName, uid: string, content: Content, now: number): StoredWorkload {
  return {
    workload,
    uid,
    generation: 1,
    version: 0,
    content,
    owners: {},
    lastWriter: undefined,
    revisions: [],
    pods: [],
    jobs: [],
    since: now,
    jobsUntil: now,
    counter: 0,
  };
}

/**
 * Stores new content and its generation. A change of annotations raises the generation of a
 * Deployment, but not of other workloads.
 */
function follow(stored: StoredWorkload, before: Content, after: Content, now: number): void {
  const differs = (part: (content: Content) => unknown): boolean =>
    JSON.stringify(part(before)) !== JSON.stringify(part(after));
  const specChanged = differs(({ spec }) => spec);
  const annotated = stored.workload.kind === "Deployment" && differs(({ annotations }) => annotations);
  if (specChanged || annotated) stored.generation += 1;
  if (specChanged) stored.since = now;
  stored.content = after;
  const present = presentRevision(stored);
  if (annotated && present !== undefined) present.annotations = after.annotations;
}

/**
 * Stores the owners of changed images. The manager that changes a container's image owns that
 * field.
 */
function own(stored: StoredWorkload, before: Content | undefined, writer: Writer, now: number): void {
  const { manager, operation = "Update" } = writer;
  const old = before && templateOf(before.spec);
  const template = templateOf(stored.content.spec);
  const images = new Map(old && containersOf(old).map((container) => [container.name, container.image]));
  const changed = containersOf(template).filter(({ name, image }) => images.get(name) !== image);
  stored.owners = {
    ...stored.owners,
    ...Object.fromEntries(changed.map(({ name }) => [name, { manager, operation }])),
  };
  const restarted = JSON.stringify(old?.metadata?.annotations) !== JSON.stringify(template.metadata?.annotations);
  if (changed.length > 0 || restarted) stored.lastWriter = { manager, at: now };
}
