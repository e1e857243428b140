import { repositoryKey } from "../image/reference.ts";
import { sha256 } from "../shared/sha256.ts";
import { type DurationMs, durationMs, type EpochMs, epochMs, minutes } from "../shared/time.ts";
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

/** The facts that decide when a repository is swept. */
export interface Swept {
  readonly registry: string;
  readonly repository: string;
  /** Absent: it was never swept. */
  readonly firstSweptAt?: EpochMs;
  /** Absent: the default of its registry. */
  readonly interval?: DurationMs;
  /** Present: its last sweep failed. */
  readonly problem?: object;
}

/**
 * Returns whether a repository is due at a tick of the schedule, which comes each minute.
 *
 * It is due once an interval, in a minute that follows from its name. A tick makes up for all
 * minutes since the last one: a stop of Lookout delays sweeps, and skips none.
 * `lastTick` is undefined at the first tick.
 */
export function isSweepDue(
  swept: Swept,
  rules: ScanRules,
  { lastTick, now }: { readonly lastTick: EpochMs | undefined; readonly now: EpochMs },
): boolean {
  if (swept.firstSweptAt === undefined) return true;
  // A later instant was stored before the clock was set back.
  const since = lastTick === undefined || lastTick > now ? now - minutes(1) : lastTick;
  return turnOf(swept, rules, now) > turnOf(swept, rules, since);
}

/** Returns the minute of the next sweep; undefined before the first, which the next tick queues. */
export function nextSweepAt(swept: Swept, rules: ScanRules, now: EpochMs): EpochMs | undefined {
  if (swept.firstSweptAt === undefined) return undefined;
  const every = minutesBetween(swept, rules);
  return epochMs(((turnOf(swept, rules, now) + 1) * every + firstMinute(swept, every)) * minutes(1));
}

/**
 * Returns whether a queued sweep is not needed any more. Either the next one is queued too, or the
 * first sweep has ended since.
 */
export function isSweepReplaced(swept: Swept, rules: ScanRules, queuedAt: EpochMs, now: EpochMs): boolean {
  const { firstSweptAt } = swept;
  if (firstSweptAt !== undefined && firstSweptAt >= queuedAt && firstSweptAt <= now) return true;
  return now - queuedAt >= minutesBetween(swept, rules) * minutes(1);
}

/** Numbers the intervals of a repository, each of which begins with its minute. */
function turnOf(swept: Swept, rules: ScanRules, at: number): number {
  const every = minutesBetween(swept, rules);
  return Math.floor((Math.floor(at / minutes(1)) - firstMinute(swept, every)) / every);
}

/** A failed sweep is repeated after the default interval, however long the repository's own is. */
function minutesBetween({ interval, problem }: Swept, { minInterval, defaultInterval }: ScanRules): number {
  const wanted = interval ?? defaultInterval;
  const asked = problem === undefined ? wanted : Math.min(wanted, defaultInterval);
  return Math.ceil(Math.max(asked, minInterval, shortestInterval) / minutes(1));
}

/** Spreads repositories over the minutes of an interval. */
function firstMinute({ registry, repository }: Swept, every: number): number {
  return Number.parseInt(sha256(repositoryKey({ registry, repository })).slice(0, 8), 16) % every;
}
