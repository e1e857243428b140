import { memoize } from "../shared/memoize.ts";
import { legacyZone } from "./legacy-zones.ts";
import { epochMs, type EpochMs } from "../shared/time.ts";

/**
 * A period in which a zone's offset stays the same; its end is exclusive. The local time in
 * milliseconds is the instant plus `offset`.
 */
export interface OffsetSpan {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

const SECOND = 1_000;
/**
 * The step of the search for a change of the offset. Since 1970, successive changes of a zone are
 * about a week apart or more, as in Boa Vista in 2000.
 */
const STEP = 4 * 86_400 * SECOND;
/** The number of steps in each direction: seven months. Most zones change twice a year or never. */
const STEPS = 53;
/** The number of cached periods of a zone. A zone has two changes a year, rarely four. */
const SPANS_PER_ZONE = 64;
/** The number of cached zones. There are about 600 names, each in any mix of cases. */
const ZONES = 1_000;

interface KnownZone {
  readonly name: string;
  readonly clock: Intl.DateTimeFormat;
  readonly spans: OffsetSpan[];
}

/**
 * Returns the period with a constant offset around an instant.
 *
 * @param timeZone - a result of {@link zoneName}.
 * @throws RangeError for an unknown zone, and for instants outside the calendar.
 */
export function offsetSpan(timeZone: string, at: EpochMs): OffsetSpan {
  const { clock, spans } = zoneOf(timeZone);
  for (const span of spans) {
    if (span.from <= at && at < span.to) return span;
  }
  if (spans.length >= SPANS_PER_ZONE) spans.length = 0;
  const offset = offsetAt(clock, at);
  // Both the first and the last instant of a span have its offset.
  const last = lastEven(clock, at, offset, 1);
  const first = lastEven(clock, at, offset, -1);
  const span = { from: first, to: last + 1, offset };
  spans.push(span);
  return span;
}

/** Cached, because a formatter is slow to create and a search takes some hundred steps. */
const zoneOf = memoize(ZONES, (timeZone): KnownZone => {
  const clock = clockOf(timeZone);
  const { timeZone: spelling } = clock.resolvedOptions();
  const isSpelling = spelling.toLowerCase() === timeZone.toLowerCase();
  return { name: isSpelling ? spelling : timeZone, clock, spans: [] };
});

function clockOf(timeZone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
}

function offsetAt(clock: Intl.DateTimeFormat, at: number): number {
  const second = Math.floor(at / SECOND) * SECOND;
  const [month = 1, day = 1, hour = 0, minute = 0, seconds = 0] = (clock.format(second).match(/\d+/g) ?? []).map(
    Number,
  );
  const wall = new Date(second);
  // Around New Year, the local year may differ from the year of the instant.
  const monthsOn = month - 1 - wall.getUTCMonth();
  wall.setUTCFullYear(wall.getUTCFullYear() - Math.trunc(monthsOn / 11), month - 1, day);
  return wall.setUTCHours(hour, minute, seconds) - second;
}

/** Returns the furthest known instant in a direction with the same offset. */
function lastEven(clock: Intl.DateTimeFormat, at: number, offset: number, direction: 1 | -1): number {
  let even = at;
  for (let steps = 0; steps < STEPS; steps++) {
    const next = even + direction * STEP;
    if (offsetAt(clock, next) !== offset) return lastBefore(clock, even, next, offset);
    even = next;
  }
  return even;
}

/**
 * Returns the last instant with an offset, by binary search towards an instant with another offset.
 */
function lastBefore(clock: Intl.DateTimeFormat, withOffset: number, without: number, offset: number): number {
  let even = withOffset;
  let changed = without;
  while (Math.abs(changed - even) > 1) {
    const middle = Math.floor((even + changed) / 2);
    if (offsetAt(clock, middle) === offset) even = middle;
    else changed = middle;
  }
  return even;
}

/**
 * Returns the name of an IANA time zone in the spelling of the database. Case does not matter, and
 * aliases stay.
 *
 * @returns `undefined` for unknown names, for offsets such as `+02:00`, and for abbreviations such as
 *   `BST` that the database lacks.
 * @see https://www.iana.org/time-zones
 */
export function zoneName(text: string): string | undefined {
  if (!/^[A-Za-z]/.test(text) || legacyZone(text) !== undefined) return undefined;
  try {
    return zoneOf(text).name;
  } catch {
    return undefined; // The only error of `zoneOf` is an unknown zone.
  }
}

/** A larger offset from UTC than any zone has. */
const FURTHEST_OFFSET = 26 * 3_600 * SECOND;

/**
 * Returns the first and last instant of a local time. The two instants differ when a clock change
 * repeats the time. For a skipped time, both are the end of the gap.
 *
 * @param wall - the local time as if it were UTC, in milliseconds.
 */
export function instantsAt(timeZone: string, wall: number): { readonly first: EpochMs; readonly last: EpochMs } {
  const found: number[] = [];
  for (let at = wall - FURTHEST_OFFSET; at <= wall + FURTHEST_OFFSET;) {
    const { from, to, offset } = offsetSpan(timeZone, epochMs(at));
    const instant = wall - offset;
    if (from <= instant && instant < to) found.push(instant);
    else if (instant < from && found.length === 0) found.push(from);
    at = to;
  }
  const [first = wall] = found;
  return { first: epochMs(first), last: epochMs(found.at(-1) ?? first) };
}
