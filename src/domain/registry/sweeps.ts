import { type DurationMs, durationMs, type EpochMs, minutes } from "../shared/time.ts";
import { entriesUnder, type LimitedEntry, type ScanRules } from "./rules.ts";

/** The schedule looks for due sweeps this often, so no interval is shorter. */
export const shortestInterval: DurationMs = minutes(1);

const usualScan: ScanRules = { minInterval: shortestInterval, defaultInterval: minutes(5) };

/** Returns what holds for the registry of a host. */
export function scanRulesOf(host: string, entries: readonly LimitedEntry[]): ScanRules {
  return Object.assign({}, usualScan, ...entriesUnder(host, entries).map(({ scan }) => scan)) as ScanRules;
}

/**
 * Returns the shortest interval that subscribers ask for; undefined: the default of their registry.
 *
 * @param wanted - of each subscriber; undefined: it has no annotation
 */
export function shortestOf(
  wanted: readonly (DurationMs | undefined)[],
  { minInterval, defaultInterval }: ScanRules,
): DurationMs | undefined {
  const shortest = Math.min(...wanted.map((interval) => interval ?? defaultInterval));
  if (!Number.isFinite(shortest) || shortest === defaultInterval) return undefined;
  return durationMs(Math.max(shortest, minInterval));
}

/**
 * Says whether a repository is due at a tick of the schedule, which comes each minute.
 *
 * A sweep that has not run yet is queued again once an interval, and not each minute: two ticks may
 * be in one minute, or none.
 */
export function isSweepDue(
  { sweptAt, interval }: { readonly sweptAt?: EpochMs; readonly interval?: DurationMs },
  { minInterval, defaultInterval }: ScanRules,
  now: EpochMs,
): boolean {
  // A later instant was stored before the clock was set back.
  if (sweptAt === undefined || sweptAt > now) return true;
  const every = Math.ceil(Math.max(interval ?? defaultInterval, minInterval, shortestInterval) / minutes(1));
  const elapsed = minuteOf(now) - minuteOf(sweptAt);
  return elapsed >= every && elapsed % every < 2;
}

function minuteOf(at: EpochMs): number {
  return Math.floor(at / minutes(1));
}
