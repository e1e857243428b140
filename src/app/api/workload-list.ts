import {
  statesIn,
  workloadStates,
  type WorkloadsQuery,
  type WorkloadState,
  type WorkloadsView,
  type WorkloadView,
} from "#contracts/api/workloads";
import { deepEqual } from "#domain/shared/deep-equal";
import { ok, type Result } from "#domain/shared/result";
import { sha256 } from "#domain/shared/sha256";
import { toIso } from "#domain/shared/time";
import { type LabelSelector, parseLabelSelector } from "#domain/workload/label-selector";
import { workloadKey } from "#domain/workload/workload";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { UnreadableRecord } from "#ports/store";
import type { ClusterState } from "#ports/cluster-states";
import { clusterStatesOf } from "../shared/cluster-states.ts";
import { pageOf } from "../shared/page.ts";
import type { Ports } from "../shared/ports.ts";
import { settingsOf } from "../shared/records.ts";
import type { RemovedCluster } from "../shared/unknown-cluster.ts";
import type { ApiError } from "./handler.ts";
import { type PresentRow, presentRows, rowView } from "./present-rows.ts";
import { readChecks } from "./registry-checks.ts";
import { needsUser, reloadView } from "./reloads.ts";
import { tellMembers } from "./tier-members.ts";
import { clusterView, observesView, ownRemedies, removedView, unreadableView, viewOf } from "./views.ts";

/**
 * Returns a page of the tracked workloads, and the state of all clusters. The rows of the fleet are
 * filtered and counted; only `view=whole` reads records, those of its page.
 *
 * @param all - the ports that are not limited to the caller's scope.
 */
export async function listWorkloads(
  query: WorkloadsQuery,
  ports: Ports,
  all: Ports = ports,
): Promise<WorkloadsView | ApiError> {
  const selector = query.selector === undefined ? ok(everything) : parseLabelSelector(query.selector);
  if (!selector.ok) return { kind: "bad-request", detail: `selector: ${selector.problem}` };
  const place = placeAfter(query);
  if (!place.ok) return { kind: "bad-request", detail: place.problem };
  const sights = ports.unreadableItems.sights();
  const [present, states] = await Promise.all([presentRows(query, ports, all), clusterStatesOf(ports)]);
  const fitting = present.filter(({ row }) => fits(row, query, selector.value));
  const wanted: ReadonlySet<string> = new Set(query.state === undefined ? workloadStates : statesIn(query.state));
  const shown = fitting.filter(({ state }) => wanted.has(state));
  const after = place.value;
  const { rows, end } = pageOf(shown, orders[query.sort], {
    limit: query.limit,
    ...(after !== undefined && { after }),
  });
  const isFirst = after === undefined;
  const whole = query.view === "whole" ? await wholeViews(rows, states, ports) : nothingWhole;
  return {
    at: toIso(ports.clock.now()),
    workloads: whole.views.filter(({ state }) => wanted.has(state)),
    rows: query.view === "row" ? rows.map((row) => rowView(row, ports)) : [],
    total: shown.length,
    counts: countsOf(fitting),
    clusters: [...states.values()].map(clusterView),
    ...troubleOf(whole, isFirst ? sights : undefined, ports),
    ...(end.next === undefined ? {} : { next: cursorOf(query, end.next) }),
  };
}

/** Returns the items of a page that can't be read, and what only the first page tells. */
function troubleOf(
  { unreadable }: Whole,
  sights: number | undefined,
  { unreadableItems, reloads }: Ports,
): Pick<WorkloadsView, "unreadable" | "reloads"> {
  const seen = sights === undefined ? [] : unreadableItems.seenSince(sights);
  const others = seen.filter(({ key }) => !unreadable.some((one) => deepEqual(one.key, key)));
  const told = [...unreadable, ...others].map(unreadableView);
  const changed = sights === undefined ? [] : (reloads?.list() ?? []).filter(needsUser).map(reloadView);
  return {
    ...(told.length === 0 ? {} : { unreadable: told }),
    ...(changed.length === 0 ? {} : { reloads: changed }),
  };
}

function everything(): boolean {
  return true;
}

type Filters = Pick<WorkloadsQuery, "image" | "q">;

