import type { ImagePushed } from "#domain/image/push";
import { isKeptBack, lookNow, wakeNow } from "#domain/update/next-commands";
import { secondsBetween } from "#domain/update/metrics";
import { isNews } from "#domain/update/observe";
import { isAway } from "#domain/shared/reasons";
import { type EpochMs, hours, plus, seconds } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/states";
import type { SyncCluster } from "#domain/update/commands";
import { parseWorkloadKey, type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { Cluster, ClusterRefusal, WorkloadList } from "#ports/cluster";
import type { ClusterState } from "#ports/cluster-states";
import type { OutgoingCommand } from "#ports/messaging";
import type { PushNotice } from "#ports/push-receiver";
import { clusterStatesOf } from "../shared/cluster-states.ts";
import type { Ports } from "../shared/ports.ts";

/** How old the last complete list may be; between two, only changes are followed. */
const completeListEvery = hours(1);

/** A cluster is looked at every minute, and a look takes a moment. */
const lookIsLateAfter = seconds(90);

/** Sends a look to each of the clusters, and measures how long ago the last one was where it is late; one that was never looked at has no age. */
export async function syncDue({
  clusters,
  clusterStates,
  clock,
  queues,
  metrics,
}: Pick<Ports, "clusters" | "clusterStates" | "clock" | "queues" | "metrics">): Promise<{
  readonly kind: "asked";
  readonly clusters: number;
}> {
  const now = clock.now();
  const names = clusters.names();
  await queues.send(names.map((cluster) => ({ work: { command: "SyncCluster", id: String(now), cluster } })));
  for (const { name: cluster, lastSyncAt } of (await clusterStatesOf({ clusters, clusterStates })).values())
    if (lastSyncAt !== undefined && now > plus(lastSyncAt, lookIsLateAfter))
      metrics.add("InventoryAgeSeconds", secondsBetween(lastSyncAt, now), { cluster });
  return { kind: "asked", clusters: names.length };
}

/** What became of a look at a cluster. */
export type SyncOutcome =
  | { readonly kind: "unknown-cluster" }
  | { readonly kind: "registered-twice"; readonly as: string }
  | ClusterRefusal
  | { readonly kind: "synced"; readonly complete: boolean; readonly workloads: number; readonly news: number };

type SyncPorts = Pick<Ports, "store" | "clusters" | "clusterStates" | "queues" | "clock" | "metrics">;

/**
 * Compares a cluster with what Lookout knows of it, and sends every workload that differs to a closer look.
 *
 * It writes no records itself. What is missing from a complete list is looked at as well; what is missing from a list of changes is not gone.
 */
export async function syncCluster(work: SyncCluster, ports: SyncPorts, signal: AbortSignal): Promise<SyncOutcome> {
  const cluster = ports.clusters.cluster(work.cluster);
  if (cluster === undefined) return { kind: "unknown-cluster" };
  const now = ports.clock.now();
  const state = (await ports.clusterStates.read(work.cluster)) ?? { name: work.cluster };
  const identity = await identify(cluster, state, ports, signal);
  if (identity.kind !== "identity") return troubled(state, identity, now, ports);
  const { wakes, listsAll } = extentOf(work, state, now);
  const list = await answered(cluster.list(listsAll ? undefined : state.position, signal), state, ports);
  if (list.kind !== "workloads") return troubled(state, list, now, ports);
  const answers: ClusterState = { ...withoutTrouble(state), identity: identity.uid };
  // Before anyone is sent there: whoever is woken finds that it answers, and whoever does not know it yet that others do.
  if (wakes) await ports.clusterStates.write({ ...answers, answeredAt: now, toWake: true });
  const known = await knownOf(work.cluster, list, ports);
  const news = newsOf(list, known);
  await ports.queues.send(news.map((workload) => ({ work: evaluation(work, workload) })));
  if (wakes) await ports.queues.send([...known.records.values()].flatMap((record) => wakesOf(record, work)));
  const followed = list.complete ? { lastCompleteListAt: now } : {};
  await ports.clusterStates.write({ ...answers, ...followed, lastSyncAt: now, position: list.position });
  return { kind: "synced", complete: list.complete, workloads: list.live.length, news: news.length };
}

/** What became of the pushes that a notification told of. */
export interface ReceiveOutcome {
  readonly published: number;
}

/** Publishes pushes, an event for each tag. Whether anyone uses their repositories is asked where they are evaluated. */
export async function receivePushes(
  pushes: readonly PushNotice[],
  source: string,
  { bus, clock }: Pick<Ports, "bus" | "clock">,
): Promise<ReceiveOutcome> {
  const at = clock.now();
  await bus.publish(pushes.flatMap((push) => eventsOf(push, source, at)));
  return { published: pushes.length };
}

/** One for each tag: whoever follows one of them has nothing to do with the others. */
function eventsOf(push: PushNotice, source: string, at: EpochMs): readonly ImagePushed[] {
  const { id, registry, repository, tags, digest } = push;
  const image = { registry, repository, ...(digest === undefined ? {} : { digest }) };
  if (tags.length === 0) return [{ name: "ImagePushed", id, ...image, source, at }];
  const idOf = (tag: string): string => (tags.length === 1 ? id : `${id}#${tag}`);
  return tags.map((tag) => ({ name: "ImagePushed", id: idOf(tag), ...image, tag, source, at }));
}

async function identify(
  cluster: Cluster,
  state: ClusterState,
  ports: SyncPorts,
  signal: AbortSignal,
): Promise<
  | { readonly kind: "identity"; readonly uid: string }
  | { readonly kind: "registered-twice"; readonly as: string }
  | ClusterRefusal
> {
  const { clusters, clusterStates } = ports;
  const identity = await answered(cluster.identity(signal), state, ports);
  if (identity.kind !== "identity") return identity;
  for (const name of clusters.names()) {
    if (name >= state.name) break;
    if ((await clusterStates.read(name))?.identity === identity.uid) return { kind: "registered-twice", as: name };
  }
  return identity;
}

/** A look that fails in a way that nobody thought of is told of as the cluster's problem too: the log alone would be silence. */
async function answered<Answer>(answer: Promise<Answer>, state: ClusterState, ports: SyncPorts): Promise<Answer> {
  return answer.catch(async (error: unknown) => {
    // Messages may hold anything.
    const name = error instanceof Error ? error.name : "unknown error";
    const detail = `Lookout failed while it looked at the cluster (${name}); its log says more`;
    await troubled(state, { kind: "unreachable", detail }, ports.clock.now(), ports);
    throw error;
  });
}

/** The id of a look that a person asked for begins so. */
export const askedLook = "asked:";

/** The id of the first look at a cluster that was registered begins so: it may have been away for a moment only, and updates were held. */
export const addedLook = "added:";

function withoutTrouble({ problem: _, toWake: __, answeredAt: ___, ...rest }: ClusterState): ClusterState {
  return rest;
}

/** Whether a look wakes those who wait for the cluster, and whether it lists all workloads instead of following changes. */
function extentOf(
  { id }: SyncCluster,
  state: ClusterState,
  now: EpochMs,
): { readonly wakes: boolean; readonly listsAll: boolean } {
  const wakes = state.toWake === true || id.startsWith(addedLook) || !answeredLately(state, now);
  const { lastCompleteListAt } = state;
  const isDue = lastCompleteListAt === undefined || now >= plus(lastCompleteListAt, completeListEvery);
  // Workloads that were taken for gone while nobody knew the cluster have not changed.
  return { wakes, listsAll: wakes || isDue || id.startsWith(askedLook) };
}

/** No look was missed: whoever looked at its workloads since the last answer found the cluster configured, and there. */
function answeredLately({ problem, lastSyncAt }: ClusterState, now: EpochMs): boolean {
  return problem === undefined && lastSyncAt !== undefined && now <= plus(lastSyncAt, lookIsLateAfter);
}

function wakesOf(record: WorkloadRecord, look: SyncCluster): readonly OutgoingCommand[] {
  const hint = `sync:${look.id}`;
  const held = record.pending?.waits.some(({ reason }) => isAway(reason)) === true;
  // It may be asked for in an hour only, as it was in vain before.
  const asks = record.tracked && record.needsEvaluation === true && record.failedEvaluations !== undefined;
  return [
    ...(held ? [{ work: wakeNow(record, hint) }] : []),
    ...(isKeptBack(record) ? [{ work: lookNow(record, hint) }] : []),
    ...(asks ? [{ work: evaluation(look, record.workload) }] : []),
  ];
}

async function troubled<Trouble extends ClusterRefusal | { readonly kind: "registered-twice"; readonly as: string }>(
  state: ClusterState,
  trouble: Trouble,
  now: EpochMs,
  { clusterStates, metrics }: SyncPorts,
): Promise<Trouble> {
  const reason = (
    {
      unreachable: "cluster-unreachable",
      denied: "cluster-denied",
      "registered-twice": "cluster-registered-twice",
    } as const
  )[trouble.kind];
  const detail = trouble.kind === "registered-twice" ? `it is the same cluster as ${trouble.as}` : trouble.detail;
  const since = state.problem?.since ?? now;
  await clusterStates.write({ ...state, problem: { reason, detail, since, at: now } });
  metrics.add("ClusterUnreachableSeconds", secondsBetween(since, now), { cluster: state.name, reason });
  return trouble;
}

type Listed = Extract<WorkloadList, { kind: "workloads" }>;

/** What is known of a cluster's workloads: all of them beside a complete list, else those that it names. */
interface Known {
  readonly workloadIndex: readonly string[];
  readonly records: ReadonlyMap<string, WorkloadRecord>;
}

async function knownOf(cluster: string, list: Listed, { store }: SyncPorts): Promise<Known> {
  if (!list.complete && list.live.length + list.deleted.length === 0) return { workloadIndex: [], records: new Map() };
  const listed = new Set(list.live.map(({ workload }) => workloadKey(workload)));
  const workloadIndex = await store.workloadIndex(cluster);
  const records = await store.readMany(workloadIndex.filter((key) => list.complete || listed.has(key)));
  return { workloadIndex, records: new Map(records.map((record) => [workloadKey(record.workload), record])) };
}

function newsOf(list: Listed, { workloadIndex, records }: Known): readonly WorkloadName[] {
  const listed = new Set(list.live.map(({ workload }) => workloadKey(workload)));
  const differing = list.live
    .filter((live) => isNews(records.get(workloadKey(live.workload)), live))
    .map(({ workload }) => workload);
  const gone = list.complete
    ? workloadIndex.filter((key) => !listed.has(key) && records.get(key)?.tracked === true).flatMap(nameOf)
    : [];
  return [...differing, ...gone, ...list.deleted.filter((workload) => workloadIndex.includes(workloadKey(workload)))];
}

function nameOf(key: string): readonly WorkloadName[] {
  const parsed = parseWorkloadKey(key);
  return parsed.ok ? [parsed.value] : [];
}

function evaluation(work: SyncCluster, workload: WorkloadName) {
  return { command: "EvaluateWorkload", id: `${work.id}:${workloadKey(workload)}`, workload, because: "sync" } as const;
}
