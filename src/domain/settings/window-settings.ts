import type { MaintenanceWindow, WindowProblem } from "../schedule/window.ts";
import { parseCronWindow, parseWindow } from "../schedule/window.ts";
import type { Result } from "../shared/result.ts";

/** The annotations of allowing and of denying windows, without their prefix. */
const keysOf = {
  allow: { window: "maintenance-window", days: "maintenance-days", cron: "maintenance-cron" },
  deny: { window: "blackout-window", days: "blackout-days", cron: "blackout-cron" },
} as const;
/** The key of the time zone that all windows of a workload share. Two zones would confuse users. */
const zoneKey = "maintenance-tz";

/** The source of annotations, and the receiver of problems. */
interface WindowReader {
  readonly value: (key: string) => string | undefined;
  readonly report: (key: string, message: string) => void;
}

/**
 * Parses a workload's windows, allowing windows first. Reports invalid windows, and returns only
 * valid windows.
 */
export function readWindows({ value, report }: WindowReader): readonly MaintenanceWindow[] {
  const timeZone = value(zoneKey);
  const windows: MaintenanceWindow[] = [];
  for (const effect of ["allow", "deny"] as const) {
    const keys = keysOf[effect];
    const window = value(keys.window);
    const days = value(keys.days);
    const cron = value(keys.cron);
    const add = (read: Result<readonly MaintenanceWindow[], WindowProblem>, key: string): void => {
      if (read.ok) windows.push(...read.value);
      else report(keyOfPart(read.problem.part, keys.days) ?? key, read.problem.message);
    };
    if (window !== undefined) add(parseWindow({ effect, window, days, timeZone }), keys.window);
    else if (days !== undefined) report(keys.days, `needs lookout.dev/${keys.window} too`);
    if (cron !== undefined) add(parseCronWindow({ effect, cron, timeZone }), keys.cron);
  }
  const isAlone = [keysOf.allow, keysOf.deny].every(
    ({ window, cron }) => value(window) === undefined && value(cron) === undefined,
  );
  if (timeZone !== undefined && isAlone) report(zoneKey, `needs lookout.dev/${keysOf.allow.window} too`);
  return windows;
}

/** Returns the key of a part. Days and time zone have annotation keys of their own. */
function keyOfPart(part: WindowProblem["part"], daysKey: string): string | undefined {
  if (part === "timeZone") return zoneKey;
  return part === "days" ? daysKey : undefined;
}
