/** What a calendar and a clock on the wall show: 0 for Monday, and minutes since midnight. */
export interface WallMinute {
  readonly weekday: number;
  readonly time: number;
}

/** Days before the change that is looked at, and days behind it: a week and a day, so that each weekday comes again. */
const [BEFORE, BEHIND] = [3, 8] as const;

const known = new Map<string, { readonly from: number; readonly minutes: readonly WallMinute[] }>();

/**
 * Reads the clock of a zone at every minute around an instant, one by one from the platform's own formatter.
 *
 * `minutes` begin at `from`, in milliseconds since 1970, three days before the instant.
 */
export function wallClock(
  timeZone: string,
  around: string,
): { readonly from: number; readonly minutes: readonly WallMinute[] } {
  const key = `${timeZone} ${around}`;
  let clock = known.get(key);
  if (clock === undefined) {
    const from = Date.parse(around) - BEFORE * 86_400_000;
    const format = new Intl.DateTimeFormat("en-GB", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    const minutes = Array.from({ length: (BEFORE + BEHIND) * 1_440 }, (_, index) =>
      wallMinute(format.format(from + index * 60_000)),
    );
    clock = { from, minutes };
    known.set(key, clock);
  }
  return clock;
}

function wallMinute(shown: string): WallMinute {
  const match = /^(...),? (\d\d):(\d\d)$/.exec(shown);
  const [, day, hour, minute] = match ?? [];
  if (day === undefined) throw new Error(`the formatter wrote ${shown}`);
  return {
    weekday: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].indexOf(day),
    time: Number(hour) * 60 + Number(minute),
  };
}
