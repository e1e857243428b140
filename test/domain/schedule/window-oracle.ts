import fc from "fast-check";
import { epochMs, toIso } from "#domain/shared/time";
import { type MaintenanceWindow, readWindow, windowState, type WrittenWindow } from "#domain/schedule/window";
import type { WallClock, WallMinute } from "./wall-clock.ts";

/**
 * A window as numbers, so that the oracle reads none of the texts. Days of the week are 0 for
 * Sunday; `zone` counts those of the case.
 */
export type DrawnWindow = { readonly effect: "allow" | "deny"; readonly zone: number } & (
  | { readonly weekdays: readonly number[]; readonly start: number; readonly end: number }
  | {
      readonly minutes: readonly number[];
      readonly hours: readonly number[];
      readonly weekdays: readonly CronWeekday[] | undefined;
      /** 32 is the last one. */
      readonly daysOfMonth: readonly number[] | undefined;
      /** Whether both kinds of day have to fit. */
      readonly both: boolean;
      readonly durationMinutes: number;
    }
);

interface CronWeekday {
  readonly weekday: number;
  /** The how many-th of a month, 6 for the last; 0 for all. */
  readonly which: number;
}

/** How many zones a case has. */
export const zonesOfCase = 3;

/**
 * The longest duration that is drawn, in days: an oracle has to begin as long before the first
 * minute that it is asked about.
 */
export const longestDays = 2;

const effect = fc.constantFrom("allow", "allow", "deny");
const zone = fc.nat({ max: zonesOfCase - 1 });
const some = (min: number, max: number, most: number) =>
  fc
    .uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: most })
    .map((values) => values.toSorted((one, other) => one - other));
const weekdays = some(0, 6, 7);
const quarter = fc.integer({ min: 0, max: 95 }).map((number) => number * 15);

const times = fc.record({
  effect,
  zone,
  weekdays,
  start: quarter,
  end: fc.oneof(quarter, fc.constant(1_440)),
});
const which = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 6 }));
const cron = fc
  .record({
    effect,
    zone,
    // Many starts, and the few around which clocks change.
    minutes: fc.oneof(some(0, 59, 2), fc.constant([0, 15, 30, 45]), fc.constant([...Array(60).keys()])),
    hours: fc.oneof(some(0, 23, 3), some(0, 3, 4), fc.constant([...Array(24).keys()])),
    weekdays: fc.option(
      weekdays.chain((days) => fc.tuple(...days.map((weekday) => fc.record({ weekday: fc.constant(weekday), which })))),
      { nil: undefined },
    ),
    daysOfMonth: fc.option(some(1, 32, 10), { nil: undefined }),
    both: fc.boolean(),
    durationMinutes: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: longestDays * 1_440 })),
  })
  // The 31st is never a first Monday: that is refused.
  .filter((drawn) => !drawn.both || readWindow(written(drawn)).ok);

/** Some windows of all forms and effects. */
export const drawnWindows: fc.Arbitrary<readonly DrawnWindow[]> = fc.array(fc.oneof(times, cron), {
  minLength: 1,
  maxLength: 3,
});

const [lastDay, lastWeek] = [32, 6];
const names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** Writes a window as a person would, and reads it. */
export function windowOf(drawn: DrawnWindow, zones: readonly string[]): MaintenanceWindow {
  const read = readWindow({ ...written(drawn), effect: drawn.effect, timeZone: zones[drawn.zone] });
  if (!read.ok) throw new Error(read.problem.message);
  return read.value;
}

function written(drawn: DrawnWindow): WrittenWindow {
  if ("start" in drawn)
    return { days: drawn.weekdays.map((day) => names[day]!), start: clock(drawn.start), end: clock(drawn.end) };
  const all = (values: readonly number[], most: number) => (values.length === most ? undefined : values);
  const daysOfMonth = drawn.daysOfMonth?.map((day) => (day === lastDay ? "L" : day));
  const weekdays = drawn.weekdays?.map(({ weekday, which }, index) =>
    [
      index === 0 && drawn.both ? "+" : "",
      weekday,
      which === 0 ? "" : which === lastWeek ? "#L" : `#${String(which)}`,
    ].join(""),
  );
  const fields = [all(drawn.minutes, 60), all(drawn.hours, 24), daysOfMonth, undefined, weekdays];
  return {
    cron: fields.map((values) => values?.join(",") ?? "*").join(" "),
    duration: `${String(drawn.durationMinutes)}m`,
  };
}

function clock(time: number): string {
  return `${String(Math.floor(time / 60))}:${String(time % 60).padStart(2, "0")}`;
}

/** When windows open and close: `open` or `closed`, then the instants of the changes. */
export type Course = readonly string[];

