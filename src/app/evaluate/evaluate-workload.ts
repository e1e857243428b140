import { correlationOf } from "#domain/update/state/correlation";
import { observe, untrack } from "#domain/update/decide/observe";
import { retryEvaluation, retryOverdueEvaluation } from "#domain/update/decide/retry";
import { afterDecision, type Decision, folded } from "#domain/update/state/changes";
import { isMisplaced, unprovenImages } from "#domain/update/effects/tier";
import { isEnabled } from "#domain/settings/settings";
import { type EpochMs, seconds } from "#domain/shared/time";
import { canDrift } from "#domain/workload/digest-drift";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { type EvaluateWorkload, identityOf } from "#domain/update/commands";
import { type LiveWorkload, namespaceOf } from "#domain/workload/workload";
import type { Cluster, ClusterRefusal } from "#ports/cluster";
import { decide } from "../decide.ts";
import { failureOf } from "../shared/answering-registry.ts";
import type { Ports } from "../shared/ports.ts";
import { type RecordWithSettings, settingsOf } from "../shared/records.ts";
import { subscribe, unsubscribe } from "../shared/subscriptions.ts";
import type { RegistryReads } from "../shared/registry-reads.ts";
import { leave, resume, storeThen, type Turn } from "../shared/turn.ts";
import { withoutCluster } from "../shared/unknown-cluster.ts";
import { followBaseImages, hasBaseImages } from "./base-images.ts";
import { type ProposalReads, startProposalReads, proposeUpdate } from "./propose-update.ts";
import { causeOfPush, moveNotStoredError, storeMove } from "./push-coalescing.ts";

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
  ports: Ports,
  signal: AbortSignal,
): Promise<EvaluateOutcome> {
  const { workload } = command;
  // After a failed push, its id is that of the push. The push may have written a version, and failed to
  // send its commands.
  const deciding = { workload, cause: identityOf(command), repeats: causeOfPush(command), doing: "evaluated" };
  const cluster = ports.clusters.cluster(workload.cluster);
  if (cluster === undefined) {
    await decide(deciding, ports, (record) => withoutCluster(command, record, ports));
    return { kind: "unknown-cluster" };
  }
  let readsOfBases: RegistryReads | undefined;
  const outcome = await decide<EvaluateOutcome>(deciding, ports, (record, tries) =>
    evaluate(command, record, tries, cluster, ports, signal, (reads) => (readsOfBases = reads)),
  );
  if (readsOfBases !== undefined) await followBaseImages(workload, deciding.cause, readsOfBases, ports);
  return outcome;
}

async function evaluate(
  command: EvaluateWorkload,
  before: WorkloadRecord,
  tries: number,
  cluster: Cluster,
  ports: Ports,
  signal: AbortSignal,
  withBases: (reads: RegistryReads) => void,
): Promise<Turn<EvaluateOutcome>> {
  const now = ports.clock.now();
  const { workload } = command;
  const read = await cluster.read(workload, signal);
  if (read.kind === "unreachable" || read.kind === "denied") return retryLater(command, before, read, now, ports);

  // What the object shows comes first, because the settings and the images follow from it.
  const observed =
    read.kind === "gone"
      ? untrack(before, now)
      : await observeObject(before, read.live, cluster, now, ports, signal, command.source === "sync");
  const current = afterDecision(before, observed);
  if (!current.tracked) return leaveUntracked(before, observed, now, ports);

  const settings = await settingsOf(current, ports);
  // An earlier delivery, or try, may have ended before its subscriptions were written.
  const isSubscribed = before.tracked && tries === 0 && before.cause !== identityOf(command);
  const subscribed = isSubscribed
    ? { record: before, settings: observed === undefined ? settings : await settingsOf(before, ports) }
    : undefined;
  await subscribe(subscribed, { record: current, settings }, ports);

  // Then the policies select images, and the gates answer.
  const origin = { detectedAt: now, source: command.source, ...correlationOf(command) };
  const reads = startProposalReads(ports, [namespaceOf(workload)], signal);
  if (hasBaseImages(current, settings)) withBases(reads.registry);
  await storeMoveOf(command, { record: current, settings }, reads, ports);
  const proposed = await proposeUpdate(current, settings, reads, origin, now);

  const selected = afterDecision(current, proposed);
  const ran = await findRan(selected, cluster, now, signal);
  const changed = folded([observed, takePlace(current, ports), proposed, ran]);
  const decision = changed ?? retryOverdueEvaluation(before, now);
  const failure = failureOf(reads.registry.failure());
  if (decision === undefined) return resume({ kind: "unchanged", ...failure });
  return storeThen(before, decision, now, async (stored) => {
    if (changed === undefined) return { kind: "unchanged", ...failure };
    // Another delivery may have found the object gone, and unsubscribed the workload.
    if (subscribed === undefined) await subscribe(undefined, { record: stored, settings }, ports);
    return { kind: "stored", version: stored.version, ...failure };
  });
}

