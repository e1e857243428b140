import { isObject, valueAt } from "#domain/shared/json";
import type { CustomKindSpec } from "#domain/workload/custom/kind";
import { problemsOf } from "#domain/settings/object-problems";
import { isPausedBySpec, replicasOf, standingOf } from "#domain/workload/custom/standing";
import type { Health } from "#domain/workload/health";
import { containersAt } from "#domain/workload/image-places";
import { containersOf } from "#domain/workload/pod-template";
import type { LiveWorkload } from "#domain/workload/workload";
import type { ClusterRefusal } from "#ports/cluster";
import { listOf, objectPath } from "../any-resource.ts";
import type { Connection } from "../connection.ts";
import { unscheduled } from "../fault.ts";
import type { LabelSelector, Pod, WorkloadObject } from "../objects.ts";
import { podsOfOwner } from "../owned-pods.ts";
import { isLeaving, summary } from "../pods.ts";
import { readPods } from "../reader.ts";
import { healthOfPods, healthy } from "./judging.ts";
import { noPods, type ObjectKind, type PodsRead } from "./kind.ts";

/** Returns the functions for the objects of another operator. */
export function customObjects(spec: CustomKindSpec): ObjectKind {
  return {
    list: listOf(spec),
    read: ({ any }, named) => any({ method: "GET", path: objectPath(spec, named) }),
    patch: ({ any }, { body, fieldManager, ...named }) =>
      any({
        method: "PATCH",
        path: objectPath(spec, named),
        query: { fieldManager },
        contentType: "application/json-patch+json",
        body: body as object,
      }),
    health: async (api, live, object, _, signal) => {
      const standing = standingOf(spec, object);
      if (standing.kind === "unseen") {
        const detail = `the operator of ${spec.kind} has not observed the change yet`;
        return { kind: "progressing", live, ready: 0, wanted: replicasOf(spec, object) ?? 1, detail };
      }
      if (standing.kind === "failed") return { kind: "failed", live, detail: standing.detail };
      const read = await presentPods(api, spec, object, signal);
      return read.kind === "pods" ? customHealth(spec, live, object, read.mine) : read;
    },
    presentPods: async (api, object, signal) =>
      standingOf(spec, object).kind === "unseen" ? noPods : presentPods(api, spec, object, signal),
    isPaused: (object) => isPausedBySpec(spec, object),
    isUnderway: (object) => ["unseen", "underway"].includes(standingOf(spec, object).kind),
    problems: (object) => problemsOf(spec, object, object.metadata.annotations),
  };
}

/** Returns the health of an observed object that has not failed, from the pods of its revision. */
export function customHealth(
  spec: CustomKindSpec,
  live: LiveWorkload,
  object: WorkloadObject,
  mine: readonly Pod[],
): Health {
  const standing = standingOf(spec, object);
  const replicas = replicasOf(spec, object);
  const known = standing.kind === "ready" ? readyHealth(spec, live, replicas, mine) : undefined;
  if (known !== undefined) return known;
  const wanted = replicas ?? Math.max(1, mine.length);
  const faulty = healthOfPods(live, mine, wanted);
  if (faulty !== undefined) return faulty;
  if (standing.kind === "paused") return { kind: "waiting", live, why: "paused" };
  const pending = mine.length === 0 ? "no pod of the new revision exists yet" : "pods are not ready yet";
  const { ready } = summary(mine);
  return { kind: "progressing", live, ready, wanted, detail: unscheduled(mine) ?? pending };
}

/** Returns the health of a ready object, or undefined if its pods do not prove it. */
function readyHealth(
  { scalesToZero, observedGeneration }: CustomKindSpec,
  live: LiveWorkload,
  replicas: number | undefined,
  mine: readonly Pod[],
): Health | undefined {
  if (replicas === 0 && !scalesToZero) return { kind: "unverifiable", live, why: "nothing-to-run" };
  const { ready, restarts, lastReady } = summary(mine);
  // Without an observed generation, only pods show that the status is about the last change.
  const isProved = observedGeneration !== undefined || ready === mine.length;
  if (!isProved || (mine.length === 0 && !scalesToZero)) return undefined;
  return healthy(live, lastReady, { pods: mine.length, restarts });
}

