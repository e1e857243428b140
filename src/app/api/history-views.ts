import type { HistoryView } from "#contracts/api/history";
import { type HistoryRow, imagesOf } from "#domain/history/history-row";
import { toIso } from "#domain/shared/time";
import type { Action } from "#domain/update/state/action";
import { correlationOf } from "#domain/update/state/correlation";
import { endings } from "#domain/update/state/workload";
import type { LedgerRow } from "#ports/ledger";
import { reasonView, waitView } from "./views.ts";

/** The view of one row. */
export type HistoryRowView = HistoryView["rows"][number];

/** Returns the view of a row. */
export function rowView(row: HistoryRow): HistoryRowView {
  const { id, at, action, ended, workload, scope, subject, seq, images, reason, detail } = row;
  return {
    id,
    at: toIso(at),
    what: action?.what ?? ended ?? "",
    ...actorOf(action),
    ...(ended === undefined ? {} : { ended }),
    ...(workload === undefined ? {} : { workload }),
    ...(scope === undefined ? {} : { scope }),
    ...(subject === undefined ? {} : { subject }),
    ...(seq === undefined ? {} : { update: seq }),
    images,
    reasons: reason === undefined ? [] : [reasonView(reason)],
    ...(detail === undefined ? {} : { detail }),
    ...correlationOf(row),
  };
}

/** Returns the view of a row of a workload's ledger. */
export function decisionRow({ workload, uid, seq, version, at, transition, correlationId }: LedgerRow): HistoryRowView {
  const { what, action, changes, reasons, detail } = transition;
  const ended = endings.find((ending) => ending === what);
  return {
    id: [uid, seq, version, action?.what ?? what].join("/"),
    at: toIso(at),
    what: action?.what ?? what,
    ...actorOf(action),
    ...(ended === undefined ? {} : { ended }),
    workload,
    ...(seq === 0 ? {} : { update: seq }),
    images: imagesOf(changes),
    reasons: reasons.map((wait) => waitView(wait)),
    ...(detail === undefined ? {} : { detail }),
    ...correlationOf({ correlationId }),
  };
}

/** Returns the members of a row that name a person. */
function actorOf(action: Action | undefined): Pick<HistoryRowView, "by" | "provedBy" | "why"> {
  if (action === undefined) return {};
  const { by, provedBy, why } = action;
  return { by, ...(provedBy === undefined ? {} : { provedBy }), ...(why === undefined ? {} : { why }) };
}
