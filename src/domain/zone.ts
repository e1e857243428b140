import { Temporal } from "temporal-polyfill";
import type { EpochMs } from "./time.ts";

/**
 * A stretch of time through which a zone's clocks run evenly: from one change to the next, the second not included.
 * `offset` is what is added to an instant to get the wall clock, in milliseconds. The ends may be infinite.
 */
export interface OffsetSpan {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** A year of a zone has two changes, rarely four; a zone that is asked about many years is not worth more memory. */
const SPANS_PER_ZONE = 64;
/** There are about 600 names, but any mix of cases is a name too. */
const ZONES = 1_000;

/** Looking a change up takes some hundred steps; the answer never changes while the program runs. */
const known = new Map<string, OffsetSpan[]>();

/**
 * Answers how a zone's clocks run at an instant, and for how long.
 *
 * @param timeZone - a name that {@link zoneName} gave.
 * @throws RangeError for an unknown zone, and outside the instants that a calendar has.
 */
export function offsetSpan(timeZone: string, at: EpochMs): OffsetSpan {
  let spans = known.get(timeZone);
  if (spans === undefined) {
    if (known.size >= ZONES) known.clear();
    spans = [];
    known.set(timeZone, spans);
  }
  for (const span of spans) {
    if (span.from <= at && at < span.to) return span;
  }
  if (spans.length >= SPANS_PER_ZONE) spans.length = 0;
  const span = lookUp(timeZone, at);
  spans.push(span);
  return span;
}

function lookUp(timeZone: string, at: EpochMs): OffsetSpan {
  const local = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone);
  // A change at this very instant is the one that this span begins with.
  const previous = local.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  const next = local.getTimeZoneTransition("next");
  return {
    from: previous?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
    to: next?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
    offset: local.offsetNanoseconds / 1_000_000,
  };
}

/**
 * The name of an IANA time zone in the spelling of the database; the case does not matter, aliases stay what they are.
 *
 * @returns `undefined` for a name that the database does not have, and for an offset such as `+02:00`, which knows no summer.
 * @see https://www.iana.org/time-zones
 */
export function zoneName(text: string): string | undefined {
  if (!/^[A-Za-z]/.test(text)) return undefined;
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch {
    return undefined; // All that it throws is that there is no such zone.
  }
}
