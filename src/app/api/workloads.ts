import type {
  DecisionsQuery,
  DecisionsView,
  UnreadableView,
  UpdateHistoryView,
  UpdatesQuery,
  UpdatesView,
  UpdateView,
  workloadOperations,
  WorkloadsQuery,
  WorkloadsView,
  WorkloadView,
} from "#contracts/api/workloads";
import { deepEqual } from "#domain/shared/deep-equal";
import { parseInstant, toIso } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { parseWorkloadKey, workloadKey, type WorkloadName } from "#domain/workload/workload";
import type { UnreadableRecord } from "#ports/store";
import type { UnreadableItem } from "#ports/unreadable-items";
import { clusterStatesOf } from "../shared/cluster-states.ts";
import { pageOf } from "../shared/page.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import { askerOf } from "./asker.ts";
import { explain } from "./explain.ts";
import { readChecks } from "./registry-checks.ts";
import { type Handlers, notFound, type ApiError, type Served } from "./handler.ts";
import { needsUser, reloadView } from "./reloads.ts";
import { unblockWorkload } from "./unblock.ts";
import { removedClusters } from "../shared/unknown-cluster.ts";
import { clusterView, decisionView, observesView, ownRemedies, removedView, updateView, viewOf } from "./views.ts";

/** Returns the handlers for the workloads. */
export function workloadHandlers(served: Served): Handlers<typeof workloadOperations> {
  const { ports, signal } = served;
  return {
    listWorkloads: ({ query }) => listWorkloads(query, ports),
    readWorkload: ({ params }) => ofWorkload(params, (key) => readWorkload(key, ports)),
    explainWorkload: ({ params }) => ofWorkload(params, (key) => explain(key, ports, signal)),
    readDecisions: ({ params, query }) => ofWorkload(params, (key) => readDecisions(key, query, ports)),
    readUpdate: ({ params }) =>
      ofWorkload(params, (key) => readUpdate(key, params.seq, ports), `has no known update ${params.seq}`),
    unblockWorkload: ({ params, body }) =>
      ofWorkload(params, (_, workload) => unblockWorkload(workload, askerOf(served, body.by, body.why), ports, body)),
    listUpdates: ({ query }) => listUpdates(query, ports),
  };
}

/**
 * Returns the view of the workload in a path. Returns a refusal if the path is invalid or `read`
 * finds nothing.
 */
export async function ofWorkload<View>(
  { cluster, namespace, kind, name }: Readonly<Record<"cluster" | "namespace" | "kind" | "name", string>>,
  read: (key: string, workload: WorkloadName) => Promise<View | ApiError | undefined>,
  missing = "is not tracked",
): Promise<View | ApiError> {
  const key = [cluster, namespace, kind.toLowerCase(), name].join("/");
  const workload = parseWorkloadKey(key);
  if (!workload.ok) return { kind: "bad-name", detail: "name a workload as cluster/namespace/kind/name" };
  return (await read(key, workload.value)) ?? notFound(`${key} ${missing}`);
}

/** The number of decisions in which an update is looked up. */
const decisionsRead = 1_000;

/** Returns a page of the tracked workloads, sorted by name, and the state of all clusters. */
async function listWorkloads(query: WorkloadsQuery, ports: Ports): Promise<WorkloadsView> {
  const sights = ports.unreadableItems.sights();
  const [{ records, unreadable }, states, removed] = await Promise.all([
    recordsIn(ports.clusters.names(), query, ports),
    clusterStatesOf(ports),
    removedViews(query, ports),
  ]);
  const checks = await readChecks(records, ports);
  const known = await Promise.all(
    records.map(async (record) => {
      const settings = await settingsOf(record, ports);
      const state = states.get(record.workload.cluster);
      const view = viewOf(record, settings, state, checks, ownRemedies(record, settings, ports));
      return { ...view, ...observesView(record, ports) };
    }),
  );
  const views = [...known, ...removed];
  const workloads = views.filter(({ state }) => query.state === undefined || state === query.state);
  const { rows, end } = pageOf([...workloads, ...unreadable], ({ workload }) => workload, query);
  const ofRecords = rows.filter(isUnreadable);
  const others = ports.unreadableItems
    .seenSince(sights)
    .filter(({ key }) => !unreadable.some((one) => deepEqual(one.key, key)));
  const told = [...ofRecords, ...(query.after === undefined ? others : [])].map(unreadableView);
  const reloads = (ports.reloads?.list() ?? []).filter(needsUser).map(reloadView);
  return {
    at: toIso(ports.clock.now()),
    workloads: rows.flatMap((row) => (isUnreadable(row) ? [] : [row])),
    clusters: [...states.values()].map(clusterView),
    ...(told.length === 0 ? {} : { unreadable: told }),
    ...(reloads.length === 0 || query.after !== undefined ? {} : { reloads }),
    ...end,
  };
}

