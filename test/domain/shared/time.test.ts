import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  durationMs,
  earliest,
  epochMs,
  hours,
  minutes,
  parseInstant,
  plus,
  seconds,
  since,
  toIso,
} from "#domain/shared/time";

describe("an instant", () => {
  it.each([
    { text: "2026-11-21T00:30:00Z", ms: Date.UTC(2026, 10, 21, 0, 30), because: "Z is UTC" },
    { text: "2026-11-21t00:30:00z", ms: Date.UTC(2026, 10, 21, 0, 30), because: "the letters may be small" },
    { text: "2026-11-21T00:30:00.5Z", ms: Date.UTC(2026, 10, 21, 0, 30, 0, 500), because: "a fraction may be short" },
    { text: "2026-11-21T00:30:00.1239999999Z", ms: Date.UTC(2026, 10, 21, 0, 30, 0, 123), because: "finer digits go" },
    { text: "2026-11-21T02:30:00+02:00", ms: Date.UTC(2026, 10, 21, 0, 30), because: "an offset is taken off" },
    { text: "2026-11-20T19:00:00-05:30", ms: Date.UTC(2026, 10, 21, 0, 30), because: "an offset has minutes" },
    { text: "2026-11-21T23:59:00+23:59", ms: Date.UTC(2026, 10, 21), because: "an offset is less than a day" },
    { text: "2024-02-29T00:00:00Z", ms: Date.UTC(2024, 1, 29), because: "2024 is a leap year" },
    { text: "2000-02-29T00:00:00Z", ms: Date.UTC(2000, 1, 29), because: "2000 is a leap year" },
    { text: "0001-01-01T00:00:00Z", ms: -62_135_596_800_000, because: "the year 1 is not 1901" },
  ])("parses $text: $because", ({ text, ms }) => {
    expect(parseInstant(text)).toBe(ms);
  });

  it.each([
    { text: "", because: "it is empty" },
    { text: "2026-11-21", because: "the time is missing" },
    { text: "2026-11-21T00:30:00", because: "the zone is missing" },
    { text: "2026-11-21T00:30Z", because: "the seconds are missing" },
    { text: "2026-11-21 00:30:00Z", because: "a blank stands for the T" },
    { text: " 2026-11-21T00:30:00Z", because: "a blank stands before it" },
    { text: "2026-11-21T00:30:00Z\n", because: "a line break stands behind it" },
    { text: "2026-11-21T00:30:00.Z", because: "the fraction has no digits" },
    { text: "2026-02-29T00:00:00Z", because: "2026 is no leap year" },
    { text: "1900-02-29T00:00:00Z", because: "1900 was no leap year" },
    { text: "2026-04-31T00:00:00Z", because: "April has 30 days" },
    { text: "2026-01-32T00:00:00Z", because: "January has 31 days" },
    { text: "2026-00-01T00:00:00Z", because: "there is no month 0" },
    { text: "2026-13-01T00:00:00Z", because: "there is no month 13" },
    { text: "2026-11-00T00:00:00Z", because: "there is no day 0" },
    { text: "2026-11-21T24:00:00Z", because: "a day has no hour 24" },
    { text: "2026-11-21T00:60:00Z", because: "an hour has no minute 60" },
    { text: "2016-12-31T23:59:60Z", because: "a leap second has no number" },
    { text: "2026-11-21T00:30:00+24:00", because: "no offset is a day" },
    { text: "2026-11-21T00:30:00+02:60", because: "no offset has 60 minutes" },
    { text: "2026-11-21T00:30:00+0200", because: "the offset has no colon" },
  ])("rejects $text: $because", ({ text }) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  it("is formatted in UTC with milliseconds, so that texts sort as instants do", () => {
    expect(toIso(epochMs(Date.UTC(2026, 10, 21, 0, 30)))).toBe("2026-11-21T00:30:00.000Z");
  });

  it("parses its own text", () => {
    const instants = fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(9999, 11, 31) }).map(epochMs);

    fc.assert(fc.property(instants, (at) => parseInstant(toIso(at)) === at));
  });

  it("moves by a duration, which is the difference of the two", () => {
    const from = epochMs(Date.UTC(2026, 0, 1));
    const to = plus(from, hours(2));

    expect([to, since(from, to), since(to, from)]).toEqual([Date.UTC(2026, 0, 1, 2), hours(2), durationMs(-7_200_000)]);
  });

  it("is the earliest of several, in any order", () => {
    const [first, second, third] = [epochMs(1), epochMs(2), epochMs(3)];

    expect(earliest([third, first, second])).toBe(first);
    expect(earliest([])).toBeUndefined();
  });
});

describe("a duration", () => {
  it("is counted in milliseconds", () => {
    expect([seconds(90), minutes(1.5), hours(2)]).toEqual([90_000, 90_000, 7_200_000]);
  });
});
