import { type DurationMs, durationMs, type EpochMs, hours, since, toIso } from "#domain/shared/time";
import type { Opening } from "#domain/schedule/window";
import { offsetSpan } from "#domain/schedule/zone";
import type { WindowAnswer } from "../answers/window.ts";
import { hang, type Style, paintMark } from "./style.ts";
import { renderTable } from "./table.ts";
import { dated, relative, span } from "./time.ts";

interface WindowCheck {
  readonly answer: WindowAnswer;
  readonly openings: readonly Opening[];
  /** The checked instant. */
  readonly at: EpochMs;
  /** The end of the search for the next opening or closing. */
  readonly lookedUntil: EpochMs;
  /** The IANA name of the windows' time zone. */
  readonly timeZone: string;
}

/**
 * Returns the state of windows and a table of their next openings, in their zone and in UTC, with
 * clock changes.
 */
export function renderWindowCheck(check: WindowCheck, style: Style): string {
  const { answer, openings, at, timeZone } = check;
  const line = `${hang(`${paintMark(answer.open ? "✓" : "⏸", style)} `, sentence(check), style)}\n`;
  const headings = ["OPENS", "CLOSES", "UTC", "CLOCKS"];
  const rows = openings.map(({ from, until }, index) => [
    dated(from, timeZone),
    until === undefined ? "–" : dated(until, timeZone),
    `${short(from)} – ${until === undefined ? "" : short(until)}`.trimEnd(),
    clocks({ from, until }, openings[index - 1]?.until ?? at, timeZone),
  ]);
  return rows.length === 0 ? line : `${line}\n${renderTable(headings, rows, style)}`;
}

function short(at: EpochMs): string {
  return toIso(at).slice(0, 16).replace("T", " ");
}

function sentence({ answer: { open, until, opensAt, because }, at, lookedUntil }: WindowCheck): string {
  const next = open ? until : opensAt;
  const verb = open ? "close" : "open";
  const when =
    next === null
      ? `does not ${verb} within ${long(since(at, lookedUntil))}`
      : `${verb}s ${relative(next, { now: at })}`;
  return `${open ? "Open" : "Closed"}: ${because.replace(/^open: /, "")}; ${when}.`;
}

function long(length: DurationMs): string {
  const years = Math.floor(length / hours(365.25 * 24));
  return years > 1 ? `${years} years` : span(length);
}

/** Returns the clock changes since the previous opening, and during this opening. */
function clocks({ from, until }: Opening, before: EpochMs, timeZone: string): string {
  const offset = offsetSpan(timeZone, from).offset;
  const during = until === undefined ? 0 : offsetSpan(timeZone, until).offset - offset;
  return [moved(offset - offsetSpan(timeZone, before).offset, "before"), moved(during, "while it is open")]
    .filter((text) => text !== "")
    .join(", ");
}

function moved(by: number, when: string): string {
  return by === 0 ? "" : `${by > 0 ? "forward" : "back"} ${span(durationMs(by))} ${when}`;
}
