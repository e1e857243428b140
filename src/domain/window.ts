import { Temporal } from "temporal-polyfill";
import { ok, problem, type Result } from "./result.ts";
import { epochMs, type EpochMs } from "./time.ts";

/** A day of the week; 1 is Monday. */
export type Weekday = number;

/** A time in which updates may happen. */
export interface MaintenanceWindow {
  /** Empty: every day. */
  readonly days: readonly Weekday[];
  /** Minutes since midnight. */
  readonly start: number;
  readonly end: number;
  readonly timeZone: string;
}

/** Reads the three annotations of a window. */
export function parseWindow(text: {
  readonly window: string;
  readonly days?: string;
  readonly timeZone?: string;
}): Result<readonly MaintenanceWindow[], { readonly key: "window" | "days" | "time-zone"; readonly message: string }> {
  const names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
  const days = (text.days ?? "").split(",").map((day) => day.trim().toLowerCase().slice(0, 3)).filter((day) => day !== "");
  if (days.some((day) => !names.includes(day))) return problem({ key: "days", message: "expected days such as Sat,Sun" });
  const timeZone = text.timeZone ?? "UTC";
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(timeZone);
  } catch {
    return problem({ key: "time-zone", message: "expected an IANA time zone" });
  }
  const windows: MaintenanceWindow[] = [];
  for (const part of text.window.split(",")) {
    const match = /^(\d\d):(\d\d)-(\d\d):(\d\d)$/.exec(part.trim());
    if (match === null) return problem({ key: "window", message: "expected HH:MM-HH:MM" });
    const [, a, b, c, d] = match.map(Number);
    windows.push({ days: days.map((day) => names.indexOf(day) + 1), start: (a ?? 0) * 60 + (b ?? 0), end: (c ?? 0) * 60 + (d ?? 0), timeZone });
  }
  return ok(windows);
}

/** Says whether a window is open. */
export function windowState(
  windows: readonly MaintenanceWindow[],
  at: EpochMs,
): { readonly open: true; readonly until: EpochMs | undefined } | { readonly open: false; readonly opensAt: EpochMs | undefined } {
  const spans = windows.flatMap((window) => {
    const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(window.timeZone).toPlainDate();
    return Array.from({ length: 10 }, (_, index) => today.add({ days: index - 1 }))
      .filter(({ dayOfWeek }) => window.days.length === 0 || window.days.includes(dayOfWeek))
      .map((date) => {
        const instant = (minutes: number): number =>
          date.toZonedDateTime({ timeZone: window.timeZone }).add({ minutes }).epochMilliseconds;
        const length = window.end > window.start ? 0 : 1_440;
        return { from: instant(window.start), to: instant(window.end + length) };
      });
  });
  const open = spans.find(({ from, to }) => from <= at && at < to);
  if (open !== undefined) return { open: true, until: epochMs(open.to) };
  const next = spans.map(({ from }) => from).filter((from) => from > at).sort((left, right) => left - right)[0];
  return { open: false, opensAt: next === undefined ? undefined : epochMs(next) };
}

/** Writes a window for people. */
export function describeWindow({ days, start, end, timeZone }: MaintenanceWindow): string {
  const time = (minutes: number): string => `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
  const names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
  const when = days.length === 0 ? "" : `${days.map((day) => names[day - 1] ?? "").join(",")} `;
  return `${when}${time(start)}–${time(end)} ${timeZone}`;
}
