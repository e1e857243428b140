import { coversArea } from "#domain/access/scope";
import type { HistoryRow } from "#domain/history/history-row";
import { isDigest } from "#domain/image/reference";
import { printableText, shortened } from "#domain/shared/shown-text";
import { epochMs } from "#domain/shared/time";
import { factNames } from "#domain/update/events";
import { parseWorkloadKey, workloadKey } from "#domain/workload/workload";
import { keptInHistory } from "#ports/history";
import { mapBounded } from "../shared/bounded.ts";
import type { Ports } from "../shared/ports.ts";
import { allRecords } from "../shared/records.ts";
import { type ApiError, notFound, type Served } from "./handler.ts";
import { decisionRow, type HistoryRowView, rowView } from "./history-views.ts";

/** The decisions of a workload that a chain reads. */
const decisionsRead = 1_000;
/** The rows of the history that are searched for an id or a digest. */
const rowsRead = 10_000;
const rowsPerRead = 1_000;
const workloadsAtOnce = 8;

/** A workload, and one of its updates. Without an update, all of them. */
interface Part {
  readonly workload: string;
  readonly seq?: number;
}

/**
 * Returns everything about one thing, or why there is nothing: the id of an event, a row or a push, a
 * digest, a workload, or an update as `workload#17`.
 */
export async function chainOf(of: string, served: Served): Promise<readonly HistoryRowView[] | ApiError> {
  const found = await rowsAbout(of, served);
  if (found.length > 0) return uniqueRows(found);
  const shown = printableText(shortened(of, 100));
  return notFound(
    `Lookout knows nothing about ${shown}: name the id of an event or of a push, a whole digest, a workload, or an update as cluster/namespace/kind/name#17`,
  );
}

async function rowsAbout(of: string, served: Served): Promise<readonly HistoryRowView[]> {
  const { ports } = served;
  if (isDigest(of)) return digestRows(of, served);
  const [, named = of, number] = /^(.+)#(\d{1,12})$/.exec(of) ?? [];
  if (parseWorkloadKey(named).ok) {
    const seq = number === undefined ? {} : { seq: Number(number) };
    return decisionRows([{ workload: named, ...seq }], served);
  }
  const steps = await ports.pushes.stepsOf(of);
  if (steps.length > 0) return decisionRows(steps, served);
  return idRows(of, served);
}

/** Returns the chain of an event or of a row, by its id. */
async function idRows(id: string, served: Served): Promise<readonly HistoryRowView[]> {
  const rows = await searched((row) => row.id === id, served.ports);
  const event = eventIn(id);
  const [row] = rows;
  if (row?.workload !== undefined && row.seq !== undefined)
    return decisionRows([{ workload: row.workload, seq: row.seq }], served);
  if (row?.scope !== undefined || row?.subject !== undefined)
    return (await searched((one) => one.scope === row.scope && one.subject === row.subject, served.ports))
      .filter(({ workload }) => workload === undefined)
      .map(rowView);
  if (event === undefined) return rows.map(rowView);
  const record = (await allRecords(served.ports)).find(({ uid }) => uid === event.uid);
  if (record === undefined) return rows.map(rowView);
  const workload = workloadKey(record.workload);
  const chain = await decisionRows([{ workload, ...(event.seq === 0 ? {} : { seq: event.seq }) }], served);
  return event.seq === 0 ? chain.filter((one) => one.id.startsWith(`${event.uid}/0/${event.version}/`)) : chain;
}

/** Returns the parts of the id of a fact or of a row of a record. */
function eventIn(id: string): { readonly uid: string; readonly seq: number; readonly version: number } | undefined {
  const [, uid, seq, version, name] = /^(.+)\/(\d{1,12})\/(\d{1,12})\/([A-Za-z-]+)$/.exec(id) ?? [];
  if (uid === undefined || seq === undefined || version === undefined || name === undefined) return undefined;
  const isKnown = factNames.some((fact) => fact === name) || /^[a-z-]+$/.test(name);
  return isKnown ? { uid, seq: Number(seq), version: Number(version) } : undefined;
}

/** Returns the acts about a digest, and the chains of the updates to it. */
async function digestRows(digest: string, served: Served): Promise<readonly HistoryRowView[]> {
  const { ports } = served;
  const about = (row: HistoryRow) => row.subject === digest || row.images.some((image) => image.digest === digest);
  const [rows, runs, records] = await Promise.all([
    searched(about, ports),
    ports.digests.runsOf(digest),
    allRecords(ports),
  ]);
  const open = records.flatMap(({ workload, active, pending }) =>
    [active, pending].flatMap((update) =>
      update?.changes.some((change) => change.digest === digest) === true
        ? [{ workload: workloadKey(workload), seq: update.seq }]
        : [],
    ),
  );
  const parts = [...rows, ...runs].flatMap(({ workload, seq }) =>
    workload === undefined || seq === undefined ? [] : [{ workload, seq }],
  );
  return [...rows.map(rowView), ...(await decisionRows([...parts, ...open], served))];
}

/** Returns the decisions about workloads, or about single updates of them. */
async function decisionRows(parts: readonly Part[], { ports, access }: Served): Promise<readonly HistoryRowView[]> {
  const byWorkload = Map.groupBy(parts, ({ workload }) => workload);
  const chains = await mapBounded([...byWorkload], workloadsAtOnce, async ([workload, those]) => {
    const [cluster = "", namespace = ""] = workload.split("/");
    if (!coversArea(access.scope, { cluster, namespace })) return [];
    const rows = await ports.ledger.read(workload, decisionsRead);
    return rows.filter((row) => those.some(({ seq }) => seq === undefined || seq === row.seq)).map(decisionRow);
  });
  return chains.flat();
}

/** Searches the newest rows of the history. */
async function searched(
  isWanted: (row: HistoryRow) => boolean,
  { history, clock }: Ports,
): Promise<readonly HistoryRow[]> {
  const now = clock.now();
  const span = { since: epochMs(Math.max(0, now - keptInHistory)), until: epochMs(now + 86_400_000) };
  const found: HistoryRow[] = [];
  let after: string | undefined;
  for (let read = 0; read < rowsRead; read += rowsPerRead) {
    const part = { ...span, limit: rowsPerRead, ...(after === undefined ? {} : { after }) };
    const { rows, next } = await history.read(part);
    found.push(...rows.map(({ row }) => row).filter(isWanted));
    if (next === undefined) break;
    after = next;
  }
  return found;
}

function uniqueRows(rows: readonly HistoryRowView[]): readonly HistoryRowView[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
