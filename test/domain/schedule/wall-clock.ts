import { Temporal } from "temporal-polyfill";

/**
 * What a calendar and a clock on the wall show: days since 1970-01-01, and minutes since midnight.
 */
export interface WallMinute {
  readonly day: number;
  readonly time: number;
}

/** A stretch of a zone's time, minute by minute from `from`, in milliseconds since 1970. */
export interface WallClock {
  readonly from: number;
  readonly minutes: readonly WallMinute[];
}

const DAY = 86_400_000;

/**
 * Reads the clock of a zone at every minute from some days before an instant to some behind it, one
 * by one, by another calendar.
 */
export function wallClock(timeZone: string, around: number, days: { before: number; behind: number }): WallClock {
  const from = around - days.before * DAY;
  let at = Temporal.Instant.fromEpochMilliseconds(from).toZonedDateTimeISO(timeZone);
  const minutes: WallMinute[] = [];
  for (let left = (days.before + days.behind) * 1_440; left > 0; left--) {
    minutes.push({ day: Date.UTC(at.year, at.month - 1, at.day) / DAY, time: at.hour * 60 + at.minute });
    at = at.add({ minutes: 1 });
  }
  return { from, minutes };
}