/**
 * What a person with a calendar and a clock on the wall of each zone would write down, minute by minute, from a minute of the clocks on; they
 * begin at one instant.
 */
export function courseByTheClock(windows: readonly DrawnWindow[], walls: readonly WallClock[], first: number): Course {
  const open = windows.map((window) => {
    const wall = walls[window.zone]!;
    return "start" in window ? byTimes(window, wall) : byCron(window, wall);
  });
  const { from, minutes } = walls[0]!;
  const by = (effect: DrawnWindow["effect"]) => open.filter((_, index) => windows[index]!.effect === effect);
  const [allows, denies] = [by("allow"), by("deny")];
  const isOpen = (minute: number): boolean => {
    const shows = (minutes: readonly boolean[]): boolean => minutes[minute] === true;
    return (allows.length === 0 || allows.some(shows)) && !denies.some(shows);
  };
  const course = [isOpen(first) ? "open" : "closed"];
  let before = isOpen(first);
  for (let minute = first + 1; minute < minutes.length; minute++) {
    const now = isOpen(minute);
    if (now !== before) course.push(toIso(epochMs(from + minute * 60_000)));
    before = now;
  }
  return course;
}

function byTimes(
  { weekdays, start, end }: Extract<DrawnWindow, { start: number }>,
  { minutes }: WallClock,
): readonly boolean[] {
  const on = (day: number): boolean => weekdays.includes(weekdayOf(day));
  return minutes.map(({ day, time }) =>
    end > start ? on(day) && time >= start && time < end : (on(day) && time >= start) || (on(day - 1) && time < end),
  );
}

/**
 * It starts in a minute that the clock shows, or that it left out just before; and it is a timer
 * that closes it.
 */
function byCron(window: Extract<DrawnWindow, { durationMinutes: number }>, { minutes }: WallClock): readonly boolean[] {
  let left = 0;
  return minutes.map((wall, index) => {
    const before = minutes[index - 1];
    const starts =
      startsAt(window, wall) ||
      (before !== undefined && skipped(before, wall).some((minute) => startsAt(window, minute)));
    left = starts ? window.durationMinutes : left - 1;
    return left > 0;
  });
}

function startsAt(
  { minutes, hours, weekdays, daysOfMonth, both }: Extract<DrawnWindow, { durationMinutes: number }>,
  { day, time }: WallMinute,
): boolean {
  if (!minutes.includes(time % 60) || !hours.includes(Math.floor(time / 60))) return false;
  const ofWeek = weekdays?.some(({ weekday, which }) => weekday === weekdayOf(day) && isWhich(which, day));
  const ofMonth =
    daysOfMonth && (daysOfMonth.includes(dateOf(day)) || (daysOfMonth.includes(lastDay) && dateOf(day + 1) === 1));
  if (ofWeek === undefined || ofMonth === undefined) return ofWeek ?? ofMonth ?? true;
  return both ? ofWeek && ofMonth : ofWeek || ofMonth;
}

/** Whether a day is that time of its weekday in its month. */
function isWhich(which: number, day: number): boolean {
  if (which === 0) return true;
  if (which === lastWeek) return dateOf(day + 7) <= 7;
  return dateOf(day) > (which - 1) * 7 && dateOf(day) <= which * 7;
}

function dateOf(day: number): number {
  return new Date(day * 86_400_000).getUTCDate();
}

/** The minutes that the clock did not show between two that it did. */
function skipped(before: WallMinute, wall: WallMinute): readonly WallMinute[] {
  const minutes: WallMinute[] = [];
  for (let next = minuteAfter(before); isEarlier(next, wall); next = minuteAfter(next)) minutes.push(next);
  return minutes;
}

function minuteAfter({ day, time }: WallMinute): WallMinute {
  return time === 1_439 ? { day: day + 1, time: 0 } : { day, time: time + 1 };
}

function isEarlier(one: WallMinute, other: WallMinute): boolean {
  return one.day < other.day || (one.day === other.day && one.time < other.time);
}

/** 0 for Sunday; day 0 was a Thursday. */
function weekdayOf(day: number): number {
  return (day + 4) % 7;
}

/** What Lookout says, from one change to the next. */
export function courseByLookout(windows: readonly MaintenanceWindow[], from: number, to: number): Course {
  const course: string[] = [];
  for (let instant = epochMs(from); instant < to;) {
    const { open, nextChange } = windowState(windows, instant);
    course.push(course.length === 0 ? (open ? "open" : "closed") : toIso(instant));
    const { at: next } = nextChange();
    if (next === undefined) break;
    instant = next;
  }
  return course;
}
