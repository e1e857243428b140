import { ok, problem, type Result } from "./result.ts";
import { zoneName } from "./zone.ts";

/** A day of the week, as it is written in a window. */
export type Weekday = "Mon" | "Tue" | "Wed" | "Thu" | "Fri" | "Sat" | "Sun";

/** Minutes since midnight by the clock on the wall: 0 to 1439 as a start, 0 to 1440 (`24:00`) as an end. */
export type WallTime = number;

/**
 * When a window is open, week after week, by the clocks of its zone.
 *
 * No days: every day. An end that is not after its start is on the next day, so that equal ones are 24 hours; the window
 * belongs to the day on which it opens.
 */
export interface MaintenanceWindow {
  readonly days: readonly Weekday[];
  readonly start: WallTime;
  readonly end: WallTime;
  /** A name of the IANA database. */
  readonly timeZone: string;
}

/** Which of the three texts can't be understood. `message` shows it and says what is expected, for people. */
export interface WindowProblem {
  readonly key: "window" | "days" | "time-zone";
  readonly message: string;
}

/** The days of a week, in order. */
export const weekdays: readonly Weekday[] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const FULL_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

/** Far more than a week of windows takes; a longer text is a mistake. */
const LONGEST_TEXT = 1_000;

/**
 * Reads maintenance windows as people write them.
 *
 * `window`: one or more of `HH:MM-HH:MM`, by commas; `24:00` is an end only. `days`: names of three letters or whole ones in
 * any case, ranges such as `Fri-Mon`, `*` for all, by commas; left out, every day. `timeZone`: an IANA name, left out UTC.
 * Days and zone hold for every window. Blank elements of a list are dropped, but a text that is blank as a whole is refused.
 *
 * @returns in the order of the text, at least one; days in the order of the week, and none where all seven were named.
 */
export function parseWindow(text: {
  readonly window: string;
  readonly days?: string;
  readonly timeZone?: string;
}): Result<readonly MaintenanceWindow[], WindowProblem> {
  const timeZone = zoneName(text.timeZone ?? "UTC");
  if (timeZone === undefined) {
    return refuse(
      "time-zone",
      text.timeZone ?? "",
      "not a time zone (expected an IANA name, for example Europe/Berlin)",
    );
  }
  const days = text.days === undefined ? [] : parseDays(text.days);
  if (days === undefined) {
    return refuse("days", text.days ?? "", "not days of the week (expected for example Sat,Sun or Mon-Fri)");
  }
  const windows = elements(text.window).map(parseTimes);
  const parsed = windows.filter((times) => times !== undefined);
  if (parsed.length === 0 || parsed.length < windows.length) {
    return refuse("window", text.window, "not a window (expected HH:MM-HH:MM, for example 22:00-02:00)");
  }
  return ok(parsed.map(({ start, end }) => ({ days, start, end, timeZone })));
}

function refuse(key: WindowProblem["key"], value: string, why: string): Result<never, WindowProblem> {
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value;
  return problem({ key, message: `"${shown}": ${why}` });
}

function elements(text: string): readonly string[] {
  if (text.length > LONGEST_TEXT) return [text];
  return text
    .split(",")
    .map((element) => element.trim())
    .filter((element) => element !== "");
}

/** People copy windows from where they are shown, and there the dash is a long one. */
const TIMES = /^(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})$/;

function parseTimes(text: string): Pick<MaintenanceWindow, "start" | "end"> | undefined {
  const match = TIMES.exec(text);
  if (match === null) return undefined;
  const [startHour = 0, startMinute = 0, endHour = 0, endMinute = 0] = match.slice(1).map(Number);
  if (startMinute > 59 || endMinute > 59) return undefined;
  const [start, end] = [startHour * 60 + startMinute, endHour * 60 + endMinute];
  return start < 1_440 && end <= 1_440 ? { start, end } : undefined;
}

function parseDays(text: string): readonly Weekday[] | undefined {
  const named = new Set<number>();
  for (const element of elements(text)) {
    const ends = element === "*" ? [0, 6] : element.split(/[-–]/).map(dayNumber);
    const [from, to] = [ends[0], ends.at(-1)];
    if (from === undefined || to === undefined || ends.length > 2) return undefined;
    for (let day = from; day !== to; day = (day + 1) % 7) named.add(day);
    named.add(to);
  }
  if (named.size === 0) return undefined;
  return named.size === 7 ? [] : weekdays.filter((_, day) => named.has(day));
}

/** 0 for Monday. */
function dayNumber(text: string): number | undefined {
  const name = text.trim().toLowerCase();
  const day = FULL_NAMES.findIndex((full) => full === name || full.slice(0, 3) === name);
  return day < 0 ? undefined : day;
}

/** Writes a window for people: `Sat 22:00–02:00 Europe/Berlin`; without days, `every day`. */
export function describeWindow({ days, start, end, timeZone }: MaintenanceWindow): string {
  return `${days.length === 0 ? "every day" : days.join(",")} ${clock(start)}–${clock(end)} ${timeZone}`;
}

function clock(time: WallTime): string {
  return [Math.floor(time / 60), time % 60].map((part) => String(part).padStart(2, "0")).join(":");
}
