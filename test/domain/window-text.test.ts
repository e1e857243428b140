import { describe, expect, it } from "vitest";
import { describeWindow, parseWindow } from "#domain/window";

describe("a written window", () => {
  it.each([
    { window: "22:00-02:00", start: 1_320, end: 120, because: "it may run past midnight" },
    { window: "00:00-24:00", start: 0, end: 1_440, because: "24:00 is an end" },
    { window: "10:00-10:00", start: 600, end: 600, because: "equal times are a whole day" },
    { window: " 9:05 - 17:30 ", start: 545, end: 1_050, because: "blanks and one digit of an hour are well" },
    { window: "09:00–17:00,", start: 540, end: 1_020, because: "so are a long dash and a comma too many" },
  ])("$window: $because", ({ window, start, end }) => {
    expect(parseWindow({ window })).toEqual({ ok: true, value: [{ days: [], start, end, timeZone: "UTC" }] });
  });

  it("has days and a zone, which hold for all of several times", () => {
    expect(parseWindow({ window: "08:00-09:00, 22:00-02:00", days: "sunday,SAT", timeZone: "europe/berlin" })).toEqual({
      ok: true,
      value: [
        { days: ["Sat", "Sun"], start: 480, end: 540, timeZone: "Europe/Berlin" },
        { days: ["Sat", "Sun"], start: 1_320, end: 120, timeZone: "Europe/Berlin" },
      ],
    });
  });

  it.each([
    { days: "Mon", is: ["Mon"] },
    { days: "Sat,Sun,", is: ["Sat", "Sun"] },
    { days: "mon-fri", is: ["Mon", "Tue", "Wed", "Thu", "Fri"] },
    { days: "Fri - Mon", is: ["Mon", "Fri", "Sat", "Sun"] },
    { days: "Wed-Wed", is: ["Wed"] },
    { days: "Tuesday,tue,TUE", is: ["Tue"] },
    { days: "mon-wed,Saturday–sun", is: ["Mon", "Tue", "Wed", "Sat", "Sun"] },
    { days: "mon-sun", is: [] },
    { days: "Mon,*", is: [] },
  ])("has the days $is of $days", ({ days, is }) => {
    const parsed = parseWindow({ window: "08:00-09:00", days });

    expect(parsed.ok && parsed.value.map((window) => window.days)).toEqual([is]);
  });

  it.each([
    { text: { window: "8am-5pm" }, key: "window", because: "hours have two digits and minutes" },
    { text: { window: "nonsense" }, key: "window", because: "it is no time" },
    { text: { window: "" }, key: "window", because: "it is empty" },
    { text: { window: " , " }, key: "window", because: "it is empty" },
    { text: { window: "22:00" }, key: "window", because: "the end is missing" },
    { text: { window: "25:00-30:00" }, key: "window", because: "a day has 24 hours" },
    { text: { window: "22:60-23:00" }, key: "window", because: "an hour has 60 minutes" },
    { text: { window: "22:00-23:60" }, key: "window", because: "an hour has 60 minutes" },
    { text: { window: "22:00-24:01" }, key: "window", because: "a day ends at 24:00" },
    { text: { window: "24:00-02:00" }, key: "window", because: "24:00 is no start" },
    { text: { window: "08:00-09:00,x" }, key: "window", because: "one bad window closes all" },
    { text: { window: "08:00-09:00,".repeat(100) }, key: "window", because: "nobody writes a thousand characters" },
    { text: { window: "08:00-09:00", days: "" }, key: "days", because: "it is empty" },
    { text: { window: "08:00-09:00", days: "Sat,Funday" }, key: "days", because: "one bad day closes all" },
    { text: { window: "08:00-09:00", days: "mon-foo" }, key: "days", because: "a range has two days" },
    { text: { window: "08:00-09:00", days: "foo-mon" }, key: "days", because: "a range has two days" },
    { text: { window: "08:00-09:00", days: "mon-wed-fri" }, key: "days", because: "a range has two days" },
    { text: { window: "08:00-09:00", days: "mo" }, key: "days", because: "two letters are no day" },
    { text: { window: "08:00-09:00", timeZone: "" }, key: "time-zone", because: "it is empty" },
    { text: { window: "08:00-09:00", timeZone: "Mars/Olympus" }, key: "time-zone", because: "no such place" },
    { text: { window: "08:00-09:00", timeZone: "+02:00" }, key: "time-zone", because: "an offset knows no summer" },
    { text: { window: "08:00-09:00", timeZone: "Local" }, key: "time-zone", because: "whose?" },
  ])("is refused for its $key: $because", ({ text, key }) => {
    const parsed = parseWindow(text);

    expect(parsed.ok ? undefined : parsed.problem.key).toBe(key);
  });

  it.each([
    {
      text: { window: "8am-5pm" },
      message: '"8am-5pm": not a window (expected HH:MM-HH:MM, for example 22:00-02:00)',
    },
    {
      text: { window: "08:00-09:00", days: "Funday" },
      message: '"Funday": not days of the week (expected for example Sat,Sun or Mon-Fri)',
    },
    {
      text: { window: "08:00-09:00", timeZone: "Mars/Olympus" },
      message: '"Mars/Olympus": not a time zone (expected an IANA name, for example Europe/Berlin)',
    },
  ])("says what is expected: $message", ({ text, message }) => {
    const parsed = parseWindow(text);

    expect(parsed.ok ? undefined : parsed.problem.message).toBe(message);
  });

  it.each([
    { text: { window: "22:00-02:00", days: "Sat", timeZone: "Europe/Berlin" }, is: "Sat 22:00–02:00 Europe/Berlin" },
    { text: { window: "9:05-24:00", days: "sun,sat" }, is: "Sat,Sun 09:05–24:00 UTC" },
    { text: { window: "00:00-00:00" }, is: "every day 00:00–00:00 UTC" },
  ])("is shown as $is", ({ text, is }) => {
    const parsed = parseWindow(text);

    expect(parsed.ok && parsed.value.map(describeWindow)).toEqual([is]);
  });
});
