import { type DurationMs, durationMs, type EpochMs, parseInstant, since } from "#domain/shared/time";
import type { Style } from "./style.ts";

type TimeStyle = Pick<Style, "now" | "timeZone">;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Returns a duration in one or two units, rounded down: `40 s`, `2 h 14 m`, `3 d 4 h`. */
export function span(length: DurationMs): string {
  const size = Math.abs(length);
  const whole = (unit: number): number => Math.floor(size / unit);
  if (size < minute) return `${whole(second)} s`;
  if (size < hour) return `${whole(minute)} m`;
  if (size < day) return two(whole(hour), "h", Math.floor((size % hour) / minute), "m");
  if (size < 2 * day) return `${whole(hour)} h`;
  return two(whole(day), "d", Math.floor((size % day) / hour), "h");
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}

/**
 * Returns the distance of an instant from now: `12 m ago`, `in 2 h 14 m`. Other text is returned
 * unchanged.
 */
export function relative(instant: string, style: Pick<Style, "now">): string {
  const at = parseInstant(instant);
  if (at === undefined) return instant;
  // The wait is rounded up, so that 59.9 s is "in 1 m", and no wait is "in 0 s".
  return at > style.now
    ? `in ${span(durationMs(Math.ceil((at - style.now) / second) * second))}`
    : `${span(since(at, style.now))} ago`;
}

/** Returns the time since an instant, without "ago"; empty for other text. */
export function elapsed(instant: string, style: Pick<Style, "now">): string {
  const at = parseInstant(instant);
  return at === undefined ? "" : span(durationMs(Math.max(0, style.now - at)));
}

/**
 * Returns a time, with the weekday or the date if the day is not today: `22:00 CET`, `Sat 22:00
 * CET`, `2026-11-28 22:00 CET`.
 */
export function clock(instant: string, style: TimeStyle, precision: "minute" | "second" = "minute"): string {
  const at = parseInstant(instant);
  if (at === undefined) return instant;
  const there = partsOf(at, style.timeZone);
  const today = partsOf(style.now, style.timeZone).date;
  const time = precision === "second" ? `${there.time}:${there.second}` : there.time;
  const near = Math.abs(at - style.now) < 6 * day;
  const date = there.date === today ? "" : near ? `${there.weekday} ` : `${there.date} `;
  return `${date}${time} ${there.zone}`;
}

/** Returns date and time for a column: `2026-11-21 09:12:07`. */
export function stamp(instant: string, style: TimeStyle): string {
  const at = parseInstant(instant);
  if (at === undefined) return instant;
  const there = partsOf(at, style.timeZone);
  return `${there.date} ${there.time}:${there.second}`;
}

/** Returns weekday, date, time and zone: `Sat 2026-11-21 22:00 CET`. */
export function dated(at: EpochMs, timeZone: string): string {
  const there = partsOf(at, timeZone);
  return `${there.weekday} ${there.date} ${there.time} ${there.zone}`;
}

interface Parts {
  readonly date: string;
  readonly weekday: string;
  readonly time: string;
  readonly second: string;
  readonly zone: string;
}

function partsOf(at: EpochMs, timeZone: string): Parts {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "short",
  });
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (name: string): string => parts[name] ?? "";
  return {
    date: `${part("year")}-${part("month")}-${part("day")}`,
    weekday: part("weekday"),
    time: `${part("hour")}:${part("minute")}`,
    second: part("second"),
    zone: part("timeZoneName"),
  };
}
