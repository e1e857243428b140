import { CronPattern } from "croner";
import { remembering } from "./remembering.ts";
import { ok, problem, type Result } from "./result.ts";
import { characterNumber, shortened } from "./shown-text.ts";

/** The days that a cron expression names; {@link isCronDay} says which they are. */
interface CronDays {
  /** One flag per month, January first. */
  readonly months: readonly boolean[];
  /** One flag per day of a month, the 1st first. */
  readonly daysOfMonth: readonly boolean[];
  readonly lastDayOfMonth: boolean;
  /** For each day of the week, Sunday first: bit 0 for its first time in a month to bit 4 for its fifth, and bit 5 for its last. */
  readonly weekdays: readonly number[];
  /** Whether it takes the day of the month *or* of the week, as cron does where both are limited; otherwise both. */
  readonly either: boolean;
}

/** The minutes that a cron expression names, by the clock on the wall of whatever zone: `starts` on each of its days. */
export interface CronTimes extends CronDays {
  /** As it was written. */
  readonly text: string;
  /** Minutes since midnight, ascending; at least one. */
  readonly starts: readonly number[];
  /** The longest time from one start to the next by an even clock, in milliseconds; `Infinity` where there are days without any. */
  readonly longestGap: number;
}

const FIELDS = ["minute", "hour", "day of the month", "month", "day of the week"];
/** Where the days of the month are. */
const DAYS_OF_MONTH = 2;
const DAY = 86_400_000;
const LAST_IN_MONTH = 0b10_0000;
/** Far more than an expression takes that a person wrote; the engine's time grows with the length. */
const LONGEST_TEXT = 200;
/** In 40 years each date of the calendar falls on each day of the week, 29 February included. */
const DAYS_OF_40_YEARS = 14_610;
/** Workloads share few expressions, and to read one takes long: the engine makes tables of ten thousand years. */
const MOST_KNOWN = 1_000;

/**
 * Reads a cron expression of five fields: minute, hour, day of the month, month, day of the week (0 and 7 are Sunday).
 *
 * Lists, ranges, steps and English names are understood, `L` for the last day, `FRI#2` and `FRI#L` for the second and the last Friday of
 * a month, `+` before the days of the week where both have to fit, and `@daily` and the like. Seconds, years and `W` are not.
 *
 * @returns a problem that shows the text and says which field is wrong; dates that never come are one too.
 */
export const parseCron = remembering(MOST_KNOWN, (text): Result<CronTimes, string> => {
  const read = text.length > LONGEST_TEXT ? "it is too long" : readPattern(text);
  return typeof read === "string"
    ? problem(`"${shortened(text, 100)}": not a cron expression: ${read} (expected for example 0 22 * * 1-5)`)
    : ok(read);
});

/** What the text says, or what is wrong with it. */
function readPattern(text: string): CronTimes | string {
  const pattern = patternOf(text);
  if (pattern === undefined) return complaintOf(text);
  if (pattern.lastWeekday || pattern.nearestWeekdays.some((flag) => flag !== 0))
    return `${fieldComplaint(text, DAYS_OF_MONTH)}: W is not supported`;
  const starts = pattern.hour.flatMap((hour, h) =>
    hour === 0 ? [] : pattern.minute.flatMap((minute, m) => (minute === 0 ? [] : [h * 60 + m])),
  );
  const days = {
    months: pattern.month.map((flag) => flag !== 0),
    daysOfMonth: pattern.day.map((flag) => flag !== 0),
    lastDayOfMonth: pattern.lastDayOfMonth,
    weekdays: pattern.dayOfWeek,
    either: !pattern.starDOM && !pattern.starDOW && !pattern.useAndLogic,
  };
  if (!isEverCronDay(days, true)) return "no calendar has that day";
  return { text, starts, ...days, longestGap: isEverCronDay(days, false) ? Infinity : longestGapOf(starts) };
}

function isEverCronDay(days: CronDays, isIt: boolean): boolean {
  for (let day = 0; day < DAYS_OF_40_YEARS; day++) if (isCronDay(days, day) === isIt) return true;
  return false;
}

/** The last start of a day is followed by the first of the next. */
function longestGapOf(starts: readonly number[]): number {
  const gaps = starts.map((start, index) => (starts[index + 1] ?? (starts[0] ?? 0) + 1_440) - start);
  return Math.max(...gaps) * 60_000;
}

