import type {
  DecisionsQuery,
  DecisionsView,
  UpdateHistoryView,
  UpdatesQuery,
  UpdatesView,
  UpdateView,
  workloadOperations,
  WorkloadView,
} from "#contracts/api/workloads";
import { parseInstant, toIso } from "#domain/shared/time";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { parseWorkloadKey, type WorkloadName } from "#domain/workload/workload";
import { pageOf } from "../shared/page.ts";
import type { Ports } from "../shared/ports.ts";
import { recordsOf, settingsOf } from "../shared/records.ts";
import { askerOf } from "./asker.ts";
import { explain } from "./explain.ts";
import { readChecks } from "./registry-checks.ts";
import { type Handlers, notFound, type ApiError, type Served } from "./handler.ts";
import { unblockWorkload } from "./unblock.ts";
import { removedClusters } from "../shared/unknown-cluster.ts";
import { tellMembers } from "./tier-members.ts";
import { listWorkloads } from "./workload-list.ts";
import { decisionView, observesView, ownRemedies, removedView, updateView, viewOf } from "./views.ts";

/** Returns the handlers for the workloads. */
export function workloadHandlers(served: Served): Handlers<typeof workloadOperations> {
  const { ports, signal } = served;
  return {
    listWorkloads: ({ query }) => listWorkloads(query, ports, served.allPorts),
    readWorkload: ({ params }) => ofWorkload(params, (key) => readWorkload(key, ports)),
    explainWorkload: ({ params, query }) => ofWorkload(params, (key) => explain(key, ports, signal, query.tag)),
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
  const shown = viewOf(record, settings, state, checks, own);
  const tell = await tellMembers(shown.reasons, record.pending?.changes ?? [], ports);
  const view = { ...shown, ...observesView(record, ports), reasons: shown.reasons.map(tell) };
  return removed === undefined ? view : removedView(view, removed);
}

/**
 * Returns a page of updates, newest first: the open updates and the last ended update of each
 * workload.
 */
async function listUpdates(query: UpdatesQuery, ports: Ports): Promise<UpdatesView> {
  const { cluster, namespace } = query;
  const scope = { ...(cluster !== undefined && { cluster }), ...(namespace !== undefined && { namespace }) };
  const records = (await recordsOf(scope, ports)).filter(({ tracked }) => tracked);
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
