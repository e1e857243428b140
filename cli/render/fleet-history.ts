import type { HistoryView } from "#contracts/api/history";
import { digestText, withShortDigests } from "./image.ts";
import { recordedReason } from "./reason.ts";
import type { Style } from "./style.ts";
import { renderTable } from "./table.ts";
import { clock, stamp } from "./time.ts";
import { changedUpdates } from "./what-changed.ts";

interface HistoryAsked {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly by?: string | undefined;
  readonly of?: string | undefined;
  readonly limit: number;
  /** The highest value of `--limit`. */
  readonly most: number;
}

type Row = HistoryView["rows"][number];

/** Returns a table of acts and ended updates, the newest first, and a hint if there are more. */
export function renderFleetHistory({ rows, next }: HistoryView, asked: HistoryAsked, style: Style): string {
  if (rows.length === 0) return `${nothing(asked, style)}\n`;
  const cells = rows.map((row) => [
    stamp(row.at, style),
    row.by ?? "–",
    row.what,
    row.update === undefined ? "–" : String(row.update),
    placeOf(row, style),
    whyOf(row, style),
  ]);
  const table = renderTable(["WHEN", "WHO", "WHAT", "UPDATE", "WHERE", "WHY"], cells, style);
  const changed = rows.map((row) => ({ name: `${placeOf(row, style)}#${row.update ?? ""}`, images: row.images }));
  return `Times in ${style.timeZone}\n\n${table}${changedUpdates(changed, style)}${next === undefined ? "" : moreOf(rows.length, asked)}`;
}

function placeOf({ workload, scope, subject }: Row, style: Style): string {
  if (workload !== undefined) return workload;
  if (scope !== undefined) return scope === "*" ? "* (the whole fleet)" : scope;
  return subject === undefined ? "–" : withShortDigests(subject, style);
}

/** Returns the images, the person's reason, and what Lookout noted. */
function whyOf({ images, why, reasons, detail }: Row, style: Style): string {
  const versions = [...new Set(images.map(({ tag, digest }) => `${tag} @ ${digestText(digest, style)}`))];
  const noted = detail === undefined || reasons.some((reason) => reason.detail === detail) ? [] : [detail];
  // The detail of a vote contains its reason.
  const own = why === undefined || detail?.includes(why) === true ? [] : [why];
  const texts = [...own, ...reasons.map((reason) => recordedReason(reason, style)), ...noted];
  return [...versions, ...texts.map((text) => withShortDigests(text, style))].join(" · ");
}

function nothing({ since, until, by, of }: HistoryAsked, style: Style): string {
  const span = [
    ...(since === undefined ? [] : [`since ${clock(since, style)}`]),
    ...(until === undefined ? [] : [`before ${clock(until, style)}`]),
  ].join(" and ");
  const when = span === "" ? "" : ` ${span}`;
  const what =
    by === undefined ? `No person acted and no update ended${when}` : `${by} did nothing${when === "" ? " yet" : when}`;
  const about = of === undefined ? "" : ` about ${withShortDigests(of, style)}`;
  const back = since === undefined ? "To see what waits now: lookout status" : "To look further back: --since 30d";
  return `${what}${about}. ${back}`;
}

function moreOf(shown: number, { limit, most }: HistoryAsked): string {
  const more = limit < most ? ` For more: --limit ${Math.min(most, limit * 10)}` : " For earlier ones: --until";
  return `\nThese are the last ${shown}.${more}\n`;
}
