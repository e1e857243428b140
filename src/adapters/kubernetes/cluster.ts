import type { Cluster, ClusterRefusal, PatchOutcome, PodsDeleted, WorkloadLists } from "#ports/cluster";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { rolloutStyleOf } from "#domain/workload/kinds";
import type { AnnotationPatch, WorkloadPatch } from "#domain/workload/patch";
import { fieldManager, type LiveWorkload, type WorkloadName } from "#domain/workload/workload";
import type { Connection } from "./connection.ts";
import { listDefinitions, patchStatus } from "./definitions.ts";
import { deletePods } from "./delete-pods.ts";
import { annotationPatch, jsonPatch } from "./json-patch.ts";
import { listKind, type ListScope, listWorkloads } from "./list.ts";
import { isMissing } from "./installed.ts";
import { type ReadKind, readKinds } from "./kinds/index.ts";
import { liveWorkload } from "./live-workload.ts";
import { isAllowed, type NamespaceRules } from "./namespaces.ts";
import { listNodes } from "./nodes.ts";
import type { ObjectMeta, WorkloadObject } from "./objects.ts";
import { isGone, isWorkloadObject, patchOutcome, refusal } from "./outcome.ts";
import { isLeaving } from "./pods.ts";
import { missingRights } from "./rights.ts";
import { runningImages } from "./running-images.ts";
import { watchWorkloads } from "./watch.ts";

/** The options of a Kubernetes cluster. */
export interface KubernetesClusterOptions {
  /** The cluster's name in `lookout.yaml`. */
  readonly name: string;
  readonly api: Connection;
  readonly namespaces?: NamespaceRules;
  /** The kinds of other operators in `lookout.yaml`. */
  readonly kinds?: readonly CustomKindSpec[];
}

/**
 * Returns the Cluster port of a Kubernetes cluster. Its `close` ends the connections. The port
 * never lists or hints objects in a namespace that is not allowed. It denies reads of these objects
 * without a request.
 */
export function kubernetesCluster({
  name,
  api,
  namespaces = {},
  kinds: custom = [],
}: KubernetesClusterOptions): Cluster & WorkloadLists & { close(): Promise<void> } {
  const kinds = readKinds(custom);
  const scope: ListScope = { cluster: name, kinds, allows: (namespace) => isAllowed(namespaces, namespace) };
  const read: ReadAllowed = async (workload, signal) => {
    const row = kinds.get(workload.kind);
    // A kind that lookout.yaml names no longer has no workloads.
    return row === undefined
      ? { kind: "gone" }
      : (notAllowed(scope, workload) ?? readObject(api, row, workload, signal));
  };
  return {
    identity: (signal) => identity(api, signal),
    rights: (signal) => missingRights(api, custom, signal),
    list: (since, signal) => listWorkloads(api, scope, since, signal),
    listKind: (kind, namespace, signal) => listKind(api, scope, kind, namespace, signal),
    nodes: (asked, signal) => listNodes(api, asked, signal),
    definitions: (absent, signal) => listDefinitions(api, scope.allows, absent, signal),
    patchStatus: (patch, signal) => patchStatus(api, patch, signal),
    read: async (workload, signal) => {
      const found = await read(workload, signal);
      return found.kind === "found" ? { kind: "found", live: found.live } : found;
    },
    runningImages: (live, signal) => readRunningImages(api, read, live, signal),
    patch: async (patch, signal) => {
      const row = kinds.get(patch.workload.kind);
      if (row === undefined) return { kind: "gone" };
      return notAllowed(scope, patch.workload) ?? sendPatch(api, row, patch, signal);
    },
    patchAnnotation: async (patch, signal) => {
      const row = kinds.get(patch.workload.kind);
      if (row === undefined) return { kind: "gone" };
      return notAllowed(scope, patch.workload) ?? sendAnnotation(api, row, patch, signal);
    },
    health: async (workload, since, signal) => {
      const found = await read(workload, signal);
      return found.kind === "found" ? found.row.health(api, found.live, found.object, since, signal) : found;
    },
    deleteFailedPods: (workload, images, signal) => deleteFailed(api, read, workload, images, signal),
    watch: (onHint, signal) => watchWorkloads(api, scope, onHint, signal),
    close: () => api.close(),
  };
}

