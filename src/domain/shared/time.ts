declare const brand: unique symbol;

/** An instant: whole milliseconds since 1970-01-01T00:00:00Z, without leap seconds. */
export type EpochMs = number & { readonly [brand]: "EpochMs" };

/** A duration in milliseconds; negative towards the past. */
export type DurationMs = number & { readonly [brand]: "DurationMs" };

/** Converts milliseconds since 1970-01-01T00:00:00Z to an instant, unchecked. */
export const epochMs = (n: number): EpochMs => n as EpochMs;

/** Converts milliseconds to a duration, unchecked. */
export const durationMs = (n: number): DurationMs => n as DurationMs;

/** Returns a duration of seconds, which may be a fraction. */
export const seconds = (n: number): DurationMs => durationMs(n * 1_000);

/** Returns a duration of minutes, which may be a fraction. */
export const minutes = (n: number): DurationMs => durationMs(n * 60_000);

/** Returns a duration of hours, which may be a fraction. */
export const hours = (n: number): DurationMs => durationMs(n * 3_600_000);

/**
 * Returns the instant that follows another instant after a duration. A negative duration gives an
 * earlier instant.
 */
export const plus = (at: EpochMs, d: DurationMs): EpochMs => epochMs(at + d);

/** Returns the duration from one instant to another; negative when the second is earlier. */
export const since = (from: EpochMs, to: EpochMs): DurationMs => durationMs(to - from);

/** Returns the earliest instant; undefined for an empty list. */
export function earliest(instants: readonly EpochMs[]): EpochMs | undefined {
  let first: EpochMs | undefined;
  for (const instant of instants) {
    if (first === undefined || instant < first) first = instant;
  }
  return first;
}

/**
 * Returns an instant in RFC 3339, in UTC, always with three digits of milliseconds
 * (`2026-11-21T00:30:00.000Z`).
 *
 * The width is fixed, so that texts of the years 0 to 9999 sort as their instants do.
 *
 * @throws RangeError outside ±8.64e15 ms, which no clock and no parser of ours produces.
 * @see https://www.rfc-editor.org/rfc/rfc3339 §5.6
 */
export function toIso(at: EpochMs): string {
  return new Date(at).toISOString();
}

const INSTANT = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Parses an RFC 3339 instant.
 *
 * The date must exist, and the zone must be written (`Z` or `±hh:mm`). No text may surround the
 * instant. Digits beyond the millisecond are cut off. A leap second (`:60`) is refused, because
 * milliseconds since 1970 can't express it.
 *
 * @returns `undefined` for any other text.
 * @see https://www.rfc-editor.org/rfc/rfc3339 §5.6
 */
export function parseInstant(text: string): EpochMs | undefined {
  const match = INSTANT.exec(text);
  if (match === null) return undefined;
  const field = (group: number): number => Number(match[group] ?? "0");
  const year = field(1);
  const month = field(2);
  const day = field(3);
  const hour = field(4);
  const minute = field(5);
  const second = field(6);
  if (day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || field(9) > 23 || field(10) > 59) return undefined;
  const millisecond = Number((match[7] ?? "").slice(0, 3).padEnd(3, "0"));
  const wall = new Date(0);
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  wall.setUTCFullYear(year, month - 1, day);
  wall.setUTCHours(hour, minute, second, millisecond);
  const offset = (match[8] === "-" ? -1 : 1) * (field(9) * 60 + field(10));
  return epochMs(wall.getTime() - offset * 60_000);
}

/** Returns the number of days of a month; 0 for an invalid month. */
function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [0, 31, 0, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? 0;
}
