import type { Manifest, ManifestTemplate } from "#adapters/memory/cluster-manifest";
import type { Health } from "#domain/workload/health";
import type { WorkloadPatch } from "#domain/workload/patch";
import type { WorkloadKind } from "#domain/workload/kinds";
import { updateLabelKey, type LiveWorkload, type WorkloadName } from "#domain/workload/workload";
import type { Cluster, WorkloadLists } from "#ports/cluster";

/** The part of an object that people write. */
export interface RawObject {
  readonly generation: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

/**
 * A cluster under test, and the hands of its people.
 *
 * In an image, the word `broken` stands for one that can't be pulled, `crash` for one that exits at once and `slow` for one that takes its time.
 */
export interface ClusterBed {
  readonly cluster: Cluster & WorkloadLists;
  readonly name: string;
  apply(manifest: Manifest): Promise<void>;
  setImage(workload: WorkloadName, container: string, image: string): Promise<void>;
  undo(workload: WorkloadName): Promise<void>;
  annotate(workload: WorkloadName, annotations: Readonly<Record<string, string>>): Promise<void>;
  label(workload: WorkloadName, labels: Readonly<Record<string, string>>): Promise<void>;
  resume(workload: WorkloadName): Promise<void>;
  remove(workload: WorkloadName): Promise<void>;
  runJob(workload: WorkloadName): Promise<void>;
  deletePods(workload: WorkloadName): Promise<void>;
  raw(workload: WorkloadName): Promise<RawObject>;
  /** The present instant by the cluster's clock, in epoch milliseconds. */
  now(): number;
  /** Lets some time pass. */
  pass(): Promise<void>;
  /** Makes positions of earlier lists too old. */
  forget(): Promise<void>;
}

export const signal: AbortSignal = new AbortController().signal;

/** Asks for the health of a workload until it is of a kind. */
export async function untilHealth<Kind extends Health["kind"]>(
  bed: ClusterBed,
  workload: WorkloadName,
  kind: Kind,
  since: number | "latest" = 0,
): Promise<Extract<Health, { kind: Kind }>> {
  let last: unknown;
  for (let look = 0; look < 150; look += 1) {
    const health = await bed.cluster.health(workload, since, signal);
    if (health.kind === kind) return health as Extract<Health, { kind: Kind }>;
    last = health;
    await bed.pass();
  }
  throw new Error(`${workload.kind} ${workload.name} is never ${kind}: ${JSON.stringify(last)}`);
}

/** Reads a workload that is there. */
export async function readLive(bed: ClusterBed, workload: WorkloadName): Promise<LiveWorkload> {
  const read = await bed.cluster.read(workload, signal);
  if (read.kind !== "found") throw new Error(`${workload.name}: ${JSON.stringify(read)}`);
  return read.live;
}

/** Derives a patch from a read, as the roll-out does. */
export function patchOf(
  live: LiveWorkload,
  images: Readonly<Record<string, string>>,
  updateLabel: string,
  more: Partial<WorkloadPatch> = {},
): WorkloadPatch {
  return {
    workload: live.workload,
    uid: live.uid,
    generation: live.generation,
    existingMaps: live.existingMaps,
    images: live.containers.flatMap(({ list, index, name, image }) => {
      const to = images[name];
      return to === undefined ? [] : [{ list, index, name, from: image, to }];
    }),
    updateLabel: { from: live.labels[updateLabelKey], to: updateLabel },
    annotations: {},
    ...more,
  };
}

/** Writes an image to the container `app` and fails when that does not succeed. */
export async function update(
  bed: ClusterBed,
  workload: WorkloadName,
  image: string,
  updateLabel: string,
): Promise<LiveWorkload> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const outcome = await bed.cluster.patch(
      patchOf(await readLive(bed, workload), { app: image }, updateLabel),
      signal,
    );
    if (outcome.kind === "written") return outcome.live;
    if (outcome.kind !== "read-again") throw new Error(JSON.stringify(outcome));
  }
  throw new Error(`${workload.name} was never written`);
}

let counter = 0;

interface Wishes {
  readonly spec?: Manifest["spec"];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** More of the pod template. */
  readonly template?: { readonly annotations?: Readonly<Record<string, string>> };
  readonly containers?: readonly { readonly name: string; readonly image: string }[];
  readonly initContainers?: readonly { readonly name: string; readonly image: string }[];
  readonly volumes?: NonNullable<ManifestTemplate["spec"]["volumes"]>;
}

/**
 * Applies a workload of which nobody has heard before, with the container `app` and two pods, and
 * answers its name.
 */
export async function make(
  bed: ClusterBed,
  kind: WorkloadKind,
  image: string,
  desiredImages: Wishes = {},
): Promise<WorkloadName> {
  counter += 1;
  const workload = { cluster: bed.name, namespace: "default", kind, name: `app-${String(counter)}` };
  const { spec = {}, labels, annotations, template = {}, containers = [], initContainers, volumes } = desiredImages;
  const podLabels = { app: workload.name };
  const pod = {
    containers: [{ name: "app", image }, ...containers],
    ...(initContainers && { initContainers }),
    ...(volumes && { volumes }),
  };
  const podTemplate = { metadata: { labels: podLabels, ...template }, spec: pod };
  const cronTemplate = { metadata: template, spec: { ...pod, restartPolicy: "OnFailure" } };
  const own =
    kind === "CronJob"
      ? { schedule: "0 0 29 2 *", jobTemplate: { spec: { template: cronTemplate } } }
      : {
          selector: { matchLabels: podLabels },
          template: podTemplate,
          ...(kind === "DaemonSet" ? {} : { replicas: 2 }),
        };
  const metadata = {
    name: workload.name,
    namespace: "default",
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
  await bed.apply({
    kind,
    metadata,
    spec: { ...own, ...(kind === "StatefulSet" && { serviceName: "none" }), ...spec },
  });
  return workload;
}
