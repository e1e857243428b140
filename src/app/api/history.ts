import type { historyOperations, HistoryQuery, HistoryView } from "#contracts/api/history";
import type { HistoryRow } from "#domain/history/history-row";
import { sha256 } from "#domain/shared/sha256";
import { compareTexts } from "#domain/shared/text-order";
import { type EpochMs, epochMs, parseInstant, toIso } from "#domain/shared/time";
import { keptInHistory, type PlacedRow } from "#ports/history";
import type { Ports } from "../shared/ports.ts";
import { noteEndedFreezes } from "../shared/acts.ts";
import { chainOf } from "./chain.ts";
import { readDigest } from "./digests.ts";
import type { ApiError, Handlers, Served } from "./handler.ts";
import { type HistoryRowView, rowView } from "./history-views.ts";
import { listImages } from "./images.ts";

/** Returns the handlers for the history, the running images and the digests. */
export function historyHandlers(served: Served): Handlers<typeof historyOperations> {
  return {
    listHistory: ({ query }) => listHistory(query, served),
    listImages: ({ query }) => listImages(query, served.ports),
    readDigest: ({ params, query }) => readDigest(params.digest, query.at, served.ports),
  };
}

/** Rows of the history are read in pages of this size until enough of them fit the filter. */
const rowsPerRead = 500;
/** The rows that one request reads. A page may then be short, and `next` continues. */
const mostRead = 10_000;

/** Returns a page of the history, the newest first. */
async function listHistory(query: HistoryQuery, served: Served): Promise<HistoryView | ApiError> {
  const { ports, allPorts } = served;
  const now = ports.clock.now();
  const after = placeIn(query);
  if (after === "foreign")
    return { kind: "bad-request", detail: "after belongs to a list with other filters: leave out after" };
  await noteEndedFreezes(await allPorts.freezes.list(), now, allPorts);
  const at = toIso(now);
  const isWanted = wanted(query);
  if (query.of !== undefined) {
    const chain = await chainOf(query.of, served);
    if ("kind" in chain) return chain;
    const { since, until } = spanOf(query, now);
    const rows = chain.filter((row) => isWanted(row) && row.at >= toIso(since) && row.at < toIso(until));
    return { at, ...pageOfViews(rows, after, query) };
  }
  const found = await rowsOf(query, after, now, (row) => isWanted(rowView(row)), ports);
  const { rows, next } = found;
  return {
    at,
    rows: rows.map(({ row }) => rowView(row)),
    ...(next === undefined ? {} : { next: cursorOf(next, query) }),
  };
}

/** Reads rows until a page is full, the part has no more rows, or the request has read enough. */
async function rowsOf(
  query: HistoryQuery,
  from: string | undefined,
  now: EpochMs,
  isWanted: (row: HistoryRow) => boolean,
  { history }: Ports,
): Promise<{ readonly rows: readonly PlacedRow[]; readonly next?: string }> {
  const found: PlacedRow[] = [];
  let after = from;
  for (let read = 0; read < mostRead; read += rowsPerRead) {
    const part = { ...spanOf(query, now), limit: rowsPerRead, ...(after === undefined ? {} : { after }) };
    const { rows, next } = await history.read(part);
    found.push(...rows.filter(({ row }) => isWanted(row)));
    const last = found[query.limit - 1];
    if (last !== undefined) {
      const isLast = found.length === query.limit && next === undefined;
      return { rows: found.slice(0, query.limit), ...(isLast ? {} : { next: last.place }) };
    }
    if (next === undefined) return { rows: found };
    after = next;
  }
  return { rows: found, ...(after === undefined ? {} : { next: after }) };
}

/** Returns the span of a query. Clocks may differ a little, so the present is a day long. */
function spanOf({ since, until }: HistoryQuery, now: EpochMs): { readonly since: EpochMs; readonly until: EpochMs } {
  const day = 86_400_000;
  return {
    since: (since === undefined ? undefined : parseInstant(since)) ?? epochMs(Math.max(0, now - keptInHistory)),
    until: (until === undefined ? undefined : parseInstant(until)) ?? epochMs(now + day),
  };
}

function wanted({ by, what, cluster, namespace }: HistoryQuery): (row: HistoryRowView) => boolean {
  return (row) => {
    const [ofCluster, ofNamespace] = (row.workload ?? row.scope ?? "").split("/");
    return (
      (by === undefined || row.by === by) &&
      (what === undefined || row.what === what || row.ended === what) &&
      (cluster === undefined || ofCluster === cluster) &&
      (namespace === undefined || ofNamespace === namespace)
    );
  };
}

/** Returns a page of views that are all in memory. */
function pageOfViews(
  views: readonly HistoryRowView[],
  after: string | undefined,
  query: HistoryQuery,
): Pick<HistoryView, "rows" | "next"> {
  const placed = views
    .map((row) => ({ place: `${row.at}#${row.id}`, row }))
    .toSorted((one, other) => compareTexts(other.place, one.place))
    .filter(({ place }) => after === undefined || place < after);
  const rows = placed.slice(0, query.limit);
  const last = placed.length > query.limit ? rows.at(-1) : undefined;
  return {
    rows: rows.map(({ row }) => row),
    ...(last === undefined ? {} : { next: cursorOf(last.place, query) }),
  };
}

/** Returns the cursor of a place: it also names the filters of its list. */
function cursorOf(place: string, query: HistoryQuery): string {
  return `${filterMark(query)}.${place}`;
}

/** Returns the place of a query's cursor, or that the cursor is of another list. */
function placeIn(query: HistoryQuery): string | undefined {
  const { after } = query;
  if (after === undefined) return undefined;
  const mark = `${filterMark(query)}.`;
  return after.startsWith(mark) ? after.slice(mark.length) : "foreign";
}

function filterMark({ after: _, limit: __, ...filters }: HistoryQuery): string {
  return sha256(JSON.stringify(Object.entries(filters).sort(([one], [other]) => compareTexts(one, other)))).slice(0, 8);
}
