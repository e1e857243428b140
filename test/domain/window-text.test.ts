import { describe, expect, it } from "vitest";
import { describeWindow, parseWindow, readWindow, writeWindow, type WrittenWindow } from "#domain/window";

describe("a written window", () => {
  it.each([
    { window: "22:00-02:00", start: 1_320, end: 120, because: "it may run past midnight" },
    { window: "00:00-24:00", start: 0, end: 1_440, because: "24:00 is an end" },
    { window: "10:00-10:00", start: 600, end: 600, because: "equal times are a whole day" },
    { window: " 9:05 - 17:30 ", start: 545, end: 1_050, because: "blanks and one digit of an hour are well" },
    { window: "09:00–17:00,", start: 540, end: 1_020, because: "so are a long dash and a comma too many" },
  ])("$window: $because", ({ window, start, end }) => {
    expect(parseWindow({ window })).toEqual({
      ok: true,
      value: [{ kind: "times", effect: "allow", days: [], start, end, timeZone: "UTC" }],
    });
  });

  it("has days and a zone, which hold for all of several times", () => {
    expect(parseWindow({ window: "08:00-09:00, 22:00-02:00", days: "sunday,SAT", timeZone: "europe/berlin" })).toEqual({
      ok: true,
      value: [
        { kind: "times", effect: "allow", days: ["Sat", "Sun"], start: 480, end: 540, timeZone: "Europe/Berlin" },
        { kind: "times", effect: "allow", days: ["Sat", "Sun"], start: 1_320, end: 120, timeZone: "Europe/Berlin" },
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
    { text: { window: "8am-5pm" }, part: "window", because: "hours have two digits and minutes" },
    { text: { window: "nonsense" }, part: "window", because: "it is no time" },
    { text: { window: "" }, part: "window", because: "it is empty" },
    { text: { window: " , " }, part: "window", because: "it is empty" },
    { text: { window: "22:00" }, part: "window", because: "the end is missing" },
    { text: { window: "25:00-30:00" }, part: "window", because: "a day has 24 hours" },
    { text: { window: "22:60-23:00" }, part: "window", because: "an hour has 60 minutes" },
    { text: { window: "22:00-23:60" }, part: "window", because: "an hour has 60 minutes" },
    { text: { window: "22:00-24:01" }, part: "window", because: "a day ends at 24:00" },
    { text: { window: "24:00-02:00" }, part: "window", because: "24:00 is no start" },
    { text: { window: "08:00-09:00,x" }, part: "window", because: "one bad window closes all" },
    { text: { window: "08:00-09:00,".repeat(100) }, part: "window", because: "nobody writes a thousand characters" },
    { text: { window: "08:00-09:00", days: "" }, part: "days", because: "it is empty" },
    { text: { window: "08:00-09:00", days: "Sat,Funday" }, part: "days", because: "one bad day closes all" },
    { text: { window: "08:00-09:00", days: "mon-foo" }, part: "days", because: "a range has two days" },
    { text: { window: "08:00-09:00", days: "foo-mon" }, part: "days", because: "a range has two days" },
    { text: { window: "08:00-09:00", days: "mon-wed-fri" }, part: "days", because: "a range has two days" },
    { text: { window: "08:00-09:00", days: "mo" }, part: "days", because: "two letters are no day" },
    { text: { window: "08:00-09:00", timeZone: "" }, part: "timeZone", because: "it is empty" },
    { text: { window: "08:00-09:00", timeZone: "Mars/Olympus" }, part: "timeZone", because: "no such place" },
    { text: { window: "08:00-09:00", timeZone: "+02:00" }, part: "timeZone", because: "an offset knows no summer" },
    { text: { window: "08:00-09:00", timeZone: "Local" }, part: "timeZone", because: "whose?" },
  ])("is refused for its $part: $because", ({ text, part }) => {
    const parsed = parseWindow(text);

    expect(parsed.ok ? undefined : parsed.problem.part).toBe(part);
  });

  it.each([
    {
      text: { window: "8am-5pm" },
      message: '"8am-5pm": not a window (expected HH:MM-HH:MM, for example 22:00-02:00)',
    },
    {
      text: { window: "08:00-09:00", days: "Sat,Funday" },
      message: '"Funday": not a day of the week (expected for example Sat or Mon-Fri)',
    },
    {
      text: { window: "08:00-09:00", days: " , " },
      message: '"": no day of the week; leave it out for every day',
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

describe("a window that is written again", () => {
  it.each<WrittenWindow>([
    { effect: "allow", start: "22:00", end: "02:00", timeZone: "UTC" },
    { effect: "deny", days: ["Mon", "Fri"], start: "00:00", end: "24:00", timeZone: "Europe/Berlin" },
    { effect: "allow", cron: "0 22 * * 1-5", duration: "1d12h", timeZone: "UTC" },
  ])("reads as it was: %j", (written) => {
    const window = readWindow(written);

    expect(window.ok && writeWindow(window.value)).toEqual(written);
  });
});
