import type { ClusterRefusal } from "#ports/cluster";
import type { Connection } from "./connection.ts";
import { podsOfDaemonSet } from "./daemon-set-health.ts";
import { podsOfReplicaSet, presentReplicaSet } from "./deployment-health.ts";
import type {
  ControllerRevision,
  CoreEvent,
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  LabelSelector,
  ObjectMeta,
  Pod,
  ReplicaSet,
  StatefulSet,
} from "./objects.ts";
import { type Collection, readAll } from "./reader.ts";
import { selectorText } from "./selector.ts";
import { podsOfStatefulSet } from "./stateful-set-health.ts";

/** Pods of a workload; `mine` are those of its present revision. */
interface PodsRead {
  readonly kind: "pods";
  readonly mine: readonly Pod[];
  readonly pods: readonly Pod[];
}

/** Reads the ReplicaSet of a Deployment's present revision and its pods: no other revision's, however many there are. */
export async function deploymentPods(
  api: Connection,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<(PodsRead & { readonly replicaSet: ReplicaSet | undefined }) | ClusterRefusal> {
  const { namespace = "" } = deployment.metadata;
  const { selector } = deployment.spec;
  const sets = whole(
    await readAll<ReplicaSet>(api, "ReplicaSet", { namespace, labelSelector: selectorText(selector) }, signal),
  );
  if (sets.kind !== "all") return sets;
  const replicaSet = presentReplicaSet(deployment, sets.items);
  if (replicaSet === undefined) return { kind: "pods", mine: [], pods: [], replicaSet };
  const hash = replicaSet.metadata.labels?.["pod-template-hash"];
  const read = await selectedPods(
    api,
    deployment.metadata,
    selector,
    signal,
    hash === undefined ? {} : { "pod-template-hash": hash },
  );
  return read.kind === "all"
    ? { kind: "pods", mine: podsOfReplicaSet(replicaSet, read.items), pods: read.items, replicaSet }
    : read;
}

/** Reads the pods of a StatefulSet. */
export async function setPods(
  api: Connection,
  set: StatefulSet,
  signal: AbortSignal,
): Promise<PodsRead | ClusterRefusal> {
  const read = await selectedPods(api, set.metadata, set.spec.selector, signal);
  return read.kind === "all" ? { kind: "pods", mine: podsOfStatefulSet(set, read.items), pods: read.items } : read;
}

/** Reads the pods of a DaemonSet. */
export async function daemonSetPods(
  api: Connection,
  set: DaemonSet,
  signal: AbortSignal,
): Promise<PodsRead | ClusterRefusal> {
  const { namespace = "" } = set.metadata;
  const labelSelector = selectorText(set.spec.selector);
  const [revisions, read] = await Promise.all([
    readAll<ControllerRevision>(api, "ControllerRevision", { namespace, labelSelector }, signal).then(whole),
    selectedPods(api, set.metadata, set.spec.selector, signal),
  ]);
  if (revisions.kind !== "all") return revisions;
  return read.kind === "all"
    ? { kind: "pods", mine: podsOfDaemonSet(set, revisions.items, read.items), pods: read.items }
    : read;
}

/** Reads the Jobs of a CronJob's namespace: Jobs carry no label that tells whose they are. */
export async function jobsOf(api: Connection, cronJob: CronJob, signal: AbortSignal): Promise<Whole<Job>> {
  return whole(await readAll<Job>(api, "Job", { namespace: cronJob.metadata.namespace ?? "" }, signal));
}

/** Reads the pods of a Job. */
export async function jobPods(api: Connection, job: Job, signal: AbortSignal): Promise<PodsRead | ClusterRefusal> {
  const read = await selectedPods(api, job.metadata, job.spec.selector ?? {}, signal);
  return read.kind === "all" ? { kind: "pods", mine: read.items, pods: read.items } : read;
}

/** Reads the warnings about one object; the server keeps them for an hour. */
export async function warningsAbout(
  api: Connection,
  object: { readonly metadata: ObjectMeta },
  signal: AbortSignal,
): Promise<Whole<CoreEvent>> {
  const { namespace = "", uid } = object.metadata;
  const fieldSelector = `involvedObject.uid=${uid},type=Warning`;
  return whole(await readAll<CoreEvent>(api, "Event", { namespace, fieldSelector }, signal));
}

async function selectedPods(
  api: Connection,
  metadata: ObjectMeta,
  selector: LabelSelector,
  signal: AbortSignal,
  more: Readonly<Record<string, string>> = {},
): Promise<Whole<Pod>> {
  const { namespace = "" } = metadata;
  return whole(await readAll<Pod>(api, "Pod", { namespace, labelSelector: selectorText(selector, more) }, signal));
}

type Whole<Item> = Exclude<Collection<Item>, { kind: "expired" }>;

/** Lists this short do not outlive the server's memory; one that does is asked for again by whoever asks again. */
function whole<Item>(read: Collection<Item>): Whole<Item> {
  return read.kind === "expired"
    ? { kind: "unreachable", detail: "a list took longer than the server remembers (410)" }
    : read;
}
