import { endOfRun, firstStart, lastStart } from "./cron.ts";
import { epochMs, type EpochMs } from "./time.ts";
import { type CronWindow, type MaintenanceWindow, type SpanWindow, type TimesWindow, weekdays } from "./window-text.ts";
import { instantsAt, offsetSpan } from "./zone.ts";

/** When a window is open, whatever its form and its effect. */
export interface Openings {
  /** True only where it is certain; a window that never closes for other reasons says false. */
  readonly alwaysOpen: boolean;
  /** How long a window that is open surely stays so; the instant itself when it is closed. */
  readonly openUntil: (at: EpochMs) => EpochMs;
  /** The next instant at which a window that is closed may be open; `Infinity` when there is none. */
  readonly nextLook: (at: EpochMs) => number;
}

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Makes ready to ask when a window is open. */
export function openingsOf(window: MaintenanceWindow): Openings {
  switch (window.kind) {
    case "times":
      return timesOpenings(window);
    case "cron":
      return cronOpenings(window);
    case "span":
      return spanOpenings(window);
  }
}

/** Such a window is open once, for as long as the clocks of its zone show what is between its ends: an end that comes twice is the later one. */
function spanOpenings({ from, until, timeZone }: SpanWindow): Openings {
  const [opens, closes] = [instantsAt(timeZone, from).first, instantsAt(timeZone, until).last];
  return {
    alwaysOpen: false,
    openUntil: (at) => (opens <= at && at < closes ? closes : at),
    nextLook: (at) => (at < opens ? opens : Number.POSITIVE_INFINITY),
  };
}

/** Such a window is open while the clock on the wall shows its times: what a change of the clocks skips is skipped. */
function timesOpenings({ days, start, end, timeZone }: TimesWindow): Openings {
  const from = start * MINUTE;
  const length = (end > start ? end - start : end + 1_440 - start) * MINUTE;
  const flags = weekdays.map((day) => days.length === 0 || days.includes(day));
  const isDay = (day: number): boolean => flags[weekday(day)] === true;

  const openUntil = (at: EpochMs): EpochMs => {
    const { to, offset } = offsetSpan(timeZone, at);
    const wall = at + offset;
    const today = Math.floor(wall / DAY);
    // Openings are at most 24 hours long: it is today's, or the rest of yesterday's.
    for (const day of [today, today - 1]) {
      const opens = day * DAY + from;
      if (isDay(day) && opens <= wall && wall < opens + length) {
        return epochMs(Math.min(opens + length - offset, to));
      }
    }
    return at;
  };
  // Today's start, midnight, or a change of the clocks.
  const nextLook = (at: EpochMs): number => {
    const { to, offset } = offsetSpan(timeZone, at);
    const wall = at + offset;
    const today = Math.floor(wall / DAY);
    const opens = today * DAY + from;
    const next = isDay(today) && opens > wall ? opens : (today + 1) * DAY;
    return Math.min(next - offset, to);
  };
  return { alwaysOpen: length === DAY && !flags.includes(false), openUntil, nextLook };
}

/** 0 for Monday; day 0 of the epoch was a Thursday. */
function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/**
 * Such a window is open for a length of time that no change of the clocks alters, from each of its starts: from both where a time comes
 * twice, and from the end of the gap where it is skipped.
 */
function cronOpenings(window: CronWindow): Openings {
  const { times, duration, timeZone } = window;
  const openUntil = (at: EpochMs): EpochMs => {
    const start = latestStart(window, at);
    if (start === undefined) return at;
    const { to, offset } = offsetSpan(timeZone, start);
    // Starts that come before the last has ended are one opening, as far as the clocks run evenly.
    const end = endOfRun(times, start + offset, duration) - offset + duration;
    return epochMs(Math.max(start + duration, Math.min(end, to)));
  };
  // The next start, or a change of the clocks.
  const nextLook = (at: EpochMs): number => {
    const { to, offset } = offsetSpan(timeZone, at);
    const start = firstStart(times, at + offset, to + offset);
    return start === undefined ? to : start - offset;
  };
  return { alwaysOpen: false, openUntil, nextLook };
}

/** The last start whose opening is not over at an instant. */
function latestStart(window: CronWindow, at: EpochMs): EpochMs | undefined {
  const after = at - window.duration + 1;
  for (let instant = at; instant >= after;) {
    const { from, offset } = offsetSpan(window.timeZone, instant);
    const start = lastStart(window.times, Math.max(from, after) + offset, instant + offset);
    if (start !== undefined) return epochMs(start - offset);
    if (from >= after && skipsStart(window, epochMs(from))) return epochMs(from);
    instant = epochMs(from - 1);
  }
  return undefined;
}

/** Whether a change of the clocks at an instant skips a start. */
function skipsStart({ times, timeZone }: CronWindow, change: EpochMs): boolean {
  const before = offsetSpan(timeZone, epochMs(change - 1)).offset;
  return firstStart(times, change + before, change + offsetSpan(timeZone, change).offset) !== undefined;
}
