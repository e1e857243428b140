import type { ImagePushed } from "#domain/events";
import { repositoryKey } from "#domain/image-reference";
import { observe, stillAsking, toAskAgain, untrack } from "#domain/observation";
import { digestsOf, propose } from "#domain/proposal";
import { same } from "#domain/same";
import { squash, type Step } from "#domain/record";
import { isEnabled, type WorkloadSettings } from "#domain/settings";
import { type EpochMs, minutes, seconds } from "#domain/time";
import type { WorkloadRecord } from "#domain/update";
import type { EvaluateWorkload } from "#domain/work";
import { repositoryOf } from "#domain/wish";
import { type LiveWorkload, workloadKey } from "#domain/workload";
import type { Cluster, ClusterRefusal } from "#ports/cluster";
import type { RepositoryName } from "#ports/registry";
import type { SubscriberPage } from "#ports/store";
import { mapBounded } from "./bounded.ts";
import { electionsOver, type Elections, type LikelyTag } from "./election.ts";
import { gateFactsOver, type GateFactsReader } from "./gate-facts.ts";
import type { Ports } from "./ports.ts";
import { changedByOthers, commit, maximumTries, sendNextWork, settingsOf, stepOf } from "./records.ts";

type EvaluatePorts = Pick<
  Ports,
  | "store"
  | "registry"
  | "quarantine"
  | "freezes"
  | "clusterStates"
  | "bursts"
  | "queues"
  | "bus"
  | "clock"
  | "limits"
  | "clusters"
>;

/** How many subscribers one delivery of a push looks at; the rest follow in another. */
const subscribersPerDelivery = 100;

/** How many of them are written at once: a store with one writer would let the last wait until its request times out. */
const writesAtOnce = 10;

/** What became of a push. */
export type PushOutcome =
  /** Nobody is subscribed to the repository. */
  | { readonly kind: "unknown-repository" }
  /** Another delivery is at it, and looks once more for this one. */
  | { readonly kind: "joined" }
  | {
      readonly kind: "evaluated";
      readonly workloads: number;
      readonly moved: number;
      /** Why some could not be looked at, the first of them; they are looked at again in a minute. Absent: all could. */
      readonly failure?: string;
    };

/**
 * Looks at every workload that is subscribed to the repository of a push, and proposes what their policies elect.
 *
 * The push itself is a hint: tags and digests are asked of the registry. Of a burst the first is looked at now, and once more after the last.
 */
export async function evaluatePush(
  event: ImagePushed,
  ports: EvaluatePorts,
  signal: AbortSignal,
): Promise<PushOutcome> {
  const asked = ports.store.subscribers(event, subscribersPerDelivery, event.after);
  if (event.after !== undefined) return lookAtPage(await asked, { event, round: "first" }, ports, signal);
  const [page, begun] = await Promise.all([asked, ports.bursts.begin(event, event.id, ports.clock.now())]);
  if (begun === "joined") return { kind: "joined" };
  let outcome = await lookAtPage(page, { event, round: "first" }, ports, signal);
  while ((await ports.bursts.end(event, event.id, ports.clock.now())) === "again")
    outcome = await lookAtPage(page, { event, round: "again" }, ports, signal);
  return outcome;
}

/** What became of a look at one workload. */
export type EvaluateOutcome =
  | { readonly kind: "unknown-cluster" }
  | ClusterRefusal
  /** The object is gone or does not take part. */
  | { readonly kind: "not-tracked" }
  | { readonly kind: "unchanged" }
  | { readonly kind: "moved"; readonly version: number };

/** Looks at one workload's object and registries, and proposes what its policies elect. A workload seen first is tracked from here on. */
export async function evaluateWorkload(
  work: EvaluateWorkload,
  ports: EvaluatePorts,
  signal: AbortSignal,
): Promise<EvaluateOutcome> {
  const cluster = ports.clusters.cluster(work.workload.cluster);
  if (cluster === undefined) return leave(work, ports);
  for (let tries = 0; tries < maximumTries; tries += 1) {
    const outcome = await evaluateOnce(work, cluster, tries > 0, ports, signal);
    if (outcome !== "conflict") return outcome;
  }
  throw changedByOthers(workloadKey(work.workload), "evaluated");
}

/** What nobody can look at takes no part, so that it is overdue no longer; a cluster that is configured again is looked at whole. */
async function leave(work: EvaluateWorkload, ports: EvaluatePorts): Promise<EvaluateOutcome> {
  const before = await ports.store.read(workloadKey(work.workload));
  const left = before && untrack(before, stepOf(work, ports), "cluster-removed");
  if ((await forget(left, ports)) === "conflict") throw changedByOthers(workloadKey(work.workload), "evaluated");
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
  if (current?.tracked !== true) return forget(seen, ports);
  await subscribe(again ? undefined : before, current, ports);
  const settings = settingsOf(current);
  const wanted = await proposalFor(
    current,
    settings,
    readingsOver(ports, signal),
    { detectedAt: step.now, source: work.because },
    step,
  );
  const next = squash(seen, wanted);
  if (next === undefined) return nothingNew(current, ports, step);
  return (await commit(next, ports)) ? { kind: "moved", version: next.version } : "conflict";
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
  const toAsk =
    isEnabled(live.annotations) && live.containers.some(({ name, image }) => restarted || !known(name, image));
  const running = toAsk ? await cluster.runningImages(live, signal) : undefined;
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
  if (record.cause === step.cause) await sendNextWork(record, ports);
}

