import { type DurationMs, durationMs, type EpochMs, parseInstant, since } from "#domain/shared/time";
import type { Look } from "./look.ts";

type TimeLook = Pick<Look, "now" | "timeZone">;

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

/** Writes a length of time with one or two units, rounded down: `40 s`, `12 m`, `2 h 14 m`, `26 h`, `3 d 4 h`. */
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

/** Says how far an instant of the API is from now: `12 m ago`, `in 2 h 14 m`. What is no instant is shown as it is. */
export function relative(instant: string, look: Pick<Look, "now">): string {
  const at = parseInstant(instant);
  if (at === undefined) return instant;
  // A wait of 2 h 13 m 59.9 s reads better as 2 h 14 m, and "in 0 s" would not be true yet.
  return at > look.now
    ? `in ${span(durationMs(Math.ceil((at - look.now) / second) * second))}`
    : `${span(since(at, look.now))} ago`;
}

/** Says how long ago an instant of the API was, without "ago"; empty when it is no instant. */
export function elapsed(instant: string, look: Pick<Look, "now">): string {
  const at = parseInstant(instant);
  return at === undefined ? "" : span(durationMs(Math.max(0, look.now - at)));
}

/** Writes the time of day, with the day where it is another one: `22:00 CET`, `Sat 22:00 CET`, `2026-11-28 22:00 CET`. */
export function clock(instant: string, look: TimeLook, precision: "minute" | "second" = "minute"): string {
  const at = parseInstant(instant);
  if (at === undefined) return instant;
  const there = partsOf(at, look.timeZone);
  const today = partsOf(look.now, look.timeZone).date;
  const time = precision === "second" ? `${there.time}:${there.second}` : there.time;
  const near = Math.abs(at - look.now) < 6 * day;
  const date = there.date === today ? "" : near ? `${there.weekday} ` : `${there.date} `;
  return `${date}${time} ${there.zone}`;
}

/** Writes date and time of day, for a column: `2026-11-21 09:12:07`. */
export function stamp(instant: string, look: TimeLook): string {
  const at = parseInstant(instant);
  if (at === undefined) return instant;
  const there = partsOf(at, look.timeZone);
  return `${there.date} ${there.time}:${there.second}`;
}

/** Writes day, date, time of day and zone: `Sat 2026-11-21 22:00 CET`. */
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
