import { epochMs, type EpochMs, hours } from "../shared/time.ts";
import { type Openings, openingsOf, quietTimes, type Stretch } from "./transitions.ts";
import type { MaintenanceWindow, WindowEffect } from "./window-text.ts";

export { type MaintenanceWindow, parseCronWindow, parseWindow, readWindow, type WrittenWindow } from "./window-text.ts";
export { describeWindow, writeWindow } from "./format-window.ts";
export type { TimesWindow, WallTime, Weekday, WindowProblem } from "./window-text.ts";

/** Whether windows allow updates at an instant. */
export interface WindowState {
  readonly open: boolean;
  /**
   * When open, the allowing windows that are open (none where no window allows, so that any time is fine); when closed, the denying ones that are
   * active, and none where it is only that no allowing one is open. In the order given.
   */
  readonly because: readonly MaintenanceWindow[];
  /** Looks ahead for the instant at which open windows close, or closed ones open. */
  readonly nextChange: () => NextChange;
}

/** When windows close, or open. */
export interface NextChange {
  /** `undefined` when they stay as they are for as long as was looked. */
  readonly at: EpochMs | undefined;
  /** How far was looked: up to the change, or for eight years, but not past the year 9999; less far where that would take too long. */
  readonly lookedUntil: EpochMs;
}

/** How many distinct times are compared; equal ones are skipped. */
const PASSED = [hours(7 * 24), hours(24), hours(1)];
/** The longest look-ahead: 29 February can stay away this long, around the year 2100. */
const HORIZON = hours(3_000 * 24);
/** The end of the last year that RFC 3339 can write: nothing is looked for behind it. */
const END_OF_CALENDAR = Date.UTC(10_000, 0);
/** After so many stretches it pays to remember what hours, days and weeks are like. */
const FEW_STRETCHES = 50;
/** Reached after some tenths of a second, and only by windows that differ every minute. */
const MOST_LOOKS = 200_000;

/**
 * Answers whether windows allow updates: at least one allowing window is open, or there is none, and no denying one is active.
 *
 * The start is in a window and the end is not. A window of days and times is open while the clock on the wall shows them: a start
 * that a change of the clocks skips opens at the first instant after the gap, a window that lies within the gap does not open, and a
 * time that comes twice is open both times; past midnight it belongs to the day on which it opened. A window of cron is open for its
 * duration from each start: from the first instant after a gap that skips it, and from both instants where it comes twice. Windows
 * that overlap or touch are one opening.
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
  // What is closed stays so, whatever begins to deny.
  return allowed.open ? { open: true, until: Math.min(allowed.until, denied.until) } : allowed;
}

/** Open while one is: as long as the last that is open, or until the first may open. */
function together(all: readonly Openings[], at: EpochMs): Stretch {
  let open = false;
  let [lastEnd, firstEnd] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  // A loop without lists: this is asked of each stretch of eight years.
  for (const { stretchAround } of all) {
    const stretch = stretchAround(at);
    open ||= stretch.open;
    if (stretch.open) lastEnd = Math.max(lastEnd, stretch.until);
    else firstEnd = Math.min(firstEnd, stretch.until);
  }
  return { open, until: open ? lastEnd : firstEnd };
}

/** Goes from stretch to stretch; what is like a time without a change is passed over. */
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

/** The next openings, the one that is open now first, as it is left; fewer where no more come. */
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
