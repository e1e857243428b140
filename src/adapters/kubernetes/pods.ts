import { type EpochMs, parseInstant } from "#domain/shared/time";
import { containersOf } from "#domain/workload/pod-template";
import { restartedAtKey } from "#domain/workload/workload";
import { condition, containerStatuses } from "./fault.ts";
import type { ObjectMeta, Pod, PodTemplate } from "./objects.ts";

/** The totals of the pods of one revision. */
export interface PodSummary {
  readonly ready: number;
  /** The restarts of all containers of all pods. */
  readonly restarts: number;
  /** The time at which the last ready pod became ready. Absent without ready pods. */
  readonly lastReady?: EpochMs;
}

/** Returns the totals of the pods of one revision. */
export function summary(pods: readonly Pod[]): PodSummary {
  const since = pods
    .filter(isReady)
    .map((pod) => instantOf(condition(pod.status?.conditions, "Ready")?.lastTransitionTime));
  const lastReady = latest(since);
  const restarts = pods.flatMap(containerStatuses).reduce((sum, status) => sum + (status.restartCount ?? 0), 0);
  return { ready: since.length, restarts, ...(lastReady !== undefined && { lastReady }) };
}

/** Returns whether a pod's Ready condition is true. */
export function isReady(pod: Pod): boolean {
  return condition(pod.status?.conditions, "Ready")?.status === "True";
}

/** Returns whether the owner references of an object name another object. */
export function isOwnedBy(object: { readonly metadata: ObjectMeta }, uid: string): boolean {
  return object.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
}

/** Returns an owner's pods whose revision label has a hash, without pods that are being deleted. */
export function podsOfHash(pods: readonly Pod[], owner: string, hash: string | undefined): readonly Pod[] {
  return pods.filter(
    (pod) =>
      isOwnedBy(pod, owner) &&
      !isLeaving(pod) &&
      hash !== undefined &&
      pod.metadata.labels?.["controller-revision-hash"] === hash,
  );
}

/** Returns whether an object's controller has observed its current generation. */
export function isSeen(object: {
  readonly metadata: ObjectMeta;
  readonly status?: { readonly observedGeneration?: number };
}): boolean {
  return (object.status?.observedGeneration ?? 0) >= (object.metadata.generation ?? 0);
}

/** Returns whether an object is being deleted. */
export function isLeaving(object: { readonly metadata: ObjectMeta }): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Returns whether two pod templates run the same images, pull alike and carry the same restart. */
export function sameRun(a: PodTemplate, b: PodTemplate): boolean {
  return runText(a) === runText(b);
}

function runText(template: PodTemplate): string {
  const images = containersOf(template).map(({ name, image, pullPolicy }) => [name, image, pullPolicy ?? null]);
  return JSON.stringify([images, template.metadata?.annotations?.[restartedAtKey] ?? null]);
}

/** Parses an instant of the API. Returns undefined for a missing or invalid text. */
export function instantOf(text: string | null | undefined): EpochMs | undefined {
  return typeof text === "string" ? parseInstant(text) : undefined;
}

/** Returns the latest instant, or undefined without instants. */
export function latest(instants: readonly (EpochMs | undefined)[]): EpochMs | undefined {
  return instants.reduce<EpochMs | undefined>(
    (last, at) => (at !== undefined && (last === undefined || at > last) ? at : last),
    undefined,
  );
}
