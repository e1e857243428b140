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
   * The end of the search: the change, eight years, or the year 9999. Earlier when the search would
   * take too long.
   */
  readonly lookedUntil: EpochMs;
}

/** How many distinct times are compared; equal ones are skipped. */
const PASSED = [hours(7 * 24), hours(24), hours(1)];
/** The longest look-ahead: 29 February can stay away this long, around the year 2100. */
const HORIZON = hours(3_000 * 24);
/** The end of the last year that RFC 3339 can write. The search ends there. */
const END_OF_CALENDAR = Date.UTC(10_000, 0);
/** After so many stretches it pays to remember what hours, days and weeks are like. */
const FEW_STRETCHES = 50;
/** Reached after some tenths of a second, and only by windows that differ every minute. */
const MOST_LOOKS = 200_000;

/**
 * Returns whether windows allow updates. No denying window may be active, and one of the allowing
 * windows must be open, if any.
 *
 * The start is inclusive and the end is exclusive. Touching windows are one opening. Windows of
 * days and times follow local time. A skipped start opens after the gap, and a repeated time is
 * open twice. A cron window is open for its duration from each start.
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

/** The windows of a workload by what they do. */
interface Plan {
  readonly allows: readonly Openings[];
  readonly denies: readonly Openings[];
}

/** How long all windows together stay as they are. */
function stretchOf({ allows, denies }: Plan, at: EpochMs): Stretch {
  const denied = together(denies, at);
  if (denied.open) return { open: false, until: denied.until };
  if (allows.length === 0) return { open: true, until: denied.until };
  const allowed = together(allows, at);
  // Closed windows stay closed when another one begins to deny.
  return allowed.open ? { open: true, until: Math.min(allowed.until, denied.until) } : allowed;
}

/** Open while one is: as long as the last that is open, or until the first may open. */
function together(all: readonly Openings[], at: EpochMs): Stretch {
  let open = false;
  let lastEnd = Number.NEGATIVE_INFINITY;
  let firstEnd = Number.POSITIVE_INFINITY;
  // A loop without lists: this is asked of each stretch of eight years.
  for (const { stretchAround } of all) {
    const stretch = stretchAround(at);
    open ||= stretch.open;
    if (stretch.open) lastEnd = Math.max(lastEnd, stretch.until);
    else firstEnd = Math.min(firstEnd, stretch.until);
  }
  return { open, until: open ? lastEnd : firstEnd };
}

/** Stretches that repeat earlier ones without a change are skipped. */
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
 * A period in which windows are open; `until` is missing when they stay open for the whole look-
 * ahead.
 */
export interface Opening {
  readonly from: EpochMs;
  readonly until: EpochMs | undefined;
}

/** Returns the next openings. The first may be open now, and there may be fewer. */
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
