import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { wallClock, type WallClock } from "./wall-clock.ts";
import {
  courseByLookout,
  courseByTheClock,
  type DrawnWindow,
  drawnWindows,
  longestDays,
  windowOf,
} from "./window-oracle.ts";
import { isProof } from "#test/proof";

/**
 * Zones whose clocks are set in unlike ways: by half an hour, by two, by a day, around Ramadan, at
 * midnight, for good.
 */
const zones = [
  "Africa/Cairo",
  "Africa/Casablanca",
  "America/Caracas",
  "America/Havana",
  "America/New_York",
  "America/Nuuk",
  "America/Santiago",
  "America/Sao_Paulo",
  "America/St_Johns",
  "Antarctica/Troll",
  "Asia/Gaza",
  "Asia/Tehran",
  "Australia/Lord_Howe",
  "Europe/Berlin",
  "Europe/London",
  "Pacific/Apia",
];

/** Those that are looked at every time; the proof looks at every change from 2000 to 2037. */
const sample = [
  { timeZone: "Africa/Cairo", around: "2026-04-23T22:00:00Z" },
  { timeZone: "Africa/Casablanca", around: "2026-02-15T02:00:00Z" },
  { timeZone: "America/Havana", around: "2026-11-01T05:00:00Z" },
  { timeZone: "America/Nuuk", around: "2027-03-28T01:00:00Z" },
  { timeZone: "America/Santiago", around: "2026-04-05T03:00:00Z" },
  { timeZone: "America/St_Johns", around: "2010-11-07T02:31:00Z" },
  { timeZone: "Antarctica/Troll", around: "2026-10-25T01:00:00Z" },
  { timeZone: "Australia/Lord_Howe", around: "2026-10-03T15:30:00Z" },
  { timeZone: "Australia/Lord_Howe", around: "2027-04-03T15:00:00Z" },
  { timeZone: "Europe/Berlin", around: "2027-03-28T01:00:00Z" },
  { timeZone: "Europe/Berlin", around: "2027-10-31T01:00:00Z" },
  { timeZone: "Pacific/Apia", around: "2011-12-30T10:00:00Z" },
] as const;

/** What opens and closes is compared from the day before the change to two days behind it. */
const days = { before: longestDays + 1, behind: 2 };

/** One whose clocks don't change, and one that is half an hour off all others. */
const otherZones = ["Asia/Kathmandu", "America/St_Johns"];

interface Clocks {
  readonly zones: readonly string[];
  readonly walls: readonly WallClock[];
}

function clocksOf(timeZone: string, around: number): Clocks {
  const zones = [timeZone, ...otherZones];
  return { zones, walls: zones.map((zone) => wallClock(zone, around, days)) };
}

function compare({ zones, walls }: Clocks, drawn: readonly DrawnWindow[]): void {
  const first = longestDays * 1_440;
  const zoned = drawn.map((window) => windowOf(window, zones));
  const { from, minutes } = walls[0]!;
  const to = from + minutes.length * 60_000;

  expect(courseByLookout(zoned, from + first * 60_000, to), JSON.stringify({ zones, drawn })).toEqual(
    courseByTheClock(drawn, walls, first),
  );
}

describe("windows of both forms and both effects", () => {
  it("follow the wall clock, minute by minute around clock changes", () => {
    const clocks = sample.map(({ timeZone, around }) => clocksOf(timeZone, Date.parse(around)));
    fc.assert(
      fc.property(fc.nat({ max: clocks.length - 1 }), drawnWindows, (index, drawn) => {
        compare(clocks[index]!, drawn);
      }),
    );
  });

  // A minute or more: the long run plays them.
  it.each(isProof ? zones : [])(
    "follow the wall clock around every change of %s from 2000 to 2037",
    (timeZone) => {
      const changes = changesOf(timeZone);
      expect(changes.length).toBeGreaterThan(0);
      for (const [index, around] of changes.entries()) {
        const clocks = clocksOf(timeZone, around);
        for (const drawn of fc.sample(drawnWindows, { numRuns: 20, seed: index })) compare(clocks, drawn);
      }
    },
    600_000,
  );
});

function changesOf(timeZone: string): readonly number[] {
  const changes: number[] = [];
  let at = Temporal.Instant.from("2000-01-01T00:00:00Z").toZonedDateTimeISO(timeZone);
  for (;;) {
    const next = at.getTimeZoneTransition("next");
    if (next === null || next.year > 2037) return changes;
    changes.push(next.epochMilliseconds);
    at = next;
  }
}
