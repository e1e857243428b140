import { type CronTimes, parseCron } from "./cron.ts";
import { parseDuration } from "../shared/duration.ts";
import { didYouMean } from "../shared/nearest.ts";
import { ok, problem, type Result } from "../shared/result.ts";
import { characterNumber, shortened } from "../shared/shown-text.ts";
import { type DurationMs, parseInstant } from "../shared/time.ts";
import { legacyZone } from "./legacy-zones.ts";
import { zoneName } from "./zone.ts";

/** A day of the week, as it is written in a window. */
export type Weekday = "Mon" | "Tue" | "Wed" | "Thu" | "Fri" | "Sat" | "Sun";

/** Minutes since local midnight: 0 to 1439 as a start, 0 to 1440 (`24:00`) as an end. */
export type WallTime = number;

/**
 * The effect of a window: `allow` allows updates while the window is open. `deny` forbids updates,
 * even if other windows allow them.
 */
export type WindowEffect = "allow" | "deny";

interface AnyWindow {
  readonly effect: WindowEffect;
  /** A name of the IANA database. */
  readonly timeZone: string;
}

/**
 * A window that repeats each week at local times of its zone. Without days, it opens every day. An
 * end at or before the start is on the next day. The window belongs to the day on which it opens.
 */
export interface TimesWindow extends AnyWindow {
  readonly kind: "times";
  readonly days: readonly Weekday[];
  readonly start: WallTime;
  readonly end: WallTime;
}

/** A window that opens at each given local time of its zone and stays open for `duration`. */
export interface CronWindow extends AnyWindow {
  readonly kind: "cron";
  readonly times: CronTimes;
  /**
   * The time that the window stays open: one minute to 366 days, without parts of a second. With
   * whole seconds, Lookout can write the same text again.
   */
  readonly duration: DurationMs;
}

/**
 * A window that opens once. Both ends are local times of its zone, in milliseconds as if they were
 * UTC.
 */
export interface SpanWindow extends AnyWindow {
  readonly kind: "span";
  readonly from: number;
  /** The exclusive end, at most 366 days after `from`. */
  readonly until: number;
}

/** A window in which updates are allowed, or denied. */
export type MaintenanceWindow = TimesWindow | CronWindow | SpanWindow;

/** A window as texts. Defaults: the effect allow, every day, UTC. */
export type WrittenWindow = {
  readonly effect?: WindowEffect | undefined;
  readonly timeZone?: string | undefined;
} & (
  | { readonly days?: readonly string[] | undefined; readonly start: string; readonly end: string }
  | { readonly cron: string; readonly duration: string }
  | { readonly from: string; readonly until: string }
);

/** The invalid part of a window. `message` shows the part and the expected form, for users. */
export interface WindowProblem {
  readonly code: "window-invalid" | "cron-invalid" | "time-zone-unknown";
  readonly part: "window" | "days" | "start" | "end" | "cron" | "duration" | "from" | "until" | "timeZone";
  /** The index of the invalid day, from 0. */
  readonly index?: number;
  readonly message: string;
}

/** The days of a week, in order. */
export const weekdays: readonly Weekday[] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const FULL_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

const NOT_TIMES = "not a window (expected HH:MM-HH:MM, for example 22:00-02:00)";
/** The largest number of characters of a text. A week of windows needs far fewer. */
const LONGEST_TEXT = 1_000;
/** The end of a day, in minutes. This time is valid only as an end. */
const MIDNIGHT = 1_440;
const SHORTEST_OPENING = 60_000;
/** The longest opening. A longer window is probably a mistake. */
const LONGEST_OPENING = 366 * 86_400_000;

/**
 * Parses windows of days and times.
 *
 * - `window`: `HH:MM-HH:MM`, or several of them, separated by commas. `24:00` is valid only as an
 *   end.
 * - `days`: names (`Sat`, `Saturday`), ranges (`Fri-Mon`) or `*`, separated by commas. Default:
 *   every day.
 * - `timeZone`: an IANA name. Default: UTC.
 *
 * @returns at least one window, in the order of the text. Days are in the order of the week; no
 *   days mean all seven.
 */
