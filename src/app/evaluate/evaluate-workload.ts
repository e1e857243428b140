import { correlationOf } from "#domain/update/state/correlation";
import { observe, retryOverdueEvaluation, retryEvaluation, untrack } from "#domain/update/decide/observe";
import { squash, type Step } from "#domain/update/state/changes";
import { isEnabled } from "#domain/settings/settings";
import { seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { EvaluateWorkload } from "#domain/update/commands";
import { type LiveWorkload, namespaceOf, type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { Cluster, ClusterRefusal } from "#ports/cluster";
import { failureOf } from "../shared/answering-registry.ts";
import type { Ports } from "../shared/ports.ts";
import { changedByOthersError, commit, maximumTries, sendNextCommands, settingsOf, stepOf } from "../shared/records.ts";
import { subscribe, unsubscribe } from "../shared/subscriptions.ts";
import { untrackOrWait } from "../shared/unknown-cluster.ts";
import { startProposalReads, type ProposalPorts, proposeUpdate } from "./propose-update.ts";

type EvaluatePorts = ProposalPorts & Pick<Ports, "queues" | "clock" | "repositories">;

/**
 * The outcome of an `EvaluateWorkload`. `failure` is the first unexpected error of a registry, for
 * the log.
 */
export type EvaluateOutcome = { readonly failure?: unknown } & (
  | { readonly kind: "unknown-cluster" }
  | ClusterRefusal
  /** The object is gone or is not tracked. */
  | { readonly kind: "not-tracked" }
  | { readonly kind: "unchanged" }
  | { readonly kind: "stored"; readonly version: number }
);

/**
 * Compares a workload's object and registries with its record, and proposes an update. A new
 * workload becomes tracked.
 */
export async function evaluateWorkload(
  command: EvaluateWorkload,
  ports: EvaluatePorts,
  signal: AbortSignal,
): Promise<EvaluateOutcome> {
  const key = workloadKey(command.workload);
  const cluster = ports.clusters.cluster(command.workload.cluster);
  if (cluster === undefined) {
    const left = await untrackOrWait(command, await ports.store.read(key), ports);
    if (left.kind === "stale") throw changedByOthersError(key, "evaluated");
    return { kind: "unknown-cluster" };
  }
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const outcome = await evaluateOnce(command, cluster, tries > 0, ports, signal);
    if (outcome !== "conflict") return outcome;
  }
  throw changedByOthersError(key, "evaluated");
}

async function evaluateOnce(
  command: EvaluateWorkload,
  cluster: Cluster,
  isRetry: boolean,
  ports: EvaluatePorts,
  signal: AbortSignal,
): Promise<EvaluateOutcome | "conflict"> {
  const step = stepOf(command, ports);
  const { workload } = command;
  const before = await ports.store.read(workloadKey(workload));
  const read = await cluster.read(workload, signal);
  if (read.kind === "unreachable" || read.kind === "denied") return retryLater(command, before, read, step, ports);

  const live = read.kind === "gone" ? undefined : read.live;
  const observed = await observeObject(before, live, cluster, step, ports, signal);
  const current = observed ?? before;
  if (current?.tracked !== true) return storeUntracked(workload, observed, ports);

  // An earlier delivery, or try, may have ended before its subscriptions were written.
  const subscribed = isRetry || before?.cause === step.cause ? undefined : before;
  await subscribe(subscribed, current, ports);

  const settings = await settingsOf(current, ports);
  const origin = { detectedAt: step.now, source: command.source, ...correlationOf(command) };
  const reads = startProposalReads(ports, [namespaceOf(workload)], signal);
  const proposed = await proposeUpdate(current, settings, reads, origin, step);
  const next = squash(observed, proposed);
  const outcome =
    next === undefined ? await storeUnchanged(current, step, ports) : await storeProposal(next, subscribed, ports);
  return outcome === "conflict" ? outcome : { ...outcome, ...failureOf(reads.registry.failure()) };
}

/**
 * Returns the record with the observed object, or undefined if nothing changed. Reads pods only for
 * an unknown digest or after a restart.
 */
async function observeObject(
  before: WorkloadRecord | undefined,
  live: LiveWorkload | undefined,
  cluster: Cluster,
  step: Step,
  { store, defaults: { appliers } }: EvaluatePorts,
  signal: AbortSignal,
): Promise<WorkloadRecord | undefined> {
  if (live === undefined) return before && untrack(before, step);
  const known = before?.observed.containers ?? [];
  const isKnown = ({ name, image, pullPolicy }: LiveWorkload["containers"][number]): boolean =>
    image.includes("@") ||
    known.some(
      (old) => old.name === name && old.image === image && old.pullPolicy === pullPolicy && old.digest !== undefined,
    );
  const isRestarted = before?.observed.restartedAt !== live.restartedAt;
  const readsPods = isEnabled(live.annotations) && live.containers.some((one) => isRestarted || !isKnown(one));
  const running = readsPods ? await cluster.runningImages(live, signal) : undefined;
  const images = running?.kind === "running" ? running.images : undefined;
  return observe(before, { live, running: images, installation: await store.installation(), appliers }, step);
}

async function storeProposal(
  next: WorkloadRecord,
  subscribed: WorkloadRecord | undefined,
  ports: EvaluatePorts,
): Promise<EvaluateOutcome | "conflict"> {
  if (!(await commit(next, ports))) return "conflict";
  // Another delivery may have found the object gone, and unsubscribed the workload.
  if (subscribed?.tracked !== true) await subscribe(undefined, next, ports);
  return { kind: "stored", version: next.version };
}

async function storeUntracked(
  workload: WorkloadName,
  untracked: WorkloadRecord | undefined,
  ports: EvaluatePorts,
): Promise<EvaluateOutcome | "conflict"> {
  if (untracked !== undefined && !(await commit(untracked, ports))) return "conflict";
  // Unsubscribes after the write. An extra subscription is harmless, but without a subscription the
  // workload misses pushes.
  await unsubscribe(workload, ports);
  return { kind: "not-tracked" };
}

/**
 * Ends an evaluation without changes. An overdue evaluation is queued again, after twice the
 * previous pause.
 */
async function storeUnchanged(
  record: WorkloadRecord,
  step: Step,
  ports: EvaluatePorts,
): Promise<EvaluateOutcome | "conflict"> {
  const next = retryOverdueEvaluation(record, step);
  if (next !== undefined) return (await commit(next, ports)) ? { kind: "unchanged" } : "conflict";
  await sendIfOwn(record, step, ports);
  return { kind: "unchanged" };
}

const retryPause = seconds(30);

/** Stores the retry in a tracked record. Without a tracked record, sends the command again. */
async function retryLater(
  command: EvaluateWorkload,
  before: WorkloadRecord | undefined,
  refusal: ClusterRefusal,
  step: Step,
  ports: EvaluatePorts,
): Promise<EvaluateOutcome | "conflict"> {
  if (before?.tracked !== true) {
    await ports.queues.send([{ command, delay: retryPause }]);
    return refusal;
  }
  const next = retryEvaluation(before, refusal, step);
  if (next !== undefined) return (await commit(next, ports)) ? refusal : "conflict";
  await sendIfOwn(before, step, ports);
  return refusal;
}

/**
 * Sends the next commands if this command wrote the record. An earlier delivery may have ended
 * before it sent these commands.
 */
async function sendIfOwn(record: WorkloadRecord, step: Step, ports: EvaluatePorts): Promise<void> {
  if (record.cause === step.cause) await sendNextCommands(record, ports);
}