/** Returns the decision that stores the workload's place among the tiers. Undefined if it is stored. */
function takePlace(record: WorkloadRecord, { rules }: Ports): Decision | undefined {
  return isMisplaced(record, rules.tiers) ? { changes: {}, transitions: [] } : undefined;
}

/**
 * Returns the decision that stores the images of a ServiceImage which the workload had before, if its pods are well.
 * Undefined if there is none to prove, or the pods do not prove it.
 */
async function findRan(
  record: WorkloadRecord,
  cluster: Cluster,
  now: EpochMs,
  signal: AbortSignal,
): Promise<Decision | undefined> {
  const images = unprovenImages(record, now);
  if (images.length === 0) return undefined;
  const health = await cluster.health(record.workload, "latest", signal);
  // What runs nothing, such as a CronJob before its first Job, can't prove more.
  const isIdle = health.kind === "unverifiable" || (health.kind === "waiting" && health.why === "next-job");
  if (health.kind !== "healthy" && !isIdle) return undefined;
  return { changes: { ran: [...images, ...(record.ran ?? [])] }, transitions: [] };
}

/** Stores the move of a failed push before the policies select. */
async function storeMoveOf(
  { push }: EvaluateWorkload,
  subscriber: RecordWithSettings,
  reads: ProposalReads,
  ports: Ports,
): Promise<void> {
  if (push !== undefined && !(await storeMove(push, [subscriber], reads.registry, ports)))
    throw moveNotStoredError(push);
}

/**
 * Observes the object. Returns undefined if nothing changed. Reads pods only for an unknown digest,
 * after a restart, and where different digests of a tag may run.
 */
async function observeObject(
  before: WorkloadRecord,
  live: LiveWorkload,
  cluster: Cluster,
  now: EpochMs,
  {
    store,
    rules: {
      defaults: { appliers },
    },
  }: Ports,
  signal: AbortSignal,
  bySync: boolean,
): Promise<Decision | undefined> {
  // Pods do not report the digests of image volumes.
  const isKnown = ({ list, name, image, pullPolicy }: LiveWorkload["containers"][number]): boolean =>
    list === "volumes" ||
    image.includes("@") ||
    before.observed.containers.some(
      (old) => old.name === name && old.image === image && old.pullPolicy === pullPolicy && old.digest !== undefined,
    );
  const mayDrift = bySync || before.observed.containers.some(({ digests }) => digests !== undefined);
  const isAsked = (one: LiveWorkload["containers"][number]): boolean => mayDrift && canDrift(one);
  const isRestarted = before.observed.restartedAt !== live.restartedAt;
  const readsPods =
    isEnabled(live.annotations) && live.containers.some((one) => isRestarted || !isKnown(one) || isAsked(one));
  const running = readsPods ? await cluster.runningImages(live, signal) : undefined;
  const images = running?.kind === "running" ? running.images : undefined;
  return observe(before, { live, running: images, installation: await store.installation(), appliers }, now);
}

async function leaveUntracked(
  before: WorkloadRecord,
  untracked: Decision | undefined,
  now: EpochMs,
  ports: Ports,
): Promise<Turn<EvaluateOutcome>> {
  // Unsubscribes after the write. An extra subscription is harmless, but without a subscription the
  // workload misses pushes.
  const end = async (): Promise<EvaluateOutcome> => {
    await unsubscribe(before.workload, ports);
    return { kind: "not-tracked" };
  };
  return untracked === undefined ? leave(await end()) : storeThen(before, untracked, now, end);
}

const retryPause = seconds(30);

/** Stores the retry in a tracked record. Without a tracked record, sends the command again. */
async function retryLater(
  command: EvaluateWorkload,
  before: WorkloadRecord,
  refusal: ClusterRefusal,
  now: EpochMs,
  ports: Ports,
): Promise<Turn<EvaluateOutcome>> {
  if (!before.tracked) {
    await ports.queues.send([{ command, delay: retryPause }]);
    return leave(refusal);
  }
  const decision = retryEvaluation(before, refusal, now);
  return decision === undefined ? resume(refusal) : storeThen(before, decision, now, () => refusal);
}