/** Undefined where the engine can't read the text. It is given no zone, and asks no clock: it only takes the text apart. */
function patternOf(text: string): CronPattern | undefined {
  try {
    return new CronPattern(text, undefined, { mode: "5-part" });
  } catch {
    return undefined; // What it says has values of its own counting, and no place.
  }
}

/** Tries each field beside stars. */
function complaintOf(text: string): string {
  if (text.trimStart().startsWith("@")) return "it is no name such as @daily";
  const fields = fieldsOf(text);
  if (fields.length !== FIELDS.length) return `it has ${fields.length} fields, not ${FIELDS.length}`;
  const wrong = fields.findIndex(
    ([field], index) => patternOf(FIELDS.map((_, at) => (at === index ? field : "*")).join(" ")) === undefined,
  );
  return wrong < 0 ? "it can't be read" : fieldComplaint(text, wrong);
}

function fieldsOf(text: string): readonly RegExpExecArray[] {
  return [...text.matchAll(/\S+/g)];
}

function fieldComplaint(text: string, index: number): string {
  const { 0: field = "", index: at = 0 } = fieldsOf(text)[index] ?? {};
  return `character ${characterNumber(text, at)}: "${shortened(field, 40)}" is no ${FIELDS[index] ?? "field"}`;
}

/** Says whether a day, counted from 1970-01-01, is one of an expression's. */
export function isCronDay(days: CronDays, day: number): boolean {
  const date = new Date(day * DAY);
  if (days.months[date.getUTCMonth()] !== true) return false;
  const ofMonth = date.getUTCDate();
  const byMonth = days.daysOfMonth[ofMonth - 1] === true || (days.lastDayOfMonth && isLastOfMonth(day));
  const byWeek = isWeekdayOf(days.weekdays[date.getUTCDay()] ?? 0, ofMonth, day);
  return days.either ? byMonth || byWeek : byMonth && byWeek;
}

function isWeekdayOf(times: number, ofMonth: number, day: number): boolean {
  const which = 1 << Math.floor((ofMonth - 1) / 7);
  return (times & which) !== 0 || ((times & LAST_IN_MONTH) !== 0 && new Date((day + 7) * DAY).getUTCDate() <= 7);
}

function isLastOfMonth(day: number): boolean {
  return new Date((day + 1) * DAY).getUTCDate() === 1;
}

/** The first start at or after a time of the wall clock and before another, all in milliseconds; `undefined` when there is none. */
export function firstStart(times: CronTimes, from: number, before: number): number | undefined {
  for (let day = Math.floor(from / DAY); day * DAY < before; day++) {
    if (!isCronDay(times, day)) continue;
    const start = times.starts[startsBefore(times, minuteOf(day, from))];
    if (start !== undefined) return wallOf(day, start) < before ? wallOf(day, start) : undefined;
  }
  return undefined;
}

/** The last start at or before a time of the wall clock, and not before another; `undefined` when there is none. */
export function lastStart(times: CronTimes, from: number, to: number): number | undefined {
  for (let day = Math.floor(to / DAY); (day + 1) * DAY > from; day--) {
    if (!isCronDay(times, day)) continue;
    const start = times.starts[startsBefore(times, Math.floor(minuteOf(day, to)) + 1) - 1];
    if (start !== undefined) return wallOf(day, start) >= from ? wallOf(day, start) : undefined;
  }
  return undefined;
}

/** The last start of a day that follows a time of it without a gap longer than the given one; the time itself where none does. */
export function endOfRun(times: CronTimes, from: number, longestGap: number): number {
  const day = Math.floor(from / DAY);
  // What a change of the clocks skipped on the day before opens on a day that has no starts of its own.
  if (!isCronDay(times, day)) return from;
  let end = from;
  for (let index = startsBefore(times, minuteOf(day, from)); index < times.starts.length; index++) {
    const next = wallOf(day, times.starts[index] ?? 0);
    if (next > end + longestGap) break;
    end = next;
  }
  return end;
}

/** How many starts of a day come before a minute of it, by halving: there may be 1,440. */
function startsBefore({ starts }: CronTimes, minute: number): number {
  let [before, after] = [0, starts.length];
  while (before < after) {
    const middle = (before + after) >> 1;
    if ((starts[middle] ?? 0) < minute) before = middle + 1;
    else after = middle;
  }
  return before;
}

/** Which minute of a day a time of the wall clock is, in fractions; not within 0 to 1,440 for a time of another day. */
function minuteOf(day: number, wall: number): number {
  return (wall - day * DAY) / 60_000;
}

function wallOf(day: number, minute: number): number {
  return day * DAY + minute * 60_000;
}
