import { imageNameOf } from "../image/reference.ts";
import { sha256 } from "../shared/sha256.ts";
import { type DurationMs, durationMs, type EpochMs, epochMs, minutes } from "../shared/time.ts";
import { entriesUnder, type LimitedEntry, type ScanRules } from "./rules.ts";

/** The interval of the schedule that queues due sweeps. No repository has a shorter interval. */
export const shortestInterval: DurationMs = minutes(1);

const usualScan: ScanRules = { minInterval: shortestInterval, defaultInterval: minutes(5) };

/** Returns the sweep rules for the registry of a host. */
export function scanRulesOf(host: string, entries: readonly LimitedEntry[]): ScanRules {
  return Object.assign({}, usualScan, ...entriesUnder(host, entries).map(({ scan }) => scan)) as ScanRules;
}

/**
 * Returns the shortest interval that subscribers ask for. Returns undefined if the default of their
 * registry applies.
 *
 * @param wanted - the interval of each subscriber, undefined for a subscriber without the
 *   annotation.
 */
export function shortestOf(
  wanted: readonly (DurationMs | undefined)[],
  { minInterval, defaultInterval }: ScanRules,
): DurationMs | undefined {
  const shortest = Math.min(...wanted.map((interval) => interval ?? defaultInterval));
  if (!Number.isFinite(shortest) || shortest === defaultInterval) return undefined;
  return durationMs(Math.max(shortest, minInterval));
}

/** The facts that decide when a repository is swept. */
export interface Swept {
  readonly registry: string;
  readonly repository: string;
  /** The instant of the first sweep. Absent if the repository was never swept. */
  readonly firstSweptAt?: EpochMs;
  /** The sweep interval. Absent if the registry's default interval applies. */
  readonly interval?: DurationMs;
  /**
   * Present: the last sweep failed. `until` is the end of the pause that the registry asked for.
   */
  readonly problem?: { readonly until?: EpochMs };
}

/**
 * Returns whether a repository is due at a tick of the schedule, which ticks every minute.
 *
 * A repository is due once per interval, in a minute that Lookout computes from the repository's
 * name. It is also due when the pause of its registry ends. A tick covers all minutes since the last tick, so a stop of Lookout delays sweeps but skips
 * none. `lastTick` is undefined at the first tick.
 */
export function isSweepDue(
  swept: Swept,
  rules: ScanRules,
  { lastTick, now }: { readonly lastTick: EpochMs | undefined; readonly now: EpochMs },
): boolean {
  if (swept.firstSweptAt === undefined) return true;
  // A last tick later than `now` was stored before the clock was set back, so Lookout ignores this
  // tick.
  const since = lastTick === undefined || lastTick > now ? now - minutes(1) : lastTick;
  const until = swept.problem?.until;
  const endsPause = until !== undefined && until > since && until <= now;
  return endsPause || turnOf(swept, rules, now) > turnOf(swept, rules, since);
}

/**
 * Returns the minute of the next sweep; undefined before the first sweep, which the next tick
 * queues. During a pause of the registry, this is the first minute after the pause.
 */
export function nextSweepAt(swept: Swept, rules: ScanRules, now: EpochMs): EpochMs | undefined {
  if (swept.firstSweptAt === undefined) return undefined;
  const until = swept.problem?.until;
  if (until !== undefined && until > now) return epochMs(Math.ceil(until / minutes(1)) * minutes(1));
  const every = minutesBetween(swept, rules);
  return epochMs(((turnOf(swept, rules, now) + 1) * every + firstMinute(swept, every)) * minutes(1));
}

/**
 * Returns whether a queued sweep is no longer needed: the next sweep is queued too, or the first
 * sweep has ended since.
 */
export function isSweepReplaced(swept: Swept, rules: ScanRules, queuedAt: EpochMs, now: EpochMs): boolean {
  const { firstSweptAt } = swept;
  if (firstSweptAt !== undefined && firstSweptAt >= queuedAt && firstSweptAt <= now) return true;
  return now - queuedAt >= minutesBetween(swept, rules) * minutes(1);
}

/**
 * Returns the number of the interval at an instant. Each interval begins with the repository's
 * minute.
 */
function turnOf(swept: Swept, rules: ScanRules, at: number): number {
  const every = minutesBetween(swept, rules);
  return Math.floor((Math.floor(at / minutes(1)) - firstMinute(swept, every)) / every);
}

/**
 * Returns the minutes between two sweeps. After a failed sweep, these are at most the default
 * interval.
 */
function minutesBetween({ interval, problem }: Swept, { minInterval, defaultInterval }: ScanRules): number {
  const wanted = interval ?? defaultInterval;
  const asked = problem === undefined ? wanted : Math.min(wanted, defaultInterval);
  return Math.ceil(Math.max(asked, minInterval, shortestInterval) / minutes(1));
}

/** Returns the minute of a repository within its interval. Repositories spread over the minutes. */
function firstMinute({ registry, repository }: Swept, every: number): number {
  return Number.parseInt(sha256(imageNameOf({ registry, repository })).slice(0, 8), 16) % every;
}
