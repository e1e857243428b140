import { correlationOf } from "#domain/update/correlation";
import { observe, stillAsking, toAskAgain, untrack } from "#domain/update/observe";
import { squash, type Step } from "#domain/update/record";
import { isEnabled } from "#domain/settings/settings";
import { seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";
import type { EvaluateWorkload } from "#domain/update/commands";
import { type LiveWorkload, workloadKey } from "#domain/workload/workload";
import type { Cluster, ClusterRefusal } from "#ports/cluster";
import type { Ports } from "../shared/ports.ts";
import { proposalFor, type ProposingPorts, readingsOver } from "./proposing.ts";
import { changedByOthers, commit, maximumTries, sendNextCommands, settingsOf, stepOf } from "../shared/records.ts";
import { forget, subscribe } from "../shared/subscriptions.ts";
import { leaveOrWait } from "../shared/unknown-cluster.ts";

type EvaluatePorts = ProposingPorts & Pick<Ports, "queues" | "clock">;

/** What became of a look at one workload. */
export type EvaluateOutcome =
  | { readonly kind: "unknown-cluster" }
  | ClusterRefusal
  /** The object is gone or is not tracked. */
  | { readonly kind: "not-tracked" }
  | { readonly kind: "unchanged" }
  | { readonly kind: "moved"; readonly version: number };

/** Looks at one workload's object and registries, and proposes what its policies select. A workload seen first is tracked from here on. */
export async function evaluateWorkload(
  work: EvaluateWorkload,
  ports: EvaluatePorts,
  signal: AbortSignal,
): Promise<EvaluateOutcome> {
  const cluster = ports.clusters.cluster(work.workload.cluster);
  if (cluster === undefined) return leaveUnknown(work, ports);
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const outcome = await evaluateOnce(work, cluster, tries > 0, ports, signal);
    if (outcome !== "conflict") return outcome;
  }
  throw changedByOthers(workloadKey(work.workload), "evaluated");
}

async function leaveUnknown(work: EvaluateWorkload, ports: EvaluatePorts): Promise<EvaluateOutcome> {
  const left = await leaveOrWait(work, await ports.store.read(workloadKey(work.workload)), ports);
  if (left.kind === "stale") throw changedByOthers(workloadKey(work.workload), "evaluated");
  return { kind: "unknown-cluster" };
}

async function evaluateOnce(
  work: EvaluateWorkload,
  cluster: Cluster,
  again: boolean,
  ports: EvaluatePorts,
  signal: AbortSignal,
): Promise<EvaluateOutcome | "conflict"> {
  const step = stepOf(work, ports);
  const before = await ports.store.read(workloadKey(work.workload));
  const read = await cluster.read(work.workload, signal);
  if (read.kind === "unreachable" || read.kind === "denied") return askLater(work, before, read, ports, step);
  const seen =
    read.kind === "gone"
      ? before && untrack(before, step)
      : await look(before, read.live, cluster, ports, step, signal);
  const current = seen ?? before;
  if (current?.tracked !== true) return leaveOut(work, seen, ports);
  const subscribed = again || before?.cause === step.cause ? undefined : before;
  await subscribe(subscribed, current, ports);
  const settings = await settingsOf(current, ports);
  const wanted = await proposalFor(
    current,
    settings,
    readingsOver(ports, signal),
    { detectedAt: step.now, source: work.because, ...correlationOf(work) },
    step,
  );
  const next = squash(seen, wanted);
  if (next === undefined) return nothingNew(current, ports, step);
  return settle(next, subscribed, ports);
}

async function leaveOut(
  { workload }: EvaluateWorkload,
  seen: WorkloadRecord | undefined,
  ports: EvaluatePorts,
): Promise<EvaluateOutcome | "conflict"> {
  return (await forget(workload, seen, ports)) ? { kind: "not-tracked" } : "conflict";
}

async function settle(
  next: WorkloadRecord,
  subscribed: WorkloadRecord | undefined,
  ports: EvaluatePorts,
): Promise<EvaluateOutcome | "conflict"> {
  if (!(await commit(next, ports))) return "conflict";
  // Whoever found it gone before may have unsubscribed it since.
  if (subscribed?.tracked !== true) await subscribe(undefined, next, ports);
  return { kind: "moved", version: next.version };
}

/** Pods are asked only for digests that nothing else tells: an image without a pin that Lookout has not met. */
async function look(
  before: WorkloadRecord | undefined,
  live: LiveWorkload,
  cluster: Cluster,
  { store }: EvaluatePorts,
  step: Step,
  signal: AbortSignal,
): Promise<WorkloadRecord | undefined> {
  const known = (name: string, image: string): boolean =>
    image.includes("@") ||
    before?.observed.containers.some((old) => old.name === name && old.image === image && old.digest !== undefined) ===
      true;
  const restarted = before?.observed.restartedAt !== live.restartedAt;
  const needsEvaluation =
    isEnabled(live.annotations) && live.containers.some(({ name, image }) => restarted || !known(name, image));
  const running = needsEvaluation ? await cluster.runningImages(live, signal) : undefined;
  const images = running?.kind === "running" ? running.images : undefined;
  return observe(before, { live, running: images, installation: await store.installation() }, step);
}

/** An answer that is overdue is asked for again later and later. */
async function nothingNew(
  record: WorkloadRecord,
  ports: EvaluatePorts,
  step: Step,
): Promise<EvaluateOutcome | "conflict"> {
  const renewed = stillAsking(record, step);
  if (renewed !== undefined) return (await commit(renewed, ports)) ? { kind: "unchanged" } : "conflict";
  await complete(record, ports, step);
  return { kind: "unchanged" };
}

/** A cluster that does not answer is asked again: a record remembers that by itself, a workload without one in a message. */
async function askLater(
  work: EvaluateWorkload,
  before: WorkloadRecord | undefined,
  refusal: ClusterRefusal,
  ports: EvaluatePorts,
  step: Step,
): Promise<EvaluateOutcome | "conflict"> {
  if (before?.tracked !== true) {
    await ports.queues.send([{ work, delay: askLaterPause }]);
    return refusal;
  }
  const next = toAskAgain(before, refusal, step);
  if (next !== undefined) return (await commit(next, ports)) ? refusal : "conflict";
  await complete(before, ports, step);
  return refusal;
}

/** What an earlier delivery of this work wrote may not have been followed. */
async function complete(record: WorkloadRecord, ports: EvaluatePorts, step: Step): Promise<void> {
  if (record.cause === step.cause) await sendNextCommands(record, ports);
}

const askLaterPause = seconds(30);
