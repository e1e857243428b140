import { describe, expect, it } from "vitest";
import { state, type WindowText } from "./windows.ts";

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
    { texts: [], is: "open", because: "no maintenance window limits updates" },
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
  ])("among other windows at Saturday 21:30 is $is: $because", ({ texts, is }) => {
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
      at: "2000-10-07T12:00:00Z",
      text: { window: "09:00-10:00", days: "Tue", timeZone: "America/Boa_Vista" },
      is: "closed until 2000-10-10T12:00:00Z",
      because: "the clocks of Boa Vista were put forward for a week",
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
});
