import { type EpochMs, hours, minutes, plus } from "./time.ts";

/** The clocks of two functions differ by less. A jump of a clock by more is an error. */
export const mostClockDifference = minutes(5);

/**
 * The longest time for which Lookout waits for a stored instant that a clock behind would explain. So a clock that is set
 * back for a while shortens no wait.
 */
const longestBehind = hours(24);

/** Returns whether a stored instant is in the future. Its clock was ahead, or the present clock is behind. */
export function isAhead(at: EpochMs, now: EpochMs): boolean {
  return at > plus(now, mostClockDifference);
}

/** Returns whether a stored instant is so far in the future that its clock was wrong. */
export function isFarAhead(at: EpochMs, now: EpochMs): boolean {
  return isAhead(at, plus(now, longestBehind));
}

/** Returns a stored instant. One in the future counts as now. */
export function atMostNow(at: EpochMs, now: EpochMs): EpochMs {
  return isAhead(at, now) ? now : at;
}