function fits(row: PresentRow["row"], { image, q }: Filters, selects: LabelSelector): boolean {
  const { workload, runs, wants, labels = {} } = row;
  if (q !== undefined && !workload.includes(q)) return false;
  if (image !== undefined && ![...runs, ...wants].some(({ imageName }) => imageName.includes(image))) return false;
  return selects(labels);
}

function countsOf(rows: readonly PresentRow[]): WorkloadsView["counts"] {
  const counts: Partial<Record<WorkloadState, number>> = {};
  for (const { state } of rows) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}

/** The states in the order of attention. */
const byAttention: readonly WorkloadState[] = [
  ...([
    "problem",
    "blocked",
    "reverted",
    "rolling-back",
    "removed",
    "suspended",
    "kept",
    "held",
    "rolling-out",
    "patching",
    "released",
  ] as const),
  ...(["newer-skipped", "up-to-date"] as const),
];
const ranks = new Map(workloadStates.map((state) => [state, String(byAttention.indexOf(state)).padStart(2, "0")]));

/** The place of a row in each order. */
const orders: Readonly<Record<WorkloadsQuery["sort"], (row: PresentRow) => string>> = {
  name: ({ row }) => row.workload,
  state: ({ row, state }) => `${ranks.get(state) ?? ""} ${row.workload}`,
  since: ({ row, since }) => `${String(since).padStart(15, "0")} ${row.workload}`,
};

/** Returns a text that differs between lists whose pages don't follow each other. */
function listOf({ cluster, namespace, state, image, q, selector, sort }: WorkloadsQuery): string {
  return sha256(JSON.stringify([cluster, namespace, state, image, q, selector, sort])).slice(0, 8);
}

function cursorOf(query: WorkloadsQuery, place: string): string {
  return `${listOf(query)}.${Buffer.from(place, "utf8").toString("base64url")}`;
}

/** Returns the place after which a page begins; undefined for the first page. */
function placeAfter(query: WorkloadsQuery): Result<string | undefined, string> {
  if (query.after === undefined) return ok(undefined);
  const [list, place = ""] = query.after.split(".");
  if (list === listOf(query) && place !== "") return ok(Buffer.from(place, "base64url").toString("utf8"));
  return {
    ok: false,
    problem:
      "after: it is of another list: pass the next of the page before with the same filters and the same sort, or leave it out for the first page",
  };
}

interface Whole {
  readonly views: readonly WorkloadView[];
  readonly unreadable: readonly UnreadableRecord[];
}

const nothingWhole: Whole = { views: [], unreadable: [] };

/** Reads the records of a page. A record may be newer than its row. */
async function wholeViews(
  rows: readonly PresentRow[],
  states: ReadonlyMap<string, ClusterState>,
  ports: Ports,
): Promise<Whole> {
  const keys = rows.map(({ row }) => row.workload);
  const removed = new Map(rows.map((one) => [one.row.workload, one.removed]));
  const found = await ports.store.readMany(keys);
  const read = new Set(found.map(({ workload }) => workloadKey(workload)));
  const missing = keys.filter((key) => !read.has(key));
  const unreadable = await ports.store.unreadable(missing);
  const records = found.filter(({ tracked }) => tracked);
  const checks = await readChecks(records, ports);
  const views = await Promise.all(
    records.map((record) => wholeView(record, removed.get(workloadKey(record.workload)), states, checks, ports)),
  );
  const [only, ...others] = views;
  // A list of one workload tells as much as the view of the workload does.
  if (only === undefined || others.length > 0) return { views, unreadable };
  const tell = await tellMembers(only.reasons, records[0]?.pending?.changes ?? [], ports);
  return { views: [{ ...only, reasons: only.reasons.map(tell) }], unreadable };
}

async function wholeView(
  record: WorkloadRecord,
  removed: RemovedCluster | undefined,
  states: ReadonlyMap<string, ClusterState>,
  checks: Awaited<ReturnType<typeof readChecks>>,
  ports: Ports,
): Promise<WorkloadView> {
  const settings = await settingsOf(record, ports);
  if (removed !== undefined) return removedView(viewOf(record, settings, undefined), removed);
  const view = viewOf(
    record,
    settings,
    states.get(record.workload.cluster),
    checks,
    ownRemedies(record, settings, ports),
  );
  return { ...view, ...observesView(record, ports) };
}
