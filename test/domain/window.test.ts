import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { epochMs, parseInstant, toIso } from "#domain/time";
import { parseWindow, type TimesWindow, windowState } from "#domain/window";
import { wallClock, type WallMinute } from "#test/domain/wall-clock";

type WindowText = Parameters<typeof parseWindow>[0];

function windows(...texts: readonly WindowText[]): readonly TimesWindow[] {
  return texts.flatMap((text) => {
    const parsed = parseWindow(text);
    if (!parsed.ok) throw new Error(parsed.problem.message);
    return parsed.value;
  });
}

/** `open`, `open until …`, `closed` or `closed until …`, in UTC. */
function state(at: string, ...texts: readonly WindowText[]): string {
  const instant = parseInstant(at);
  if (instant === undefined) throw new Error(`${at} is no instant`);
  const answer = windowState(windows(...texts), instant);
  const until = answer.open ? answer.until : answer.opensAt;
  const end = until === undefined ? "" : ` until ${toIso(until).replace(".000Z", "Z")}`;
  return `${answer.open ? "open" : "closed"}${end}`;
}

describe("a window", () => {
  const saturdayNight = { window: "22:00-02:00", days: "Sat" };

  it.each([
    { at: "2026-11-21T21:59:59.999Z", is: "closed until 2026-11-21T22:00:00Z", because: "it has not begun" },
    { at: "2026-11-21T22:00:00Z", is: "open until 2026-11-22T02:00:00Z", because: "the start is in it" },
    { at: "2026-11-22T01:00:00Z", is: "open until 2026-11-22T02:00:00Z", because: "it belongs to Saturday" },
    { at: "2026-11-22T02:00:00Z", is: "closed until 2026-11-28T22:00:00Z", because: "the end is not in it" },
    {
      at: "2026-11-21T01:00:00Z",
      is: "closed until 2026-11-21T22:00:00Z",
      because: "Friday's night is not Saturday's",
    },
  ])("of Saturday night at $at is $is: $because", ({ at, is }) => {
    expect(state(at, saturdayNight)).toBe(is);
  });

  it.each([
    { texts: [{ window: "00:00-24:00" }], is: "open", because: "every day is a whole day" },
    { texts: [{ window: "12:00-12:00" }], is: "open", because: "equal times are a whole day" },
    { texts: [{ window: "00:00-12:00,12:00-24:00" }], is: "open", because: "windows that touch are one" },
    { texts: [], is: "open", because: "no window limits it" },
    {
      texts: [{ window: "00:00-24:00", days: "Sat" }],
      is: "open until 2026-11-22T00:00:00Z",
      because: "24:00 is midnight",
    },
    {
      texts: [{ window: "12:00-12:00", days: "Fri,Sat" }],
      is: "open until 2026-11-22T12:00:00Z",
      because: "a day joins the next",
    },
    {
      texts: [{ window: "20:00-22:00" }, { window: "21:00-02:00" }, { window: "02:00-03:00", days: "Sun" }],
      is: "open until 2026-11-22T03:00:00Z",
      because: "what overlaps or touches is one",
    },
    {
      texts: [
        { window: "21:00-22:00", timeZone: "Europe/London" },
        { window: "23:00-23:30", timeZone: "Europe/Berlin" },
      ],
      is: "open until 2026-11-21T22:30:00Z",
      because: "zones differ, instants do not",
    },
    {
      texts: [{ window: "03:00-04:00" }, { window: "02:00-03:00", timeZone: "Europe/Berlin" }],
      is: "closed until 2026-11-22T01:00:00Z",
      because: "the first to open counts",
    },
  ])("among others at Saturday 21:30 is $is: $because", ({ texts, is }) => {
    expect(state("2026-11-21T21:30:00Z", ...texts)).toBe(is);
  });

  const berlin = (window: string, days?: string): WindowText => ({
    window,
    timeZone: "Europe/Berlin",
    ...(days === undefined ? {} : { days }),
  });

  it.each([
    {
      at: "2027-03-28T00:00:00Z",
      text: berlin("02:30-04:00"),
      is: "closed until 2027-03-28T01:00:00Z",
      because: "a start that is skipped opens when the gap ends",
    },
    {
      at: "2027-03-28T01:00:00Z",
      text: berlin("02:30-04:00"),
      is: "open until 2027-03-28T02:00:00Z",
      because: "its end is where the clock shows it",
    },
    {
      at: "2027-03-28T00:30:00Z",
      text: berlin("01:00-02:30"),
      is: "open until 2027-03-28T01:00:00Z",
      because: "an end that is skipped closes when the gap begins",
    },
    {
      at: "2027-03-28T00:00:00Z",
      text: berlin("02:10-02:50"),
      is: "closed until 2027-03-29T00:10:00Z",
      because: "a window within the gap does not open",
    },
    {
      at: "2027-10-31T00:15:00Z",
      text: berlin("02:10-02:50"),
      is: "open until 2027-10-31T00:50:00Z",
      because: "an hour that comes twice is open the first time",
    },
    {
      at: "2027-10-31T00:50:00Z",
      text: berlin("02:10-02:50"),
      is: "closed until 2027-10-31T01:10:00Z",
      because: "it is closed between the two",
    },
    {
      at: "2027-10-31T01:15:00Z",
      text: berlin("02:10-02:50"),
      is: "open until 2027-10-31T01:50:00Z",
      because: "it is open the second time",
    },
    {
      at: "2027-10-30T23:30:00Z",
      text: berlin("01:00-03:00"),
      is: "open until 2027-10-31T02:00:00Z",
      because: "through both it does not close",
    },
    {
      at: "2027-10-30T20:00:00Z",
      text: berlin("22:00-04:00", "Sat"),
      is: "open until 2027-10-31T03:00:00Z",
      because: "the night is an hour longer",
    },
    {
      at: "2011-12-30T09:00:00Z",
      text: { window: "22:00-02:00", days: "Fri", timeZone: "Pacific/Apia" },
      is: "closed until 2011-12-30T10:00:00Z",
      because: "Apia skipped that Friday, and it opens as Saturday begins",
    },
    {
      at: "2011-12-30T10:00:00Z",
      text: { window: "22:00-02:00", days: "Fri", timeZone: "Pacific/Apia" },
      is: "open until 2011-12-30T12:00:00Z",
      because: "and ends at two",
    },
    {
      at: "2011-12-29T12:00:00Z",
      text: { window: "09:00-17:00", days: "Fri", timeZone: "Pacific/Apia" },
      is: "closed until 2012-01-05T19:00:00Z",
      because: "a working day that did not happen has no window",
    },
    {
      at: "1900-01-01T00:00:00Z",
      text: { window: "00:00-24:00", days: "Mon", timeZone: "Asia/Kathmandu" },
      is: "open until 1900-01-01T18:18:44Z",
      because: "clocks were once set by the sun",
    },
  ])("at $at is $is: $because", ({ at, text, is }) => {
    expect(state(at, text)).toBe(is);
  });

  it("is open or closed as a clock on the wall shows it, minute by minute around every change", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...changes),
        fc.array(written, { minLength: 1, maxLength: 3 }),
        minute,
        (change, texts, at) => {
          const clock = wallClock(change.timeZone, change.around);
          const zoned = windows(...texts.map((text) => ({ ...text, timeZone: change.timeZone })));
          const isOpen = (index: number): boolean => zoned.some((window) => shows(clock.minutes[index]!, window));
          const instantOf = (index: number): number => clock.from + index * 60_000;
          let next = at;
          while (next < clock.minutes.length && isOpen(next) === isOpen(at)) next++;

          const answer = windowState(zoned, epochMs(instantOf(at)));
          const end = (answer.open ? answer.until : answer.opensAt) ?? Number.POSITIVE_INFINITY;

          expect(answer.open).toBe(isOpen(at));
          if (next < clock.minutes.length) expect(end).toBe(instantOf(next));
          else expect(end).toBeGreaterThanOrEqual(instantOf(next));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"] as const;

/** What a person with a calendar and a clock on the wall would say. */
function shows({ weekday, time }: WallMinute, { days, start, end }: TimesWindow): boolean {
  const on = (day: number): boolean => days.length === 0 || days.includes(DAYS[(day + 7) % 7]!);
  if (end > start) return on(weekday) && time >= start && time < end;
  return (on(weekday) && time >= start) || (on(weekday - 1) && time < end);
}

/** A change of the clocks that windows have to get right, and where it lies. */
const changes = [
  { timeZone: "Europe/Berlin", around: "2027-03-28T01:00:00Z" },
  { timeZone: "Europe/Berlin", around: "2027-10-31T01:00:00Z" },
  { timeZone: "Australia/Lord_Howe", around: "2026-10-03T15:30:00Z" },
  { timeZone: "Australia/Lord_Howe", around: "2027-04-03T15:00:00Z" },
  { timeZone: "Pacific/Apia", around: "2011-12-30T10:00:00Z" },
  { timeZone: "America/St_Johns", around: "2010-11-07T02:31:00Z" },
  { timeZone: "America/Havana", around: "2026-11-01T05:00:00Z" },
  { timeZone: "America/Santiago", around: "2026-04-05T03:00:00Z" },
  { timeZone: "America/Santiago", around: "2026-09-06T04:00:00Z" },
  { timeZone: "Africa/Casablanca", around: "2026-02-15T02:00:00Z" },
  { timeZone: "Africa/Cairo", around: "2026-04-23T22:00:00Z" },
  { timeZone: "UTC", around: "2026-11-21T00:00:00Z" },
] as const;

const clockTime = fc
  .integer({ min: 0, max: 95 })
  .map((quarter) => `${Math.floor(quarter / 4)}:${String((quarter % 4) * 15).padStart(2, "0")}`);
const written = fc.record({
  window: fc.tuple(clockTime, fc.oneof(clockTime, fc.constant("24:00"))).map((times) => times.join("-")),
  days: fc.uniqueArray(fc.constantFrom(...DAYS), { minLength: 1, maxLength: 7 }).map((days) => days.join(",")),
});
/** Most questions are asked on the days next to the change. */
const minute = fc.integer({ min: 1_440, max: 4 * 1_440 });
