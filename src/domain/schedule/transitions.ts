import { firstStart, isCronDay, lastStart } from "./cron.ts";
import { type DurationMs, epochMs, type EpochMs, plus } from "../shared/time.ts";
import { type CronWindow, type MaintenanceWindow, type SpanWindow, type TimesWindow, weekdays } from "./window-text.ts";
import { instantsAt, offsetSpan } from "./zone.ts";

/** The state of windows, and an instant until which this state is certain. */
export interface Stretch {
  readonly open: boolean;
  /**
   * The exclusive end of the stretch; `Infinity` if the state never changes again. The state may
   * stay the same after this end.
   */
  readonly until: number;
}

/** The times at which a window is open. */
export interface Openings extends OpeningsOfKind {
  /**
   * Returns the stretch at an instant, with a cache for calls in the order of time. The result may
   * end earlier than the result of `stretchAt`.
   */
  readonly stretchAround: (at: EpochMs) => Stretch;
}

interface OpeningsOfKind {
  /**
   * Returns the stretch at an instant. An open stretch lasts at least until the present opening
   * ends.
   */
  readonly stretchAt: (at: EpochMs) => Stretch;
  /** The days on which the window opens; `undefined` for a window that opens once. */
  readonly days: ZonedDays | undefined;
}

/**
 * The days of a zone's calendar, counted from 1970-01-01, on which a window opens at the same
 * times.
 */
interface ZonedDays {
  readonly timeZone: string;
  readonly isDay: (day: number) => boolean;
}

const MINUTE = 60_000;
const DAY = 86_400_000;

/** Returns the times of a window. */
export function openingsOf(window: MaintenanceWindow): Openings {
  const openings = openingsOfKind(window);
  let from: EpochMs | undefined;
  let last: Stretch = { open: false, until: 0 };
  const stretchAround = (at: EpochMs): Stretch => {
    if (from === undefined || at < from || at >= last.until) [from, last] = [at, openings.stretchAt(at)];
    return last;
  };
  return { ...openings, stretchAround };
}

function openingsOfKind(window: MaintenanceWindow): OpeningsOfKind {
  switch (window.kind) {
    case "times":
      return timesOpenings(window);
    case "cron":
      return cronOpenings(window);
    case "span":
      return spanOpenings(window);
  }
}

/**
 * Returns a function that skips periods in which windows don't change. A period is skipped if an
 * equal, earlier period had no change.
 *
 * @param length - the length of the compared periods: an hour, a day or a week of UTC.
 * @param from - the start of the first period.
 * @returns a function of ascending instants. Where nothing can be skipped, the function returns its
 *   argument.
 */
export function quietTimes(all: readonly Openings[], length: DurationMs, from: EpochMs): (at: EpochMs) => EpochMs {
  const quiet = new Set<string>();
  const startOf = (at: EpochMs): EpochMs => epochMs(Math.floor(at / length) * length);
  let course: string | undefined;
  let end = plus(startOf(from), length);
  return (at) => {
    if (at < end) return at;
    if (course !== undefined) quiet.add(course);
    const start = startOf(at);
    course = courseOf(all, start, length);
    end = plus(start, length);
    return course !== undefined && quiet.has(course) ? end : at;
  };
}

/**
 * Returns a text with all inputs of the windows' state: equal texts mean the same state. Returns
 * undefined if the inputs are unknown.
 */
function courseOf(all: readonly Openings[], from: EpochMs, length: DurationMs): string | undefined {
  let course = "";
  for (const openings of all) {
    const own = courseOfOne(openings, from, length);
    if (own === undefined) return undefined;
    course += `${own};`;
  }
  return course;
}

/**
 * Returns the inputs of one window's state; undefined at clock changes, and where a single opening
 * begins or ends.
 */
