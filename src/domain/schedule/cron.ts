import { Cron, CronPattern } from "croner";
import { memoize } from "../shared/memoize.ts";
import { ok, problem, type Result } from "../shared/result.ts";
import { characterNumber, shortened } from "../shared/shown-text.ts";

/**
 * The starts of a cron expression in local time. Each day for which {@link isCronDay} returns true
 * has all `starts`.
 */
export interface CronTimes {
  /** The text of the expression. */
  readonly text: string;
  /** The minutes since midnight at which the expression starts, ascending. At least one. */
  readonly starts: readonly number[];
}

const FIELDS = ["minute", "hour", "day of the month", "month", "day of the week"];
/** The index of the field for days of the month. */
const DAYS_OF_MONTH = 2;
const DAY = 86_400_000;
/**
 * The largest number of characters of an expression. The time of the engine grows with the length.
 */
const LONGEST_TEXT = 200;
/** The number of cached expressions. Workloads share few expressions, and parsing is slow. */
const MOST_KNOWN = 1_000;
/**
 * The number of cached engines. An engine takes 80 KB: it has a flag for each of ten thousand
 * years.
 */
const MOST_ENGINES = 100;
const mode = { mode: "5-part" } as const;

/**
 * Parses a cron expression of five fields: minute, hour, day of the month, month, day of the week.
 * Sunday is 0 or 7.
 *
 * Lists, ranges, steps, English names, `L`, `FRI#2`, `FRI#L` and `@daily` are valid. A `+` before
 * the days of the week demands that both day fields match. Seconds, years and `W` are invalid.
 *
 * @returns a problem with the text and its invalid field, also for a date that never occurs.
 */
export const parseCron = memoize(MOST_KNOWN, (text): Result<CronTimes, string> => {
  const read = text.length > LONGEST_TEXT ? "the text is too long" : readPattern(text);
  return typeof read === "string"
    ? problem(`"${shortened(text, 100)}": not a cron expression: ${read} (expected for example 0 22 * * 1-5)`)
    : ok(read);
});

function readPattern(text: string): CronTimes | string {
  const pattern = patternOf(text);
  if (pattern === undefined) return complaintOf(text);
  if (pattern.lastWeekday || pattern.nearestWeekdays.some((flag) => flag !== 0))
    return `${fieldComplaint(text, DAYS_OF_MONTH)}: W is not supported`;
  const starts = pattern.hour.flatMap((hour, h) =>
    hour === 0 ? [] : pattern.minute.flatMap((minute, m) => (minute === 0 ? [] : [h * 60 + m])),
  );
  if (engineOf(text).nextRun(new Date(0)) === null) return "the date never occurs";
  return { text, starts };
}

/** Returns an engine of croner in UTC. The caller converts local times. */
function engineOf(text: string): Cron {
  return new Cron(text, { ...mode, utcOffset: 0 });
}

/**
 * Parses an expression, without a zone and a clock. Returns undefined for an invalid expression.
 */
function patternOf(text: string): CronPattern | undefined {
  try {
    return new CronPattern(text, undefined, mode);
  } catch {
    return undefined; // The library's message names no position.
  }
}

/**
 * Returns the problem of an expression. Each field is tried alone, with stars in the other fields.
 */
function complaintOf(text: string): string {
  if (text.trimStart().startsWith("@")) return "expected a name such as @daily";
  const fields = fieldsOf(text);
  if (fields.length !== FIELDS.length) return `the text has ${fields.length} fields, not ${FIELDS.length}`;
  const wrong = fields.findIndex(
    ([field], index) => patternOf(FIELDS.map((_, at) => (at === index ? field : "*")).join(" ")) === undefined,
  );
  return wrong < 0 ? "the text can't be parsed" : fieldComplaint(text, wrong);
}

function fieldsOf(text: string): readonly RegExpExecArray[] {
  return [...text.matchAll(/\S+/g)];
}

function fieldComplaint(text: string, index: number): string {
  const { 0: field = "", index: at = 0 } = fieldsOf(text)[index] ?? {};
  return `character ${characterNumber(text, at)}: "${shortened(field, 40)}" is not a valid ${FIELDS[index] ?? "field"}`;
}

/** Caches an engine and its answer for the last day: windows ask about the same day repeatedly. */
const daysOf = memoize(MOST_ENGINES, (text) => {
  const engine = engineOf(text);
  let last = { day: Number.NaN, isIt: false };
  return (day: number, start: number): boolean => {
    if (day !== last.day) last = { day, isIt: engine.match(new Date(wallOf(day, start))) };
    return last.isIt;
  };
});

/** Returns whether a day, counted from 1970-01-01, belongs to an expression. */
export function isCronDay({ text, starts: [first = 0] }: CronTimes, day: number): boolean {
  return daysOf(text)(day, first);
}

/**
 * Returns the first start at or after a local time and before another, in milliseconds, or
 * undefined without a start.
 */
export function firstStart(times: CronTimes, from: number, before: number): number | undefined {
  for (let day = Math.floor(from / DAY); day * DAY < before; day++) {
    if (!isCronDay(times, day)) continue;
    const start = times.starts[startsBefore(times, minuteOf(day, from))];
    if (start !== undefined) return wallOf(day, start) < before ? wallOf(day, start) : undefined;
  }
  return undefined;
}

/**
 * Returns the last start at or before a local time and not before another, or undefined without a
 * start.
 */
export function lastStart(times: CronTimes, from: number, to: number): number | undefined {
  for (let day = Math.floor(to / DAY); (day + 1) * DAY > from; day--) {
    if (!isCronDay(times, day)) continue;
    const start = times.starts[startsBefore(times, Math.floor(minuteOf(day, to)) + 1) - 1];
    if (start !== undefined) return wallOf(day, start) >= from ? wallOf(day, start) : undefined;
  }
  return undefined;
}

/**
 * Returns the number of starts before a minute of a day, by binary search: a day may have 1,440
 * starts.
 */
function startsBefore({ starts }: CronTimes, minute: number): number {
  let before = 0;
  let after = starts.length;
  while (before < after) {
    const middle = (before + after) >> 1;
    if ((starts[middle] ?? 0) < minute) before = middle + 1;
    else after = middle;
  }
  return before;
}

/**
 * Returns the minute of a day at a local time, with fractions. On another day, the result is
 * outside 0 to 1,440.
 */
function minuteOf(day: number, wall: number): number {
  return (wall - day * DAY) / 60_000;
}

function wallOf(day: number, minute: number): number {
  return day * DAY + minute * 60_000;
}