type ObjectRead =
  | {
      readonly kind: "found";
      readonly row: ReadKind;
      readonly object: WorkloadObject;
      readonly live: LiveWorkload;
    }
  | { readonly kind: "gone" }
  | ClusterRefusal;

type ReadAllowed = (workload: WorkloadName, signal: AbortSignal) => Promise<ObjectRead>;

/** Reads an object. The result is `gone` also for an object that is being deleted. */
async function readObject(
  api: Connection,
  row: ReadKind,
  workload: WorkloadName,
  signal: AbortSignal,
): Promise<ObjectRead> {
  const { namespace, name } = workload;
  const answer = await api.send((apis) => row.read(apis, { namespace, name }), signal);
  if (isGone(answer)) return { kind: "gone" };
  if (answer.kind === "answered" && answer.status === 200 && isWorkloadObject(answer.body)) {
    const object = answer.body;
    if (isLeaving(object)) return { kind: "gone" };
    return { kind: "found", row, object, live: liveWorkload(row, workload, object) };
  }
  if (answer.kind === "answered" && (await isMissing(api, row, signal))) return { kind: "gone" };
  return refusal(answer, `get ${row.plural}`, api.host);
}

async function sendPatch(
  api: Connection,
  row: ReadKind,
  patch: WorkloadPatch,
  signal: AbortSignal,
): Promise<PatchOutcome> {
  const { sendBy, workload } = patch;
  // The process's own clock set `sendBy`, so the same clock decides here.
  const late = (): boolean => sendBy !== undefined && Date.now() > sendBy;
  const { namespace, name } = workload;
  const asked = { namespace, name, body: jsonPatch(row.places, patch), fieldManager };
  const answer = await api.send((apis) => row.patch(apis, asked), signal, { late });
  if (answer.kind === "not-sent" && late()) return { kind: "read-again" };
  return patchOutcome(answer, (object) => liveWorkload(row, workload, object), api.host);
}

async function sendAnnotation(
  api: Connection,
  row: ReadKind,
  patch: AnnotationPatch,
  signal: AbortSignal,
): Promise<PatchOutcome> {
  const { namespace, name } = patch.workload;
  const asked = { namespace, name, body: annotationPatch(patch), fieldManager };
  const answer = await api.send((apis) => row.patch(apis, asked), signal);
  return patchOutcome(answer, (object) => liveWorkload(row, patch.workload, object), api.host);
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
  const { uid, generation } = found.live;
  if (uid !== live.uid || generation !== live.generation) return { kind: "running", images: {} };
  const pods = await found.row.presentPods(api, found.object, signal);
  return pods.kind === "pods" ? { kind: "running", images: runningImages(live, pods.mine) } : pods;
}

async function deleteFailed(
  api: Connection,
  read: ReadAllowed,
  workload: WorkloadName,
  images: readonly string[],
  signal: AbortSignal,
): Promise<PodsDeleted> {
  if (rolloutStyleOf(workload.kind) !== "in-order") return { kind: "deleted", pods: 0 };
  const found = await read(workload, signal);
  if (found.kind === "gone") return { kind: "deleted", pods: 0 };
  if (found.kind !== "found") return found;
  const failed = await found.row.failedPods?.(api, found.object, images, signal);
  if (failed === undefined) return { kind: "deleted", pods: 0 };
  return failed.kind === "pods" ? deletePods(api, failed.pods, signal) : failed;
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
    detail: `lookout.yaml does not allow the namespace ${workload.namespace} in the cluster ${scope.cluster}`,
  };
}