export function parseWindow(text: {
  readonly window: string;
  readonly days?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly effect?: WindowEffect;
}): Result<readonly TimesWindow[], WindowProblem> {
  const timeZone = readZone(text.timeZone);
  if (!timeZone.ok) return timeZone;
  const days = readDays(text.days === undefined ? undefined : elements(text.days, ",").map((day) => day.text));
  if (!days.ok) return days;
  const windows: TimesWindow[] = [];
  for (const element of elements(text.window, ",")) {
    const times = parseTimes(element.text);
    if (times === undefined) return refuseElement(text.window, element);
    const { effect = "allow" } = text;
    windows.push({ kind: "times", effect, days: days.value, ...times, timeZone: timeZone.value });
  }
  return windows.length === 0 ? refuse("window", text.window, NOT_TIMES) : ok(windows);
}

/** Returns the problem of an invalid element, with its position in a list. */
function refuseElement(list: string, { text, at }: Element): Result<never, WindowProblem> {
  const refused = refuse("window", text, NOT_TIMES);
  if (refused.ok || text === list.trim()) return refused;
  return problem({
    ...refused.problem,
    message: `character ${characterNumber(list, at)}: ${refused.problem.message}`,
  });
}

/**
 * Parses cron windows, such as `0 22 * * 1-5 for 4h`. Semicolons separate windows. See
 * {@link parseCron} and {@link parseDuration}.
 */
export function parseCronWindow(text: {
  readonly cron: string;
  readonly timeZone?: string | undefined;
  readonly effect?: WindowEffect;
}): Result<readonly MaintenanceWindow[], WindowProblem> {
  const { timeZone, effect } = text;
  const windows: MaintenanceWindow[] = [];
  const written = elements(text.cron, ";").map((element) => element.text);
  for (const element of written.length === 0 ? [text.cron] : written) {
    const [cron, duration, ...others] = element.split(/\sfor\s/i).map((part) => part.trim());
    if (cron === undefined || duration === undefined || others.length > 0)
      return refuse("cron", element, "not a window (expected CRON for DURATION, for example 0 22 * * 1-5 for 4h)");
    const window = readWindow({ cron, duration, timeZone, effect });
    if (!window.ok) return window;
    windows.push(window.value);
  }
  return ok(windows);
}

/**
 * Parses one window of any form. The ends of a span are dates with a time (`2026-12-20T18:00`), or
 * dates, which mean the first minute of the day (`2026-12-20`).
 */
export function readWindow(written: WrittenWindow): Result<MaintenanceWindow, WindowProblem> {
  const timeZone = readZone(written.timeZone);
  if (!timeZone.ok) return timeZone;
  const when = "cron" in written ? readCron(written) : "from" in written ? readSpan(written) : readTimes(written);
  return when.ok ? ok({ effect: written.effect ?? "allow", timeZone: timeZone.value, ...when.value }) : when;
}

function readCron(written: {
  readonly cron: string;
  readonly duration: string;
}): Result<Omit<CronWindow, keyof AnyWindow>, WindowProblem> {
  const times = parseCron(written.cron);
  if (!times.ok) return problem({ code: "cron-invalid", part: "cron", message: times.problem });
  const duration = parseDuration(written.duration);
  if (!duration.ok) return problem({ code: "window-invalid", part: "duration", message: duration.problem });
  const isLong = duration.value >= SHORTEST_OPENING && duration.value <= LONGEST_OPENING;
  if (!isLong || duration.value % 1_000 !== 0)
    return refuse("duration", written.duration, "not a duration of a window (expected 1m to 366d, in whole seconds)");
  return ok({ kind: "cron", times: times.value, duration: duration.value });
}

function readTimes(written: {
  readonly days?: readonly string[] | undefined;
  readonly start: string;
  readonly end: string;
}): Result<Omit<TimesWindow, keyof AnyWindow>, WindowProblem> {
  const days = readDays(written.days);
  if (!days.ok) return days;
  const start = parseClock(written.start);
  const end = parseClock(written.end);
  if (start === undefined || start === MIDNIGHT)
    return refuse("start", written.start, "not a start (expected HH:MM, from 00:00 to 23:59)");
  if (end === undefined) return refuse("end", written.end, "not an end (expected HH:MM, from 00:00 to 24:00)");
  return ok({ kind: "times", days: days.value, start, end });
}

