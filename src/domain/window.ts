import { epochMs, type EpochMs } from "./time.ts";
import { type MaintenanceWindow, weekdays } from "./window-text.ts";
import { offsetSpan } from "./zone.ts";

export { describeWindow, type MaintenanceWindow, parseWindow, type WallTime, type Weekday } from "./window-text.ts";
export type { WindowProblem } from "./window-text.ts";

/** Whether windows are open at an instant; until when, or from when, where that ever comes. */
export type WindowState =
  | { readonly open: true; readonly until: EpochMs | undefined }
  | { readonly open: false; readonly opensAt: EpochMs | undefined };

const MINUTE = 60_000;
const DAY = 86_400_000;
/** Windows repeat by the week and clocks by the year: what does not come within a year and a month never comes. */
const HORIZON = 400 * DAY;

/**
 * Answers whether at least one of some windows is open.
 *
 * A window is open while the clock on the wall shows its time, the start included and the end not. So a start that a change
 * of the clocks skips opens at the first instant after the gap, a window that lies within the gap does not open, and a time
 * that comes twice is open both times. A window past midnight belongs to the day on which it opened. Windows that overlap
 * or touch are one opening: `until` is the end of the last.
 *
 * @returns `until: undefined` when they never close; `opensAt: undefined` when they never open, as no windows do.
 */
export function windowState(windows: readonly MaintenanceWindow[], at: EpochMs): WindowState {
  const weeks = windows.map(openings);
  if (weeks.some(({ alwaysOpen }) => alwaysOpen)) return { open: true, until: undefined };
  const horizon = at + HORIZON;
  const until = closing(weeks, at, horizon);
  if (until === at) return { open: false, opensAt: opening(weeks, at, horizon) };
  return { open: true, until };
}

/** A window in milliseconds of the wall clock. `days` has one flag per day, Monday first. */
interface Openings {
  readonly days: readonly boolean[];
  readonly start: number;
  readonly length: number;
  readonly timeZone: string;
  readonly alwaysOpen: boolean;
}

function openings({ days, start, end, timeZone }: MaintenanceWindow): Openings {
  const length = (end > start ? end - start : end + 1_440 - start) * MINUTE;
  const flags = weekdays.map((day) => days.length === 0 || days.includes(day));
  return { days: flags, start: start * MINUTE, length, timeZone, alwaysOpen: length === DAY && !flags.includes(false) };
}

/** The instant at which nothing is open any more; the given one when nothing is. */
function closing(weeks: readonly Openings[], at: EpochMs, horizon: number): EpochMs | undefined {
  for (let instant = at; instant < horizon;) {
    let end = instant;
    for (const week of weeks) end = latest(end, openUntil(week, instant));
    if (end === instant) return instant;
    instant = end;
  }
  return undefined;
}

function opening(weeks: readonly Openings[], at: EpochMs, horizon: number): EpochMs | undefined {
  if (weeks.length === 0) return undefined;
  for (let instant = at; instant < horizon;) {
    if (weeks.some((week) => openUntil(week, instant) > instant)) return instant;
    instant = epochMs(Math.min(...weeks.map((week) => nextLook(week, instant))));
  }
  return undefined;
}

/** How long a window that is open stays so, as far as the next change of the clocks; the instant itself when it is closed. */
function openUntil({ days, start, length, timeZone }: Openings, at: EpochMs): EpochMs {
  const { to, offset } = offsetSpan(timeZone, at);
  const wall = at + offset;
  const today = Math.floor(wall / DAY);
  // Openings are at most 24 hours long: it is today's, or the rest of yesterday's.
  for (const day of [today, today - 1]) {
    const from = day * DAY + start;
    if (days[weekday(day)] === true && from <= wall && wall < from + length) {
      return epochMs(Math.min(from + length - offset, to));
    }
  }
  return at;
}

/** The next instant at which a closed window may be open: today's start, midnight, or a change of the clocks. */
function nextLook({ days, start, timeZone }: Openings, at: EpochMs): number {
  const { to, offset } = offsetSpan(timeZone, at);
  const wall = at + offset;
  const today = Math.floor(wall / DAY);
  const from = today * DAY + start;
  const next = days[weekday(today)] === true && from > wall ? from : (today + 1) * DAY;
  return Math.min(next - offset, to);
}

/** 0 for Monday; day 0 of the epoch was a Thursday. */
function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function latest(a: EpochMs, b: EpochMs): EpochMs {
  return a > b ? a : b;
}
