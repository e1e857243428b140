import { formatDuration } from "../shared/duration.ts";
import { epochMs, toIso } from "../shared/time.ts";
import type { MaintenanceWindow, WallTime, WrittenWindow } from "./window-text.ts";

/** Returns a window in the form that `readWindow` reads. */
export function writeWindow(window: MaintenanceWindow): WrittenWindow {
  const { effect, timeZone } = window;
  if (window.kind === "cron")
    return { effect, cron: window.times.text, duration: formatDuration(window.duration), timeZone };
  if (window.kind === "span") return { effect, from: wallTime(window.from), until: wallTime(window.until), timeZone };
  const { days, start, end } = window;
  return { effect, ...(days.length === 0 ? {} : { days }), start: clock(start), end: clock(end), timeZone };
}

/**
 * Returns a window for people: `Sat 22:00–02:00 Europe/Berlin`, `0 22 * * 1-5 for 4h UTC`, `every
 * day …`. A denying window begins with `blackout`.
 */
export function describeWindow(window: MaintenanceWindow): string {
  return `${window.effect === "deny" ? "blackout " : ""}${when(window)} ${window.timeZone}`;
}

function when(window: MaintenanceWindow): string {
  if (window.kind === "cron") return `${window.times.text} for ${formatDuration(window.duration)}`;
  if (window.kind === "span") return `${wallTime(window.from)} – ${wallTime(window.until)}`;
  const { days, start, end } = window;
  return `${days.length === 0 ? "every day" : days.join(",")} ${clock(start)}–${clock(end)}`;
}

/** Returns a local time as text. At midnight, the text has only the date. */
function wallTime(wall: number): string {
  return toIso(epochMs(wall)).slice(0, 16).replace("T00:00", "").replace("T", " ");
}

function clock(time: WallTime): string {
  return [Math.floor(time / 60), time % 60].map((part) => String(part).padStart(2, "0")).join(":");
}
