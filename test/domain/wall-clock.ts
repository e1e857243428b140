/** What a calendar and a clock on the wall show: days since 1970-01-01, and minutes since midnight. */
export interface WallMinute {
  readonly day: number;
  readonly time: number;
}

/** A stretch of a zone's time, minute by minute from `from`, in milliseconds since 1970. */
export interface WallClock {
  readonly from: number;
  readonly minutes: readonly WallMinute[];
}

const DAY = 86_400_000;

/** Reads the clock of a zone at every minute from some days before an instant to some behind it, one by one from the platform's formatter. */
export function wallClock(timeZone: string, around: number, days: { before: number; behind: number }): WallClock {
  const from = around - days.before * DAY;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const minutes = Array.from({ length: (days.before + days.behind) * 1_440 }, (_, index) =>
    wallMinute(format.format(from + index * 60_000)),
  );
  return { from, minutes };
}

function wallMinute(shown: string): WallMinute {
  const match = /^(\d\d)\/(\d\d)\/(\d{4}), (\d\d):(\d\d)$/.exec(shown);
  if (match === null) throw new Error(`the formatter wrote ${shown}`);
  const [day = 0, month = 0, year = 0, hour = 0, minute = 0] = match.slice(1).map(Number);
  return { day: Date.UTC(year, month - 1, day) / DAY, time: hour * 60 + minute };
}
