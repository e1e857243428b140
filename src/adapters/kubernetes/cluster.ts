import type { Cluster, ClusterRefusal, PatchOutcome, PodsDeleted } from "#ports/cluster";
import type { WorkloadPatch } from "#domain/workload/patch";
import type { LiveWorkload, WorkloadName } from "#domain/workload/workload";
import type { Connection } from "./connection.ts";
import { deletePods, failedPods } from "./failed-pods.ts";
import { jsonPatch } from "./json-patch.ts";
import { type ListScope, listWorkloads } from "./list.ts";
import { liveWorkload } from "./live-workload.ts";
import { isAllowed, type NamespaceRules } from "./namespaces.ts";
import type { ObjectMeta, StatefulSet } from "./objects.ts";
import { patchOutcome, refusal } from "./outcome.ts";
import { type ObjectRead, readObject } from "./reader.ts";
import { patchCall } from "./resources.ts";
import { missingRights } from "./rights.ts";
import { setPods } from "./revision-pods.ts";
import { rolloutHealth } from "./rollout-health.ts";
import { presentPods, runningImages } from "./running-images.ts";
import { watchWorkloads } from "./watch.ts";

/** A cluster, and where to look in it. */
export interface KubernetesClusterOptions {
  /** The owner's word for it. */
  readonly name: string;
  /** The way to its API server. */
  readonly api: Connection;
  readonly namespaces?: NamespaceRules;
}

/**
 * Reaches a Kubernetes cluster through its API server; `close` ends the connections.
 *
 * Objects of a namespace that the rules leave out are never listed or hinted; asking for one is denied without a request.
 */
export function kubernetesCluster({
  name,
  api,
  namespaces = {},
}: KubernetesClusterOptions): Cluster & { close(): Promise<void> } {
  const scope: ListScope = { cluster: name, allows: (namespace) => isAllowed(namespaces, namespace) };
  const read: ReadAllowed = async (workload, signal) =>
    notAllowed(scope, workload) ?? readObject(api, workload, signal);
  return {
    identity: (signal) => identity(api, signal),
    rights: (signal) => missingRights(api, signal),
    list: (since, signal) => listWorkloads(api, scope, since, signal),
    read: async (workload, signal) => {
      const found = await read(workload, signal);
      return found.kind === "found" ? { kind: "found", live: liveWorkload(workload, found.object) } : found;
    },
    runningImages: (live, signal) => readRunningImages(api, read, live, signal),
    patch: async (patch, signal) => notAllowed(scope, patch.workload) ?? sendPatch(api, patch, signal),
    health: async (workload, since, signal) => {
      const found = await read(workload, signal);
      if (found.kind !== "found") return found;
      return rolloutHealth(api, liveWorkload(workload, found.object), found.object, since, signal);
    },
    deleteFailedPods: (workload, images, signal) => deleteFailed(api, read, workload, images, signal),
    watch: (onHint, signal) => watchWorkloads(api, scope, onHint, signal),
    close: () => api.close(),
  };
}

type ReadAllowed = (workload: WorkloadName, signal: AbortSignal) => Promise<ObjectRead>;

async function sendPatch(api: Connection, patch: WorkloadPatch, signal: AbortSignal): Promise<PatchOutcome> {
  const { sendBy } = patch;
  const late = (): boolean => sendBy !== undefined && Date.now() > sendBy;
  const answer = await api.send(patchCall(patch.workload, jsonPatch(patch)), signal, { late });
  if (answer.kind === "not-sent" && late()) return { kind: "read-again" };
  return patchOutcome(answer, patch.workload, api.host);
}

async function readRunningImages(
  api: Connection,
  read: ReadAllowed,
  live: LiveWorkload,
  signal: AbortSignal,
): ReturnType<Cluster["runningImages"]> {
  const found = await read(live.workload, signal);
  if (found.kind === "gone") return { kind: "running", images: {} };
  if (found.kind !== "found") return found;
  const { uid, generation } = liveWorkload(live.workload, found.object);
  if (uid !== live.uid || generation !== live.generation) return { kind: "running", images: {} };
  const pods = await presentPods(api, live, found.object, signal);
  return pods.kind === "pods" ? { kind: "running", images: runningImages(live, pods.mine) } : pods;
}

async function deleteFailed(
  api: Connection,
  read: ReadAllowed,
  workload: WorkloadName,
  images: readonly string[],
  signal: AbortSignal,
): Promise<PodsDeleted> {
  if (workload.kind !== "StatefulSet") return { kind: "deleted", pods: 0 };
  const found = await read(workload, signal);
  if (found.kind === "gone") return { kind: "deleted", pods: 0 };
  if (found.kind !== "found") return found;
  const set = found.object as StatefulSet;
  const pods = await setPods(api, set, signal);
  return pods.kind === "pods" ? deletePods(api, failedPods(set, images, pods.pods), signal) : pods;
}

async function identity(
  api: Connection,
  signal: AbortSignal,
): Promise<{ readonly kind: "identity"; readonly uid: string } | ClusterRefusal> {
  const answer = await api.send(({ core }) => core.readNamespaceWithHttpInfo({ name: "kube-system" }), signal);
  const body = answer.kind === "answered" && answer.status === 200 ? answer.body : undefined;
  const { metadata } = (body ?? {}) as { readonly metadata?: ObjectMeta };
  return metadata?.uid === undefined
    ? refusal(answer, "get the namespace kube-system", api.host)
    : { kind: "identity", uid: metadata.uid };
}

function notAllowed(scope: ListScope, workload: WorkloadName): ClusterRefusal | undefined {
  if (scope.allows(workload.namespace)) return undefined;
  return {
    kind: "denied",
    detail: `the namespace ${workload.namespace} is not one that Lookout may look at in ${scope.cluster}`,
  };
}
