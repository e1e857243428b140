import { extraCheck, extraWake } from "#domain/update/effects/commands";
import { secondsBetween } from "#domain/update/effects/metrics";
import { differsFromRecord } from "#domain/update/decide/observe";
import type { DefinitionProblem } from "#domain/definitions/definition-problem";
import { nodeRuleOf } from "#domain/gates/node-rules";
import { isEnabled } from "#domain/settings/settings";
import { isAway, retryOf } from "#domain/shared/reasons";
import { type EpochMs, hours, minutes, plus, seconds } from "#domain/shared/time";
import { withoutUndefined } from "#domain/shared/without-undefined";
import { atMostNow, isAhead } from "#domain/shared/wrong-clock";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { SyncCluster } from "#domain/update/commands";
import { askedBy } from "#domain/workload/asked-of-nodes";
import {
  areOtherNodes,
  dueListing,
  isCrowded,
  listedNodes,
  noteCrowd,
  type NodeFacts,
} from "#domain/workload/node-facts";
import { parseWorkloadKey, type WorkloadName, workloadKey } from "#domain/workload/workload";
import type { Cluster, ClusterRefusal, WorkloadList } from "#ports/cluster";
import type { ClusterState } from "#ports/cluster-states";
import type { OutgoingCommand } from "#ports/messaging";
import { clusterStatesOf } from "../shared/cluster-states.ts";
import type { Ports } from "../shared/ports.ts";
import { syncDefinitions } from "./definitions.ts";
import { driftNews } from "./digest-drift.ts";
import { marksOf, type Observation, observationOf } from "./observation.ts";
import { reportDefinitions } from "./report-definitions.ts";
import { noteDefinitionProblems } from "./definition-problems.ts";
import { listedSince, placeServices } from "./service-places.ts";
import { type FoundTierRules, misplacedIn, tierRulesOf } from "./tier-rules.ts";

/** The interval of complete lists. The syncs between them list only changes. */
const completeListEvery = hours(1);

/**
 * The interval of complete lists while workloads use more node labels than a cluster state stores, or are not in the
 * tiers of their ServiceImage.
 */
const crowdedListEvery = minutes(10);

/** The time after which a sync is late. A sync starts every minute. */
const syncIsLateAfter = seconds(90);

/** Queues a `SyncCluster` for each cluster, and measures the age of overdue syncs. */
export async function syncDue(ports: Ports): Promise<{ readonly kind: "asked"; readonly clusters: number }> {
  const { clusters, clock, queues, metrics } = ports;
  const now = clock.now();
  const names = clusters.names();
  await queues.send(names.map((cluster) => ({ command: { name: "SyncCluster", id: String(now), cluster } })));
  for (const { name: cluster, lastSyncAt } of (await clusterStatesOf(ports)).values())
    if (lastSyncAt !== undefined && now > plus(lastSyncAt, syncIsLateAfter))
      metrics.add("InventoryAgeSeconds", secondsBetween(lastSyncAt, now), { cluster });
  return { kind: "asked", clusters: names.length };
}

/** The outcome of a `SyncCluster`. */
export type SyncOutcome =
  | { readonly kind: "unknown-cluster" }
  | { readonly kind: "registered-twice"; readonly as: string }
  | ClusterRefusal
  | {
      readonly kind: "synced";
      readonly complete: boolean;
      readonly workloads: number;
      readonly news: number;
      /** What is wrong with the definitions. Absent if nothing is. */
      readonly definitionProblems?: readonly DefinitionProblem[];
    };

/**
 * Compares a cluster with its records, and queues an `EvaluateWorkload` for each workload that
 * differs.
 *
 * A sync writes no records. A workload that is missing from a complete list is evaluated too.
 */