const askLaterPause = seconds(30);

/** Unsubscribed after the record is stored: one subscription too many is harmless, one too few misses pushes. */
async function forget(seen: WorkloadRecord | undefined, ports: EvaluatePorts): Promise<EvaluateOutcome | "conflict"> {
  if (seen === undefined) return { kind: "not-tracked" };
  if (!(await commit(seen, ports))) return "conflict";
  await ports.store.subscribe(seen.workload, []);
  // Another look may have taken it back in between.
  const now = await ports.store.read(workloadKey(seen.workload));
  if (now?.tracked === true) await ports.store.subscribe(seen.workload, repositoriesOf(now));
  return { kind: "not-tracked" };
}

/** Subscriptions are written before the record that needs them: one too many is harmless, one too few misses pushes. */
async function subscribe(
  before: WorkloadRecord | undefined,
  current: WorkloadRecord,
  { store }: EvaluatePorts,
): Promise<void> {
  const [had, needs] = [before?.tracked === true ? repositoriesOf(before) : undefined, repositoriesOf(current)];
  if (!same(had, needs)) await store.subscribe(current.workload, needs);
}

function repositoriesOf(record: WorkloadRecord): readonly RepositoryName[] {
  const settings = settingsOf(record);
  const names = record.observed.containers
    .filter(({ name }) => settings.containers[name] !== undefined)
    .flatMap((container) => repositoryOf(container) ?? [])
    .map(({ registry, repository }) => [repositoryKey({ registry, repository }), { registry, repository }] as const);
  return [...new Map(names).values()];
}

/** A push, and whether this very delivery looked at its subscribers before: then what it wrote is followed already. */
interface PushLook {
  readonly event: ImagePushed;
  readonly round: "first" | "again";
}

async function lookAtPage(
  { workloads, next }: SubscriberPage,
  look: PushLook,
  ports: EvaluatePorts,
  signal: AbortSignal,
): Promise<PushOutcome> {
  if (workloads.length === 0) return { kind: "unknown-repository" };
  const records = await ports.store.readMany(workloads);
  const readings = readingsOver(ports, signal, look.event);
  const looks = await mapBounded(records, writesAtOnce, (record) =>
    proposeTo(record, look, readings, ports, signal).catch((error: unknown) => lookLater(record, look, error, ports)),
  );
  // After this page: two at once would offer the same free slots.
  if (next !== undefined) await ports.bus.publish([{ ...look.event, after: next }]);
  const failure = looks.find((one) => typeof one === "string");
  const moved = looks.filter((one) => one === true).length;
  return { kind: "evaluated", workloads: records.length, moved, ...(failure === undefined ? {} : { failure }) };
}

/** What is wrong with one workload fails no page of others: it is looked at by itself, a minute later. */
async function lookLater(
  { workload }: WorkloadRecord,
  { event }: PushLook,
  error: unknown,
  { queues }: EvaluatePorts,
): Promise<string> {
  const work = { command: "EvaluateWorkload", id: event.id, workload, because: "tried again" } as const;
  await queues.send([{ work, delay: minutes(1) }]);
  return error instanceof Error ? error.message : "unknown error";
}

async function proposeTo(
  first: WorkloadRecord,
  { event, round }: PushLook,
  shared: Readings,
  ports: EvaluatePorts,
  signal: AbortSignal,
): Promise<boolean> {
  let record: WorkloadRecord | undefined = first;
  let readings = shared;
  for (let tries = 0; tries < maximumTries && record?.tracked === true; tries += 1) {
    const step = { cause: `ImagePushed:${event.id}`, now: ports.clock.now() };
    const origin = { detectedAt: event.at, source: event.source };
    const next: WorkloadRecord | undefined = await proposalFor(
      record,
      settingsOf(record),
      readings,
      origin,
      step,
      repositoryKey(event),
    );
    if (next === undefined) {
      if (round === "first" && tries === 0 && record.cause === step.cause) await sendNextWork(record, ports);
      return false;
    }
    if (await commit(next, ports)) return true;
    record = await ports.store.read(workloadKey(record.workload));
    // A proposal rests on tags that were read after the version that it is conditional on.
    readings = readingsOver(ports, signal);
  }
  if (record?.tracked !== true) return false;
  throw changedByOthers(workloadKey(record.workload), "evaluated");
}

async function proposalFor(
  record: WorkloadRecord,
  settings: WorkloadSettings,
  { elections, facts }: Readings,
  origin: { readonly detectedAt: EpochMs; readonly source: string },
  step: Step,
  only?: string,
): Promise<WorkloadRecord | undefined> {
  const [wishes] = await Promise.all([elections.wishes(record, settings, only), facts.readAhead(record)]);
  const digests = digestsOf(record, wishes);
  const decided = await facts.of(record, digests);
  return decided((known) =>
    propose(record, { wishes, settings, facts: known, complete: only === undefined, ...origin }, step),
  );
}

/** What one look at workloads reads of the world; nothing is read twice. */
interface Readings {
  readonly elections: Elections;
  readonly facts: GateFactsReader;
}

function readingsOver(ports: EvaluatePorts, signal: AbortSignal, likely?: LikelyTag): Readings {
  return { elections: electionsOver(ports.registry, signal, likely), facts: gateFactsOver(ports, likely?.digest) };
}
