import { describe, expect, it } from "vitest";
import { parseInstant, toIso } from "#domain/shared/time";
import { nextOpenings, windowState } from "#domain/schedule/window";
import { state, windows, type WindowText } from "./windows.ts";

describe("a window of cron", () => {
  const berlin = (cron: string): WindowText => ({ cron, timeZone: "Europe/Berlin" });

  it.each([
    { at: "2026-11-23T21:59:59Z", is: "closed until 2026-11-23T22:00:00Z", because: "it has not begun" },
    { at: "2026-11-23T22:00:00Z", is: "open until 2026-11-24T02:00:00Z", because: "the start is in it" },
    { at: "2026-11-24T01:59:59Z", is: "open until 2026-11-24T02:00:00Z", because: "it goes past midnight" },
    { at: "2026-11-27T02:00:00Z", is: "closed until 2026-11-27T22:00:00Z", because: "the end is not in it" },
    { at: "2026-11-28T12:00:00Z", is: "closed until 2026-11-30T22:00:00Z", because: "no working day starts it" },
  ])("of working nights at $at is $is: $because", ({ at, is }) => {
    expect(state(at, { cron: "0 22 * * 1-5 for 4h" })).toBe(is);
  });

  it.each([
    { cron: "0 22 * * TUE#2 for 4h", is: "closed until 2026-12-08T22:00:00Z", because: "it is the second Tuesday" },
    { cron: "0 22 * * FRI#L for 4h", is: "closed until 2026-11-27T22:00:00Z", because: "it is the last Friday" },
    { cron: "0 22 L * * for 4h", is: "closed until 2026-11-30T22:00:00Z", because: "it is the last of the month" },
    { cron: "0 22 1 * SUN for 4h", is: "closed until 2026-11-22T22:00:00Z", because: "either day is enough" },
    { cron: "0 22 1 * +SUN for 4h", is: "closed until 2027-08-01T22:00:00Z", because: "with + both are needed" },
    { cron: "0 0 29 2 * for 1d", is: "closed until 2028-02-29T00:00:00Z", because: "it is far away" },
    { cron: "0 0 29 2 +MON for 1d", is: "closed", because: "it is further away than one looks" },
    { cron: "*/15 * * * * for 10m", is: "open until 2026-11-21T12:10:00Z", because: "steps are understood" },
    { cron: "*/15 8-17 * * * for 15m", is: "open until 2026-11-21T18:00:00Z", because: "what touches is one" },
    { cron: "@hourly for 1h", is: "open", because: "it never closes" },
    { cron: "0 10,20 * * * for 14h", is: "open", because: "the longest gap is that of the night" },
    { cron: "0 10,20 * * * for 13h", is: "open until 2026-11-22T09:00:00Z", because: "the night is longer" },
    { cron: "0 * * * 6 for 1h", is: "open until 2026-11-22T00:00:00Z", because: "Sunday has no starts" },
    { cron: "0 0 20 11 * for 3d", is: "open until 2026-11-23T00:00:00Z", because: "it may be days long" },
    {
      cron: "0 0 1-28 2 * for 1d; 0 0 * 1,3-12 * for 1d",
      is: "open until 2028-02-29T00:00:00Z",
      because: "a leap day ends it",
    },
    { cron: "0 0 1 1 * for 8760h", is: "open until 2028-12-31T00:00:00Z", because: "a leap year is longer" },
    { cron: "0 8 * * * for 1h", is: "closed until 2026-11-22T08:00:00Z", because: "today's is over" },
    { cron: "0 8 * * * for 1h; 0 20 * * * for 1h", is: "closed until 2026-11-21T20:00:00Z", because: "two are two" },
  ])("$cron at Saturday noon is $is: $because", ({ cron, is }) => {
    expect(state("2026-11-21T12:00:00Z", { cron })).toBe(is);
  });

  it.each([
    {
      at: "2027-03-28T00:59:59Z",
      text: berlin("30 2 * * * for 15m"),
      is: "closed until 2027-03-28T01:00:00Z",
      because: "a start that is skipped opens when the gap ends",
    },
    {
      at: "2027-03-28T01:00:00Z",
      text: berlin("30 2 * * * for 15m"),
      is: "open until 2027-03-28T01:15:00Z",
      because: "and for its whole duration",
    },
    {
      at: "2027-03-28T01:14:59.999Z",
      text: berlin("30 2 * * * for 15m"),
      is: "open until 2027-03-28T01:15:00Z",
      because: "to its last instant",
    },
    {
      at: "2027-10-31T00:30:00Z",
      text: berlin("30 2 * * * for 15m"),
      is: "open until 2027-10-31T00:45:00Z",
      because: "a time that comes twice opens the first time",
    },
    {
      at: "2027-10-31T00:45:00Z",
      text: berlin("30 2 * * * for 15m"),
      is: "closed until 2027-10-31T01:30:00Z",
      because: "and the second time",
    },
    {
      at: "2027-10-30T20:00:00Z",
      text: berlin("0 22 * * * for 6h"),
      is: "open until 2027-10-31T02:00:00Z",
      because: "a duration is not longer in a longer night",
    },
    {
      at: "2027-03-28T00:59:59Z",
      text: berlin("0 2 * * * for 15m"),
      is: "closed until 2027-03-28T01:00:00Z",
      because: "the first time that is skipped opens too",
    },
    {
      at: "2027-03-28T01:05:00Z",
      text: berlin("0 3 * * * for 15m"),
      is: "open until 2027-03-28T01:15:00Z",
      because: "the first time after the gap is a start like any other",
    },
    {
      at: "2027-03-28T00:59:59Z",
      text: { cron: "30 23 * * SAT for 15m", timeZone: "America/Nuuk" },
      is: "closed until 2027-03-28T01:00:00Z",
      because: "what Saturday skips opens as Sunday begins",
    },
    {
      at: "2027-03-28T01:00:00Z",
      text: { cron: "*/30 * * * SAT for 40m", timeZone: "America/Nuuk" },
      is: "open until 2027-03-28T01:40:00Z",
      because: "and Sunday has no starts of its own",
    },
    {
      at: "2027-01-15T15:00:00Z",
      text: { cron: "*/15 8-17 * * * for 15m", timeZone: "America/New_York" },
      is: "open until 2027-01-15T23:00:00Z",
      because: "starts that touch are one by the clock of their zone",
    },
  ])("at $at is $is: $because", ({ at, text, is }) => {
    expect(state(at, text)).toBe(is);
  });
});