/** Reads the pods of an object, and which of them are of its present revision. */
async function presentPods(
  api: Connection,
  spec: CustomKindSpec,
  object: WorkloadObject,
  signal: AbortSignal,
): Promise<PodsRead | ClusterRefusal> {
  const read = await allPods(api, spec, object, signal);
  return read.kind === "pods" ? { ...read, mine: ofRevision(spec, object, read.pods) } : read;
}

async function allPods(
  api: Connection,
  { pods }: CustomKindSpec,
  object: WorkloadObject,
  signal: AbortSignal,
): Promise<PodsRead | ClusterRefusal> {
  if (pods.kind === "owner") return podsOfOwner(api, object.metadata, signal);
  const selector = pods.kind === "selector" ? selectorAt(object, pods.path) : labelsOf(object, pods.labels);
  // An empty selector would match all pods of the namespace.
  if (selector === undefined) return noPods;
  const read = await readPods(api, object.metadata, selector, signal);
  return read.kind === "all" ? { kind: "pods", mine: [], pods: read.items } : read;
}

function selectorAt(object: WorkloadObject, path: readonly string[]): LabelSelector | undefined {
  const found = valueAt(object, path);
  if (!isObject(found)) return undefined;
  const { matchLabels, matchExpressions } = found;
  // Some operators have the labels without matchLabels.
  if (matchLabels === undefined && matchExpressions === undefined) return labelSelector(found);
  const labels = matchLabels ?? {};
  const expressions = matchExpressions ?? [];
  if (!isObject(labels) || !Array.isArray(expressions) || !expressions.every(isExpression)) return undefined;
  return Object.keys(labels).length + expressions.length > 0 ? found : undefined;
}

function isExpression(written: unknown): boolean {
  return isObject(written) && typeof written["key"] === "string" && Array.isArray(written["values"] ?? []);
}

function labelsOf(
  object: WorkloadObject,
  labels: Readonly<Record<string, readonly string[]>>,
): LabelSelector | undefined {
  return labelSelector(
    Object.fromEntries(Object.entries(labels).map(([label, path]) => [label, valueAt(object, path)])),
  );
}

function labelSelector(labels: Readonly<Record<string, unknown>>): LabelSelector | undefined {
  const isWhole = Object.keys(labels).length > 0 && Object.values(labels).every((value) => typeof value === "string");
  return isWhole ? { matchLabels: labels as Readonly<Record<string, string>> } : undefined;
}

/** Returns the pods of an object's revision, without pods that are being deleted. */
function ofRevision(spec: CustomKindSpec, object: WorkloadObject, pods: readonly Pod[]): readonly Pod[] {
  const present = pods.filter((pod) => !isLeaving(pod));
  if (spec.revision === undefined) {
    const wanted = containersAt(spec.images, object).filter(({ isUnset }) => isUnset !== true);
    return present.filter((pod) => runsAll(pod, wanted));
  }
  const { label, path } = spec.revision;
  const hash = valueAt(object, path);
  if (typeof hash !== "string" || hash === "") return [];
  return present.filter((pod) => isHash(pod.metadata.labels?.[label], hash));
}

/** Some operators label pods with the last part of the revision's name. */
function isHash(value: string | undefined, revision: string): boolean {
  return value !== undefined && value !== "" && (value === revision || revision.endsWith(`-${value}`));
}

function runsAll(pod: Pod, wanted: ReturnType<typeof containersAt>): boolean {
  const running = containersOf(pod);
  return wanted.every(({ name, image }) => running.some((one) => one.name === name && one.image === image));
}
