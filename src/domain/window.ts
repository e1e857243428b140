import { epochMs, type EpochMs } from "./time.ts";
import { type Openings, openingsOf } from "./window-openings.ts";
import type { MaintenanceWindow } from "./window-text.ts";

export {
  describeWindow,
  type MaintenanceWindow,
  parseCronWindow,
  parseWindow,
  readWindow,
  writeWindow,
  type WrittenWindow,
} from "./window-text.ts";
export type { TimesWindow, WallTime, Weekday, WindowProblem } from "./window-text.ts";

/**
 * Whether windows allow updates at an instant; until when, or from when, where that ever comes.
 *
 * `because`: when open, the allowing windows that are open (none where no window allows, so that any time is fine); when closed, the
 * denying ones that are active, and none where it is only that no allowing one is open. In the order given.
 */
export type WindowState = { readonly because: readonly MaintenanceWindow[] } & (
  | { readonly open: true; readonly until: EpochMs | undefined }
  | { readonly open: false; readonly opensAt: EpochMs | undefined }
);

const DAY = 86_400_000;
/** How far is looked: the longest that a date of the calendar stays away, 29 February over the year 2100. */
const HORIZON = 3_000 * DAY;
/** The end of the last year that RFC 3339 can write: nothing is looked for behind it. */
const END_OF_CALENDAR = Date.UTC(10_000, 0);
/** As often as denying windows may take the place of allowing ones before it counts as never: hourly for three months. */
const MOST_TURNS = 2_000;

/**
 * Answers whether windows allow updates: at least one allowing window is open, or there is none, and no denying one is active.
 *
 * The start is in a window and the end is not. A window of days and times is open while the clock on the wall shows them: a start
 * that a change of the clocks skips opens at the first instant after the gap, a window that lies within the gap does not open, and a
 * time that comes twice is open both times; past midnight it belongs to the day on which it opened. A window of cron is open for its
 * duration from each start: from the first instant after a gap that skips it, and from both instants where it comes twice. Windows
 * that overlap or touch are one opening.
 *
 * @returns `until: undefined` when they do not close within eight years, `opensAt: undefined` when they do not open within these; both when
 * that is not before the year 10000.
 */
export function windowState(windows: readonly MaintenanceWindow[], at: EpochMs): WindowState {
  const allows = windows.filter(({ effect }) => effect === "allow");
  const denies = windows.filter(({ effect }) => effect === "deny");
  const plan = { allows: allows.map(openingsOf), denies: denies.map(openingsOf) };
  const isOpen = (openings: Openings | undefined): boolean => openings !== undefined && openUntil(openings, at) > at;
  const active = denies.filter((_, index) => isOpen(plan.denies[index]));
  const because = active.length > 0 ? active : allows.filter((_, index) => isOpen(plan.allows[index]));
  if (active.length === 0 && (allows.length === 0 || because.length > 0))
    return { open: true, until: nextClosing(plan, at), because };
  return { open: false, opensAt: nextOpening(plan, at), because };
}

/** The windows of a workload by what they do. */
interface Plan {
  readonly allows: readonly Openings[];
  readonly denies: readonly Openings[];
}

function nextClosing({ allows, denies }: Plan, at: EpochMs): EpochMs | undefined {
  const denied = opening(denies, at);
  return allows.length === 0 ? denied : (closing(allows, at, denied) ?? denied);
}

function nextOpening({ allows, denies }: Plan, at: EpochMs): EpochMs | undefined {
  let instant = at;
  for (let turns = 0; turns < MOST_TURNS; turns++) {
    const lifted = closing(denies, instant);
    if (lifted === undefined) return undefined;
    const opens = allows.length === 0 ? lifted : opening(allows, lifted);
    if (opens === undefined || opens === instant) return opens;
    instant = opens;
  }
  return undefined;
}

/** The instant at which none is open any more, the given one when none is; `undefined` when that is not before `before`. */
function closing(all: readonly Openings[], at: EpochMs, before?: EpochMs): EpochMs | undefined {
  const horizon = before ?? Math.min(at + HORIZON, END_OF_CALENDAR);
  if (all.some(({ alwaysOpen }) => alwaysOpen)) return undefined;
  for (let instant = at; instant < horizon;) {
    let end: number = instant;
    for (const openings of all) end = Math.max(end, openings.openUntil(instant));
    if (end === instant) return instant;
    instant = epochMs(end);
  }
  return undefined;
}

/** The first instant, the given one included, at which one is open; `undefined` when that is not within the horizon. */
function opening(all: readonly Openings[], at: EpochMs): EpochMs | undefined {
  const horizon = Math.min(at + HORIZON, END_OF_CALENDAR);
  for (let instant = at; instant < horizon;) {
    if (all.some((openings) => openUntil(openings, instant) > instant)) return instant;
    instant = epochMs(Math.min(...all.map((openings) => openings.nextLook(instant))));
  }
  return undefined;
}

function openUntil({ alwaysOpen, openUntil }: Openings, at: EpochMs): number {
  return alwaysOpen ? Number.POSITIVE_INFINITY : openUntil(at);
}

/** One time that windows are open: `until` is missing where they don't close again. */
export interface Opening {
  readonly from: EpochMs;
  readonly until: EpochMs | undefined;
}

/** The next openings, the one that is open now first, as it is left; fewer where no more come. */
export function nextOpenings(windows: readonly MaintenanceWindow[], at: EpochMs, most: number): readonly Opening[] {
  const found: Opening[] = [];
  for (let instant: EpochMs | undefined = at; instant !== undefined && found.length < most;) {
    const state = windowState(windows, instant);
    if (state.open) found.push({ from: instant, until: state.until });
    instant = state.open ? state.until : state.opensAt;
  }
  return found;
}