describe("a window that denies", () => {
  const noon = "2026-11-21T12:00:00Z";
  const denied = (window: string): WindowText => ({ window, effect: "deny" });

  it.each([
    { texts: [denied("11:00-13:00")], is: "closed until 2026-11-21T13:00:00Z", because: "it is active" },
    { texts: [denied("14:00-15:00")], is: "open until 2026-11-21T14:00:00Z", because: "it is not active yet" },
    {
      texts: [{ window: "10:00-20:00" }, denied("11:00-13:00")],
      is: "closed until 2026-11-21T13:00:00Z",
      because: "it wins over one that is open",
    },
    {
      texts: [{ window: "10:00-20:00" }, denied("14:00-15:00")],
      is: "open until 2026-11-21T14:00:00Z",
      because: "it closes one that is open",
    },
    {
      texts: [{ window: "10:00-12:30" }, denied("11:00-13:00")],
      is: "closed until 2026-11-22T10:00:00Z",
      because: "the window is over before it is",
    },
    {
      texts: [{ window: "14:00-16:00" }, denied("13:00-15:00")],
      is: "closed until 2026-11-21T15:00:00Z",
      because: "it holds the next opening back",
    },
    {
      texts: [{ window: "14:00-16:00" }, denied("13:00-17:00")],
      is: "closed",
      because: "it covers every opening there will be",
    },
    {
      texts: [denied("00:00-24:00")],
      is: "closed",
      because: "it is always active",
    },
    {
      texts: [{ cron: "*/2 * * * * for 1m" }, { cron: "*/2 * * * * for 1m", effect: "deny" as const }],
      is: "closed",
      because: "they open together for ever",
    },
  ])("at noon is $is: $because", ({ texts, is }) => {
    expect(state(noon, ...texts)).toBe(is);
  });

  it("names the deciding windows", () => {
    const [night, day, blackout] = windows({ window: "22:00-02:00" }, { window: "10:00-14:00" }, denied("12:00-13:00"));
    const because = (at: string) => windowState([night!, day!, blackout!], parseInstant(at)!).because;

    expect(because("2026-11-21T11:00:00Z")).toEqual([day]);
    expect(because(noon)).toEqual([blackout]);
    expect(because("2026-11-21T15:00:00Z")).toEqual([]);
  });
});

describe("the next openings", () => {
  const at = parseInstant("2026-11-21T23:00:00Z")!;
  const shown = (most: number, ...texts: readonly WindowText[]) =>
    nextOpenings(windows(...texts), at, most).map(({ from, until }) => [from, until].map((end) => end && toIso(end)));

  it("begin with the rest of the open window", () => {
    expect(shown(2, { window: "22:00-02:00" })).toEqual([
      ["2026-11-21T23:00:00.000Z", "2026-11-22T02:00:00.000Z"],
      ["2026-11-22T22:00:00.000Z", "2026-11-23T02:00:00.000Z"],
    ]);
  });

  it("end with a window that does not close", () => {
    expect(shown(7)).toEqual([["2026-11-21T23:00:00.000Z", undefined]]);
  });

  it("are none if no window opens", () => {
    expect(shown(7, denied)).toEqual([]);
  });

  const denied: WindowText = { window: "00:00-24:00", effect: "deny" };
});
