import { epochMs, type EpochMs, hours } from "../shared/time.ts";
import { type Openings, openingsOf, quietTimes, type Stretch } from "./transitions.ts";
import type { MaintenanceWindow, WindowEffect } from "./window-text.ts";

export { type MaintenanceWindow, parseCronWindow, parseWindow, readWindow, type WrittenWindow } from "./window-text.ts";
export { describeWindow, writeWindow } from "./format-window.ts";
export type { TimesWindow, WallTime, Weekday, WindowProblem } from "./window-text.ts";

/** The state of windows at an instant. */
export interface WindowState {
  readonly open: boolean;
  /**
   * The windows that decide the state, in the given order. Open: the open allowing windows. Closed:
   * the active denying windows. Empty when no window decides.
   */
  readonly because: readonly MaintenanceWindow[];
  /** Returns the instant at which the state changes. */
  readonly nextChange: () => NextChange;
}

/** The next change of windows. */
export interface NextChange {
  /** `undefined` when the state does not change before `lookedUntil`. */
  readonly at: EpochMs | undefined;
  /**
   * The last instant that the search covers: the change, eight years later, or the year 9999. A
   * search that takes too long covers less.
   */
  readonly lookedUntil: EpochMs;
}

/** The lengths of compared periods. A period that equals an earlier period is skipped. */
const PASSED = [hours(7 * 24), hours(24), hours(1)];
/** The longest search: around the year 2100, two 29 Februaries are this far apart. */
const HORIZON = hours(3_000 * 24);
/** The end of the last year that RFC 3339 can write. The search ends there. */
const END_OF_CALENDAR = Date.UTC(10_000, 0);
/** The number of stretches after which comparing hours, days and weeks saves time. */
const FEW_STRETCHES = 50;
/**
 * The largest number of stretches of all windows in one search. Only windows that differ every
 * minute reach this limit, after some tenths of a second.
 */
const MOST_LOOKS = 200_000;

/**
 * Returns whether windows allow updates. No denying window may be active. If there are allowing
 * windows, one of them must be open.
 *
 * The start is inclusive and the end is exclusive. Touching windows are one opening. Windows of
 * days and times follow local time. A window whose start is skipped opens after the gap. At a
 * repeated local time, a window is open twice. A cron window is open for its duration from each
 * start.
 */
export function windowState(windows: readonly MaintenanceWindow[], at: EpochMs): WindowState {
  const all = windows.map((window) => ({ window, openings: openingsOf(window) }));
  const active = all.filter(({ openings }) => openings.stretchAround(at).open).map(({ window }) => window);
  const doing = (effect: WindowEffect) =>
    all.filter(({ window }) => window.effect === effect).map(({ openings }) => openings);
  const plan = { allows: doing("allow"), denies: doing("deny") };
  const denying = active.filter(({ effect }) => effect === "deny");
  return {
    open: stretchOf(plan, at).open,
    because: denying.length > 0 ? denying : active,
    nextChange: () => nextChange(plan, at),
  };
}

/** The windows of a workload, by effect. */
interface Plan {
  readonly allows: readonly Openings[];
  readonly denies: readonly Openings[];
}

/** Returns the combined state of all windows, and the instant until which this state is certain. */
function stretchOf({ allows, denies }: Plan, at: EpochMs): Stretch {
  const denied = together(denies, at);
  if (denied.open) return { open: false, until: denied.until };
  if (allows.length === 0) return { open: true, until: denied.until };
  const allowed = together(allows, at);
  // While the allowing windows are closed, a denying window changes nothing.
  return allowed.open ? { open: true, until: Math.min(allowed.until, denied.until) } : allowed;
}

/**
 * Returns the state of several windows: open while one of them is open. An open stretch ends when
 * the last open window closes. A closed stretch ends when the first window may open.
 */
function together(all: readonly Openings[], at: EpochMs): Stretch {
  let open = false;
  let lastEnd = Number.NEGATIVE_INFINITY;
  let firstEnd = Number.POSITIVE_INFINITY;
  // The loop creates no lists, because a search calls this function for each stretch in eight
  // years.
  for (const { stretchAround } of all) {
    const stretch = stretchAround(at);
    open ||= stretch.open;
    if (stretch.open) lastEnd = Math.max(lastEnd, stretch.until);
    else firstEnd = Math.min(firstEnd, stretch.until);
  }
  return { open, until: open ? lastEnd : firstEnd };
}

/**
 * Returns the next change of the windows. A period that equals an earlier period without a change
 * is skipped.
 */
function nextChange(plan: Plan, at: EpochMs): NextChange {
  const horizon = epochMs(Math.min(at + HORIZON, END_OF_CALENDAR));
  const all = [...plan.allows, ...plan.denies];
  const { open, until } = stretchOf(plan, at);
  const passes: ((at: EpochMs) => EpochMs)[] = [];
  let instant = epochMs(until);
  for (let stretches = 1; instant < horizon; stretches++) {
    if (stretches * all.length > MOST_LOOKS) return { at: undefined, lookedUntil: instant };
    if (stretches === FEW_STRETCHES) passes.push(...PASSED.map((length) => quietTimes(all, length, instant)));
    const passed = passes.reduce((end, pass) => pass(end), instant);
    if (passed > instant) {
      instant = passed;
      continue;
    }
    const stretch = stretchOf(plan, instant);
    if (stretch.open !== open) return { at: instant, lookedUntil: instant };
    instant = epochMs(stretch.until);
  }
  return { at: undefined, lookedUntil: horizon };
}

/**
 * A period in which windows are open. `until` is undefined if they stay open for the whole search.
 */
export interface Opening {
  readonly from: EpochMs;
  readonly until: EpochMs | undefined;
}

/** Returns at most `most` next openings. The first opening may have begun before `at`. */
export function nextOpenings(windows: readonly MaintenanceWindow[], at: EpochMs, most: number): readonly Opening[] {
  const found: Opening[] = [];
  for (let instant: EpochMs | undefined = at; instant !== undefined && found.length < most;) {
    const { open, nextChange }: WindowState = windowState(windows, instant);
    const { at: next } = nextChange();
    if (open) found.push({ from: instant, until: next });
    instant = next;
  }
  return found;
}