function readSpan(written: {
  readonly from: string;
  readonly until: string;
}): Result<Omit<SpanWindow, keyof AnyWindow>, WindowProblem> {
  const from = parseWallTime(written.from);
  const until = parseWallTime(written.until);
  const expected = "not a date (expected for example 2026-12-20 or 2026-12-20T18:00)";
  if (from === undefined) return refuse("from", written.from, expected);
  if (until === undefined) return refuse("until", written.until, expected);
  if (until <= from) return refuse("until", written.until, `is not after ${written.from}, the start of the span`);
  return until - from > LONGEST_OPENING
    ? refuse("until", written.until, `is more than 366 days after ${written.from}, the start of the span`)
    : ok({ kind: "span", from, until });
}

/** Returns a local time in milliseconds, as if it were UTC. */
function parseWallTime(text: string): number | undefined {
  const [, date, time = "00:00"] = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}))?$/.exec(text) ?? [];
  return date === undefined ? undefined : parseInstant(`${date}T${time}:00Z`);
}

function readZone(text = "UTC"): Result<string, WindowProblem> {
  const name = zoneName(text);
  if (name !== undefined) return ok(name);
  const meant = legacyZone(text);
  return meant === undefined
    ? refuse("timeZone", text, "not a time zone (expected an IANA name, for example Europe/Berlin)")
    : refuse("timeZone", text, `not a time zone (expected an IANA name)${didYouMean(meant.join(" or "))}`);
}

/** Parses names, ranges and `*`, each in its own text. The problem names the first invalid text. */
function readDays(written: readonly string[] = ["*"]): Result<readonly Weekday[], WindowProblem> {
  const named = new Set<number>();
  for (const [index, text] of written.entries()) {
    const ends = text === "*" ? [0, 6] : text.split(/[-–]/).map(dayNumber);
    const from = ends[0];
    const to = ends.at(-1);
    if (from === undefined || to === undefined || ends.length > 2)
      return refuse("days", text, "not a day of the week (expected for example Sat or Mon-Fri)", index);
    for (let day = from; day !== to; day = (day + 1) % 7) named.add(day);
    named.add(to);
  }
  if (named.size === 0) return refuse("days", "", "not a day of the week (leave days out for every day)");
  return ok(named.size === 7 ? [] : weekdays.filter((_, day) => named.has(day)));
}

function refuse(part: WindowProblem["part"], value: string, why: string, index?: number): Result<never, WindowProblem> {
  const code = part === "timeZone" ? "time-zone-unknown" : part === "cron" ? "cron-invalid" : "window-invalid";
  const place = index === undefined ? { part } : { part, index };
  return problem({ code, ...place, message: `"${shortened(value, 100)}": ${why}` });
}

/** An element of a list, without the blanks around it, and its position in the list. */
interface Element {
  readonly text: string;
  readonly at: number;
}

function elements(text: string, separator: string): readonly Element[] {
  if (text.length > LONGEST_TEXT) return [{ text, at: 0 }];
  let end = -1;
  return text
    .split(separator)
    .map((part) => {
      end += 1 + part.length;
      return { text: part.trim(), at: end - part.trimStart().length };
    })
    .filter((element) => element.text !== "");
}

function parseTimes(text: string): Pick<TimesWindow, "start" | "end"> | undefined {
  // Lookout shows windows with a long dash, and users copy the text.
  const ends = text.split(/[-–]/).map((end) => parseClock(end.trim()));
  const [start, end] = ends;
  if (ends.length !== 2 || start === undefined || end === undefined || start === MIDNIGHT) return undefined;
  return { start, end };
}

/** Returns minutes since midnight, 24:00 included; undefined for any other text. */
function parseClock(text: string): WallTime | undefined {
  const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(text) ?? [];
  if (hour === undefined || Number(minute) > 59) return undefined;
  const time = Number(hour) * 60 + Number(minute);
  return time <= MIDNIGHT ? time : undefined;
}

/** Returns the number of a weekday: 0 for Monday. */
function dayNumber(text: string): number | undefined {
  const name = text.trim().toLowerCase();
  const day = FULL_NAMES.findIndex((full) => full === name || full.slice(0, 3) === name);
  return day < 0 ? undefined : day;
}
