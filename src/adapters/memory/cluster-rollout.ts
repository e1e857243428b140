import { type RolloutStyle, rolloutStyleOf } from "#domain/workload/kinds";
import { templateOf } from "./cluster-manifest.ts";
import { newPod, type PodRules, type Revision, type SimulatedPod, type StoredWorkload } from "./cluster-state.ts";

const JOB_HISTORY = 5;

/** Returns how a workload's controller replaces pods after a change of the template. */
export function styleOf({ workload }: StoredWorkload): RolloutStyle {
  return rolloutStyleOf(workload.kind);
}

/**
 * Moves the pods of a workload to an instant. The result does not depend on the number of calls.
 */
export function advance(stored: StoredWorkload, now: number, rules: PodRules): void {
  if (styleOf(stored) === "by-jobs") {
    makeJobs(stored, now, rules);
    return;
  }
  if (stored.content.spec.paused !== true) followTemplate(stored);
  const revision = presentRevision(stored);
  if (revision === undefined) return;
  if (styleOf(stored) === "surge") surge(stored, revision, now, rules);
  else replaceInOrder(stored, revision, now, rules);
}

/** Returns the revision that the pods follow, or undefined before the first revision. */
export function presentRevision(stored: StoredWorkload): Revision | undefined {
  return stored.revisions.at(-1);
}

/** Returns the desired number of a workload's pods. */
export function wantedPods(stored: StoredWorkload, rules: PodRules): number {
  return styleOf(stored) === "per-node" ? rules.nodes : (stored.content.spec.replicas ?? 1);
}

/**
 * Returns the first slot whose pod follows the template. This slot is the partition, or 0 without a
 * partition.
 */
export function partitionOf(stored: StoredWorkload): number {
  return styleOf(stored) === "in-order" ? (stored.content.spec.updateStrategy?.rollingUpdate?.partition ?? 0) : 0;
}

/** Returns whether pods are replaced only when someone deletes them. */
export function waitsForDeletion(stored: StoredWorkload): boolean {
  return styleOf(stored) !== "surge" && stored.content.spec.updateStrategy?.type === "OnDelete";
}

/** Returns whether a broken pod stops the replacement of other pods. */
export function isOrdered(stored: StoredWorkload): boolean {
  const { podManagementPolicy } = stored.content.spec;
  return styleOf(stored) === "in-order" && podManagementPolicy !== "Parallel" && !waitsForDeletion(stored);
}

/** Creates a Job of the present template. */
export function makeJob(stored: StoredWorkload, at: number, rules: PodRules): void {
  const revision = { id: stored.counter + 1, template: templateOf(stored.content.spec), annotations: undefined };
  stored.jobs = [...stored.jobs, newPod(stored, revision, 0, at, rules)].slice(-JOB_HISTORY);
}

/**
 * Adds a revision for a changed template. If the template was used before, its old revision becomes
 * the newest revision.
 */
function followTemplate(stored: StoredWorkload): void {
  const template = templateOf(stored.content.spec);
  const text = JSON.stringify(template);
  const present = presentRevision(stored);
  if (present === undefined || JSON.stringify(present.template) !== text) {
    const old = stored.revisions.find((revision) => JSON.stringify(revision.template) === text);
    const id = Math.max(0, ...stored.revisions.map((revision) => revision.id)) + 1;
    const next = old ?? { id, template, annotations: undefined };
    stored.revisions = [...stored.revisions.filter((revision) => revision !== old), next];
  }
  const followed = presentRevision(stored);
  if (followed !== undefined) followed.annotations = stored.content.annotations;
}

/** Creates all new pods at the same time, and removes the old pods when the new pods are ready. */
function surge(stored: StoredWorkload, revision: Revision, now: number, rules: PodRules): void {
  const wanted = wantedPods(stored, rules);
  const mine = stored.pods.filter((pod) => pod.revision === revision.id).slice(0, wanted);
  while (mine.length < wanted) mine.push(newPod(stored, revision, mine.length, stored.since, rules));
  const done = mine.every((pod) => pod.readyAt <= now);
  stored.pods = done ? mine : [...stored.pods.filter((pod) => pod.revision !== revision.id), ...mine];
}

/**
 * Replaces pods one after the other, from the highest slot. Each replacement waits until all pods
 * are ready.
 *
 * An ordered workload waits for a broken old pod forever. Other workloads replace the broken pod.
 */
function replaceInOrder(stored: StoredWorkload, revision: Revision, now: number, rules: PodRules): void {
  const partition = partitionOf(stored);
  const pods = filledSlots(stored, revision, rules);
  const replace = (pod: SimulatedPod, at: number): void => {
    pods[pod.slot] = newPod(stored, revision, pod.slot, at, rules);
  };
  const outdated = (pod: SimulatedPod): boolean => pod.revision !== revision.id && pod.slot >= partition;
  if (!waitsForDeletion(stored)) {
    let at = stored.since;
    if (!isOrdered(stored)) for (const pod of pods.filter((one) => outdated(one) && one.readyAt > at)) replace(pod, at);
    for (let next = pods.findLast(outdated); next !== undefined; next = pods.findLast(outdated)) {
      at = Math.max(at, ...pods.map((pod) => pod.readyAt));
      if (at > now) break;
      replace(next, at);
    }
  }
  stored.pods = pods;
}

/** Returns the pods by slot, with new pods in place of missing pods, and without surplus pods. */
function filledSlots(stored: StoredWorkload, revision: Revision, rules: PodRules): SimulatedPod[] {
  return Array.from({ length: wantedPods(stored, rules) }, (_, slot) => {
    const pod = stored.pods.find((one) => one.slot === slot);
    return pod ?? newPod(stored, revision, slot, stored.since, rules);
  });
}

function makeJobs(stored: StoredWorkload, now: number, rules: PodRules): void {
  const every = rules.cronEveryMs;
  if (every !== undefined && stored.content.spec.suspend !== true) {
    const first = Math.max(stored.jobsUntil, now - every * JOB_HISTORY);
    for (let at = (Math.floor(first / every) + 1) * every; at <= now; at += every) makeJob(stored, at, rules);
  }
  stored.jobsUntil = Math.max(stored.jobsUntil, now);
}