export async function syncCluster(command: SyncCluster, ports: Ports, signal: AbortSignal): Promise<SyncOutcome> {
  const cluster = ports.clusters.cluster(command.cluster);
  if (cluster === undefined) return { kind: "unknown-cluster" };
  const now = ports.clock.now();
  const state = (await ports.clusterStates.read(command.cluster)) ?? { name: command.cluster };
  const identity = await identify(cluster, state, ports, signal);
  if (identity.kind !== "identity") return storeProblem(state, identity, now, ports);
  const { answersAgain, from } = extentOf(command, state, now);
  const definitions = await answered(syncDefinitions(cluster, state, from === undefined, ports, signal), state, ports);
  const list = await answered(cluster.list(listedSince(definitions, from), signal), state, ports);
  if (list.kind !== "workloads") return storeProblem(state, list, now, ports);
  const nodes = await nodesOf(command, cluster, list, state, ports, signal);
  // The updates that wait for the cluster, or for its nodes, go on.
  const wakes = answersAgain || (nodes !== undefined && areOtherNodes(state.nodes, nodes));
  const answers: ClusterState = withoutUndefined({ ...withoutProblem(state), identity: identity.uid, nodes });
  // The state is written first, because the functions that run the commands must read that the
  // cluster answers.
  if (wakes) await ports.clusterStates.write({ ...answers, answeredAt: now, toWake: true });
  const observation = observationOf(state, ports);
  const tiers = tierRulesOf(state, ports);
  const known = await knownOf(command.cluster, list, { wakes, begins: beginsAny(observation, tiers) }, ports);
  const news = newsOf(list, known);
  const drifting = await driftNews(cluster, { ...list, cluster: command.cluster }, known.records, ports, signal);
  const misplaced = misplacedIn(known.records.values(), ports);
  // Before the evaluations, because a late one must not find the lower tiers open.
  const places = await placeServices(definitions, list, known.records, state, ports);
  const asked = [...news, ...definitions.changed, ...places.opened, ...drifting, ...misplaced];
  const evaluated = workloadsToEvaluate(asked, known, wakes);
  await ports.queues.send(evaluated.map((workload) => ({ command: evaluation(command, workload) })));
  if (wakes) await ports.queues.send([...known.records.values()].flatMap((record) => wakesOf(record, command)));
  await ports.queues.send(marksOf(known.records.values(), command, ports));
  const followed = list.complete ? { lastCompleteListAt: now } : {};
  const placed = misplaced.length === 0 && !tracksNew(news, known) ? tiers.present : tiers.before;
  const stored = { ...answers, ...followed, ...observation.stored, ...placed, ...definitions.stored, ...places.stored };
  const synced: ClusterState = withoutUndefined({ ...stored, lastSyncAt: now, position: places.position });
  await ports.clusterStates.write(synced);
  const unreported = await reportDefinitions({ synced: places.synced, list }, cluster, ports, signal);
  const problems = await noteDefinitionProblems(synced, definitions, unreported, ports);
  const counts = { complete: list.complete, workloads: list.live.length, news: news.length };
  return { kind: "synced", ...counts, ...problems };
}

/** Returns whether an observation may have begun, or the tiers have changed, so that all records are read. */
function beginsAny({ begins }: Observation, { changed }: FoundTierRules): boolean {
  return begins || changed;
}

/** Returns whether a workload is tracked from now on, so that its place among the tiers is not stored yet. */
function tracksNew(news: readonly WorkloadName[], { records }: Known): boolean {
  return news.some((workload) => records.get(workloadKey(workload))?.tracked !== true);
}

/**
 * Returns the nodes of a cluster, and lists the nodes again when due. Undefined if the cluster has
 * no node rule.
 *
 * A cluster that gives no answer keeps its last listing.
 */
async function nodesOf(
  { id }: SyncCluster,
  cluster: Cluster,
  { live, complete }: Listed,
  { name, nodes: before }: ClusterState,
  { clock, rules: { nodes: nodeRules } }: Ports,
  signal: AbortSignal,
): Promise<NodeFacts | undefined> {
  if (nodeRuleOf(nodeRules, name) === undefined) return undefined;
  const now = clock.now();
  const placed = live.flatMap(({ workload: { namespace }, annotations, placement }) =>
    placement !== undefined && isEnabled(annotations) ? [{ namespace, placement }] : [],
  );
  const sync = { asked: askedBy(placed), complete, requested: id.startsWith(askedSync) };
  const due = dueListing(before, sync, now);
  if (due === undefined) return noteCrowd(before, before, sync);
  const list = await cluster.nodes(due, signal);
  if (list.kind === "denied") return { kind: "denied", at: now, detail: list.detail };
  return noteCrowd(list.kind === "nodes" ? listedNodes(list.nodes, due, before, now) : before, before, sync);
}