function isUnreadable(row: WorkloadView | UnreadableRecord): row is UnreadableRecord {
  return "key" in row;
}

function unreadableView({ kind, workload, why }: UnreadableItem & Partial<UnreadableRecord>): UnreadableView {
  return { kind, ...(workload === undefined ? {} : { workload }), why };
}

/** Returns the views of the tracked workloads of removed clusters. */
async function removedViews(query: WorkloadsQuery, ports: Ports): Promise<readonly WorkloadView[]> {
  const removed = await removedClusters(ports);
  const views = removed.map(async (cluster) => {
    const { records } = await recordsIn([cluster.name], query, ports);
    return Promise.all(
      records.map(async (record) => removedView(viewOf(record, await settingsOf(record, ports), undefined), cluster)),
    );
  });
  return (await Promise.all(views)).flat();
}

/** Returns one workload, or undefined for a workload that is not tracked. */
export async function readWorkload(key: string, ports: Ports): Promise<WorkloadView | undefined> {
  const record = await ports.store.read(key);
  if (record?.tracked !== true) return undefined;
  const { cluster } = record.workload;
  const removed = (await removedClusters(ports)).find(({ name }) => name === cluster);
  const settings = await settingsOf(record, ports);
  const state = await ports.clusterStates.read(cluster);
  const own = ownRemedies(record, settings, ports);
  const checks = await readChecks([record], ports);
  const view = { ...viewOf(record, settings, state, checks, own), ...observesView(record, ports) };
  return removed === undefined ? view : removedView(view, removed);
}

/**
 * Returns a page of updates, newest first: the open updates and the last ended update of each
 * workload.
 */
async function listUpdates(query: UpdatesQuery, ports: Ports): Promise<UpdatesView> {
  const { records } = await recordsIn(ports.clusters.names(), query, ports);
  const updates = (await Promise.all(records.map((record) => updatesOf(record, ports))))
    .flat()
    .filter(({ status }) => query.status === undefined || status === query.status);
  const { rows, end } = pageOf(updates, orderOfUpdate, query);
  return { at: toIso(ports.clock.now()), updates: rows, ...end };
}

/** Returns an update and its decisions, or undefined when neither is stored. */
async function readUpdate(key: string, seq: number, ports: Ports): Promise<UpdateHistoryView | undefined> {
  const [record, rows] = await Promise.all([ports.store.read(key), ports.ledger.read(key, decisionsRead)]);
  const decisions = rows.filter((row) => row.seq === seq).map(decisionView);
  const update = record === undefined ? undefined : (await updatesOf(record, ports)).find((one) => one.seq === seq);
  if (update === undefined && decisions.length === 0) return undefined;
  return { workload: key, seq, ...(update === undefined ? {} : { update }), decisions };
}

/** Returns the history of a workload, newest first. The history of an unknown workload is empty. */
export async function readDecisions(
  key: string,
  { limit, since }: DecisionsQuery,
  { ledger }: Ports,
): Promise<DecisionsView> {
  const from = since === undefined ? undefined : parseInstant(since);
  const rows = (await ledger.read(key, limit)).filter(({ at }) => from === undefined || at >= from);
  return { workload: key, decisions: rows.map(decisionView) };
}

/** The tracked records of clusters, and their records that can't be read. */
interface FoundRecords {
  readonly records: readonly WorkloadRecord[];
  readonly unreadable: readonly UnreadableRecord[];
}

/** Returns the records of a cluster or namespace, sorted by key. */
async function recordsIn(
  clusters: readonly string[],
  { cluster, namespace }: Pick<WorkloadsQuery, "cluster" | "namespace">,
  { store }: Ports,
): Promise<FoundRecords> {
  const names = clusters.filter((name) => cluster === undefined || name === cluster);
  const workloadIndexes = await Promise.all(names.map((name) => store.workloadIndex(name)));
  const keys = workloadIndexes.flat().filter((key) => namespace === undefined || key.split("/")[1] === namespace);
  const records = await store.readMany(keys);
  const read = new Set(records.map(({ workload }) => workloadKey(workload)));
  const unreadable = await store.unreadable(keys.filter((key) => !read.has(key)));
  return { records: records.filter(({ tracked }) => tracked), unreadable };
}

const latest = Date.parse("9999-12-31T23:59:59.999Z");

/** Returns a text that sorts updates by the instant of their selection, newest first. */
function orderOfUpdate({ selectedAt, workload, seq }: UpdateView): string {
  const left = String(latest - (parseInstant(selectedAt) ?? 0)).padStart(15, "0");
  return `${left} ${workload} ${seq}`;
}

async function updatesOf(record: WorkloadRecord, ports: Ports): Promise<readonly UpdateView[]> {
  const own = record.pending === undefined ? {} : ownRemedies(record, await settingsOf(record, ports), ports);
  return [record.active, record.pending, record.last].flatMap((update) =>
    update === undefined ? [] : [updateView(record, update, own)],
  );
}
