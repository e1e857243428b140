import fc from "fast-check";
import { epochMs, toIso } from "#domain/time";
import { type MaintenanceWindow, readWindow, windowState, type WrittenWindow } from "#domain/window";
import type { WallClock, WallMinute } from "./wall-clock.ts";

/** A window as numbers, so that the oracle reads none of the texts. Days of the week are 0 for Sunday. */
export type DrawnWindow = { readonly effect: "allow" | "deny" } & (
  | { readonly weekdays: readonly number[]; readonly start: number; readonly end: number }
  | {
      readonly minutes: readonly number[];
      readonly hours: readonly number[];
      readonly weekdays: readonly number[] | undefined;
      readonly daysOfMonth: readonly number[] | undefined;
      readonly durationMinutes: number;
    }
);

/** The longest duration that is drawn, in days: an oracle has to begin as long before the first minute that it is asked about. */
export const longestDays = 2;

const effect = fc.constantFrom("allow", "allow", "deny");
const some = (min: number, max: number, most: number) =>
  fc
    .uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: most })
    .map((values) => values.toSorted((one, other) => one - other));
const weekdays = some(0, 6, 7);
const quarter = fc.integer({ min: 0, max: 95 }).map((number) => number * 15);

const times = fc.record({
  effect,
  weekdays,
  start: quarter,
  end: fc.oneof(quarter, fc.constant(1_440)),
});
const cron = fc.record({
  effect,
  // Many starts, and the few around which clocks change.
  minutes: fc.oneof(some(0, 59, 2), fc.constant([0, 15, 30, 45]), fc.constant([...Array(60).keys()])),
  hours: fc.oneof(some(0, 23, 3), some(0, 3, 4), fc.constant([...Array(24).keys()])),
  weekdays: fc.option(weekdays, { nil: undefined }),
  daysOfMonth: fc.option(some(1, 31, 10), { nil: undefined }),
  durationMinutes: fc.oneof(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: longestDays * 1_440 })),
});

/** Some windows of all forms and effects. */
export const drawnWindows: fc.Arbitrary<readonly DrawnWindow[]> = fc.array(fc.oneof(times, cron), {
  minLength: 1,
  maxLength: 3,
});

const names = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

/** Writes a window as a person would, and reads it. */
export function windowOf(drawn: DrawnWindow, timeZone: string): MaintenanceWindow {
  const read = readWindow({ ...written(drawn), effect: drawn.effect, timeZone });
  if (!read.ok) throw new Error(read.problem.message);
  return read.value;
}

function written(drawn: DrawnWindow): WrittenWindow {
  if ("start" in drawn)
    return { days: drawn.weekdays.map((day) => names[day]!), start: clock(drawn.start), end: clock(drawn.end) };
  const all = (values: readonly number[], most: number) => (values.length === most ? undefined : values);
  const fields = [all(drawn.minutes, 60), all(drawn.hours, 24), drawn.daysOfMonth, undefined, drawn.weekdays];
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

/** What a person with a calendar and a clock on the wall would write down, minute by minute, from a minute of the clock on. */
export function courseByTheClock(windows: readonly DrawnWindow[], wall: WallClock, first: number): Course {
  const open = windows.map((window) => ("start" in window ? byTimes(window, wall) : byCron(window, wall)));
  const by = (effect: DrawnWindow["effect"]) => open.filter((_, index) => windows[index]!.effect === effect);
  const [allows, denies] = [by("allow"), by("deny")];
  const isOpen = (minute: number): boolean => {
    const shows = (minutes: readonly boolean[]): boolean => minutes[minute] === true;
    return (allows.length === 0 || allows.some(shows)) && !denies.some(shows);
  };
  const course = [isOpen(first) ? "open" : "closed"];
  let before = isOpen(first);
  for (let minute = first + 1; minute < wall.minutes.length; minute++) {
    const now = isOpen(minute);
    if (now !== before) course.push(toIso(epochMs(wall.from + minute * 60_000)));
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

/** It starts in a minute that the clock shows, or that it left out just before; and it is a timer that closes it. */
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
  { minutes, hours, weekdays, daysOfMonth }: Extract<DrawnWindow, { durationMinutes: number }>,
  { day, time }: WallMinute,
): boolean {
  if (!minutes.includes(time % 60) || !hours.includes(Math.floor(time / 60))) return false;
  const ofWeek = weekdays?.includes(weekdayOf(day));
  const ofMonth = daysOfMonth?.includes(new Date(day * 86_400_000).getUTCDate());
  return ofWeek === undefined || ofMonth === undefined ? (ofWeek ?? ofMonth ?? true) : ofWeek || ofMonth;
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
    const state = windowState(windows, instant);
    course.push(course.length === 0 ? (state.open ? "open" : "closed") : toIso(instant));
    const next = state.open ? state.until : state.opensAt;
    if (next === undefined) break;
    instant = next;
  }
  return course;
}