async function identify(
  cluster: Cluster,
  state: ClusterState,
  ports: Ports,
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

/** Returns a cluster's answer. Stores an unexpected failure as the cluster's problem, for users. */
async function answered<Answer>(answer: Promise<Answer>, state: ClusterState, ports: Ports): Promise<Answer> {
  return answer.catch(async (error: unknown) => {
    // The message of an unknown error may contain secrets.
    const name = error instanceof Error ? error.name : "unknown error";
    const detail = `Lookout failed while it synced the cluster (${name}). See the log of Lookout.`;
    await storeProblem(state, { kind: "unreachable", detail }, ports.clock.now(), ports);
    throw error;
  });
}

/** The prefix of the id of a sync that a user requested. */
export const askedSync = "asked:";

/**
 * The prefix of the id of an added cluster's first sync. This sync wakes the updates that waited
 * for the cluster.
 */
export const addedSync = "added:";

function withoutProblem(state: ClusterState): ClusterState {
  const {
    problem: _,
    toWake: __,
    answeredAt: ___,
    nodes: ____,
    observes: _____,
    tiers: ______,
    definitions: _______,
    definitionProblems: ________,
    placingSince: _________,
    ...rest
  } = state;
  return rest;
}

/**
 * Returns whether the cluster answers after an outage or for the first time, and the position from which the
 * sync lists changes. Undefined if it lists all workloads.
 */
function extentOf(
  { id }: SyncCluster,
  state: ClusterState,
  now: EpochMs,
): { readonly answersAgain: boolean; readonly from: ClusterState["position"] } {
  const answersAgain = state.toWake === true || id.startsWith(addedSync) || !answeredLately(state, now);
  const { lastCompleteListAt } = state;
  const every = isCrowded(state.nodes) || state.placingSince !== undefined ? crowdedListEvery : completeListEvery;
  const isDue =
    lastCompleteListAt === undefined || isAhead(lastCompleteListAt, now) || now >= plus(lastCompleteListAt, every);
  // A list of changes lacks the workloads that were untracked while the cluster was unknown.
  const listsAll = answersAgain || isDue || id.startsWith(askedSync);
  return { answersAgain, from: listsAll ? undefined : state.position };
}

/**
 * Returns whether the last sync was recent and successful. In that case, no update waits for the
 * cluster.
 */
function answeredLately({ problem, lastSyncAt }: ClusterState, now: EpochMs): boolean {
  return problem === undefined && lastSyncAt !== undefined && now <= plus(lastSyncAt, syncIsLateAfter);
}

function wakesOf(record: WorkloadRecord, sync: SyncCluster): readonly OutgoingCommand[] {
  const requestedBy = `sync:${sync.id}`;
  const held = record.pending?.waits.some(({ reason }) => isAway(reason) || retryOf(reason) === "nodes") === true;
  return [
    ...(held ? [{ command: extraWake(record, requestedBy) }] : []),
    ...(record.retry?.pause?.reason === "cluster-unreachable" ? [{ command: extraCheck(record, requestedBy) }] : []),
  ];
}

/**
 * Returns the workloads to evaluate, each once. These are the changed workloads, and after an
 * outage also the workloads with failed evaluations. The next evaluation of such a workload may be
 * an hour away.
 */
function workloadsToEvaluate(
  news: readonly WorkloadName[],
  { records }: Known,
  wakes: boolean,
): readonly WorkloadName[] {
  const waiting = [...records.values()].filter(
    ({ tracked, needsEvaluation, retry }) =>
      wakes && tracked && needsEvaluation === true && retry?.failedEvaluations !== undefined,
  );
  const all = [...news, ...waiting.map(({ workload }) => workload)];
  return [...new Map(all.map((workload) => [workloadKey(workload), workload])).values()];
}

async function storeProblem<
  Trouble extends ClusterRefusal | { readonly kind: "registered-twice"; readonly as: string },
>(state: ClusterState, trouble: Trouble, now: EpochMs, { clusterStates, metrics }: Ports): Promise<Trouble> {
  const reason = (
    {
      unreachable: "cluster-unreachable",
      denied: "cluster-denied",
      "registered-twice": "cluster-registered-twice",
    } as const
  )[trouble.kind];
  const detail = trouble.kind === "registered-twice" ? `this cluster is the same as ${trouble.as}` : trouble.detail;
  const since = atMostNow(state.problem?.since ?? now, now);
  await clusterStates.write({ ...state, problem: { reason, detail, since, at: now } });
  metrics.add("ClusterUnreachableSeconds", secondsBetween(since, now), { cluster: state.name, reason });
  return trouble;
}

type Listed = Extract<WorkloadList, { kind: "workloads" }>;

/**
 * The workload index of a cluster, and its records. After a complete list, and before waiting
 * updates are woken, these are all records. Otherwise they are the records of the listed workloads.
 */
interface Known {
  readonly workloadIndex: readonly string[];
  /** The workloads whose record can't be read, so that their evaluation would fail. */
  readonly unreadable: ReadonlySet<string>;
  readonly records: ReadonlyMap<string, WorkloadRecord>;
}

async function knownOf(
  cluster: string,
  list: Listed,
  { wakes, begins }: Pick<Observation, "begins"> & { readonly wakes: boolean },
  { store }: Ports,
): Promise<Known> {
  const readsAll = list.complete || wakes || begins;
  if (!readsAll && list.live.length + list.deleted.length === 0) return noneKnown;
  const listed = new Set(list.live.map(({ workload }) => workloadKey(workload)));
  const workloadIndex = await store.workloadIndex(cluster);
  const asked = workloadIndex.filter((key) => readsAll || listed.has(key));
  const records = new Map((await store.readMany(asked)).map((record) => [workloadKey(record.workload), record]));
  const missing = await store.unreadable(asked.filter((key) => !records.has(key)));
  return { workloadIndex, records, unreadable: new Set(missing.map(({ workload }) => workload)) };
}

const noneKnown: Known = { workloadIndex: [], records: new Map(), unreadable: new Set() };

function newsOf(list: Listed, { workloadIndex, records, unreadable }: Known): readonly WorkloadName[] {
  const listed = new Set(list.live.map(({ workload }) => workloadKey(workload)));
  const differing = list.live
    .filter(({ workload }) => !unreadable.has(workloadKey(workload)))
    .filter((live) => differsFromRecord(records.get(workloadKey(live.workload)), live))
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

function evaluation(sync: SyncCluster, workload: WorkloadName) {
  return { name: "EvaluateWorkload", id: `${sync.id}:${workloadKey(workload)}`, workload, source: "sync" } as const;
}