function courseOfOne(openings: Openings, from: EpochMs, length: DurationMs): string | undefined {
  const { stretchAround, stretchAt, days } = openings;
  const { open, until } = stretchAround(from);
  if (until >= from + length) return open ? "open" : "closed";
  if (days === undefined) return undefined;
  const { to, offset } = offsetSpan(days.timeZone, from);
  // Clocks do not change twice within a week, so equal offsets at both ends mean no change.
  // Openings are known only up to `to`.
  const isEven = to >= from + length || offsetSpan(days.timeZone, epochMs(from + length - 1)).offset === offset;
  const openUntil = open ? stretchAt(from).until : from;
  if (!isEven || openUntil === to) return undefined;
  // The time of the day, the opening at the start, and the days with openings.
  let course = `${(from + offset) % DAY} ${openUntil - from} `;
  for (let day = Math.floor((from + offset) / DAY); day * DAY < from + length + offset; day++)
    course += days.isDay(day) ? "1" : "0";
  return course;
}

/**
 * Returns the times of a window that opens once, between two local times. If a local time occurs
 * twice, the window has the longer opening.
 */
function spanOpenings({ from, until, timeZone }: SpanWindow): OpeningsOfKind {
  const opens = instantsAt(timeZone, from).first;
  const closes = instantsAt(timeZone, until).last;
  return {
    days: undefined,
    stretchAt: (at) =>
      opens <= at && at < closes
        ? { open: true, until: closes }
        : { open: false, until: at < opens ? opens : Number.POSITIVE_INFINITY },
  };
}

/**
 * Returns the times of a window that is open while the local time is between `start` and `end`. A
 * clock change may skip local times.
 */
function timesOpenings({ days, start, end, timeZone }: TimesWindow): OpeningsOfKind {
  const from = start * MINUTE;
  const length = (end > start ? end - start : end + 1_440 - start) * MINUTE;
  const flags = weekdays.map((day) => days.length === 0 || days.includes(day));
  const isDay = (day: number): boolean => flags[weekday(day)] === true;

  const isAlways = length === DAY && !flags.includes(false);

  const stretchAt = (at: EpochMs): Stretch => {
    if (isAlways) return { open: true, until: Number.POSITIVE_INFINITY };
    const { to, offset } = offsetSpan(timeZone, at);
    const wall = at + offset;
    const today = Math.floor(wall / DAY);
    // An opening lasts at most 24 hours, so it began today or yesterday.
    for (const day of [today, today - 1]) {
      const opens = day * DAY + from;
      if (isDay(day) && opens <= wall && wall < opens + length)
        return { open: true, until: Math.min(opens + length - offset, to) };
    }
    // The window stays closed until today's start, midnight, or a change of the clocks.
    const opens = today * DAY + from;
    const next = isDay(today) && opens > wall ? opens : (today + 1) * DAY;
    return { open: false, until: Math.min(next - offset, to) };
  };
  return { stretchAt, days: { timeZone, isDay } };
}

/** Returns the weekday: 0 for Monday. Day 0 of the epoch was a Thursday. */
function weekday(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/**
 * Returns the times of a cron window, which is open for a fixed time from each start. If a change
 * of clocks repeats a start, the window opens twice. If a change of clocks skips a start, the
 * window opens at the end of the gap.
 */
function cronOpenings(window: CronWindow): OpeningsOfKind {
  const { times, duration, timeZone } = window;
  const stretchAt = (at: EpochMs): Stretch => {
    const start = latestStart(window, at);
    return start === undefined
      ? { open: false, until: nextStart(window, at) }
      : { open: true, until: plus(start, duration) };
  };
  return { stretchAt, days: { timeZone, isDay: (day) => isCronDay(times, day) } };
}

/** Returns the next start after an instant, or a change of the clocks before it. */
function nextStart({ times, timeZone }: CronWindow, at: EpochMs): number {
  const { to, offset } = offsetSpan(timeZone, at);
  const start = firstStart(times, at + offset, to + offset);
  return start === undefined ? to : start - offset;
}

/** Returns the last start whose opening has not ended at an instant. */
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

/** Returns whether a clock change at an instant skips a start. */
function skipsStart({ times, timeZone }: CronWindow, change: EpochMs): boolean {
  const before = offsetSpan(timeZone, epochMs(change - 1)).offset;
  return firstStart(times, change + before, change + offsetSpan(timeZone, change).offset) !== undefined;
}
