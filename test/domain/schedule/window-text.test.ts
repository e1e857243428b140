import { describe, expect, it } from "vitest";
import {
  describeWindow,
  parseCronWindow,
  parseWindow,
  readWindow,
  type WindowProblem,
  writeWindow,
  type WrittenWindow,
} from "#domain/schedule/window";
import { zoneName } from "#domain/schedule/zone";

describe("a written window", () => {
  it.each([
    { window: "22:00-02:00", start: 1_320, end: 120, because: "it may run past midnight" },
    { window: "00:00-24:00", start: 0, end: 1_440, because: "24:00 is an end" },
    { window: "10:00-10:00", start: 600, end: 600, because: "equal times are a whole day" },
    { window: " 9:05 - 17:30 ", start: 545, end: 1_050, because: "blanks and one digit of an hour are well" },
    { window: "22:59-23:59", start: 1_379, end: 1_439, because: "an hour ends with its 59th minute" },
    { window: "09:00–17:00,", start: 540, end: 1_020, because: "so are a long dash and a comma too many" },
  ])("$window: $because", ({ window, start, end }) => {
    expect(parseWindow({ window })).toEqual({
      ok: true,
      value: [{ kind: "times", effect: "allow", days: [], start, end, timeZone: "UTC" }],
    });
  });

  it("has days and a zone for all of its times", () => {
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
  ])("with days $days has $is", ({ days, is }) => {
    const parsed = parseWindow({ window: "08:00-09:00", days });

    expect(parsed.ok && parsed.value.map((window) => window.days)).toEqual([is]);
  });

  it.each([
    { text: { window: "8am-5pm" }, part: "window", because: "hours have two digits and minutes" },
    { text: { window: "nonsense" }, part: "window", because: "it is no time" },
    { text: { window: "" }, part: "window", because: "it is empty" },
    { text: { window: " , " }, part: "window", because: "it is empty" },
    { text: { window: "22:00" }, part: "window", because: "the end is missing" },
    { text: { window: "22:00-23:00-23:30" }, part: "window", because: "there are two ends" },
    { text: { window: "22:00:00-23:00" }, part: "window", because: "seconds are not told" },
    { text: { window: "22:00-23:00:00" }, part: "window", because: "seconds are not told" },
    { text: { window: "22:00-23:00pm" }, part: "window", because: "a day has 24 hours" },
    { text: { window: "25:00-30:00" }, part: "window", because: "a day has 24 hours" },
    { text: { window: "22:60-23:00" }, part: "window", because: "an hour has 60 minutes" },
    { text: { window: "22:00-23:60" }, part: "window", because: "an hour has 60 minutes" },
    { text: { window: "22:00-24:01" }, part: "window", because: "a day ends at 24:00" },
    { text: { window: "24:00-02:00" }, part: "window", because: "24:00 is no start" },
    { text: { window: "08:00-09:00,x" }, part: "window", because: "one bad window closes all" },
    {
      text: { window: "08:00-09:00,".repeat(83).padEnd(1_001) },
      part: "window",
      because: "nobody writes a thousand characters",
    },
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
  ])("is rejected for its $part: $because", ({ text, part }) => {
    const parsed = parseWindow(text);

    expect(parsed.ok ? undefined : parsed.problem.part).toBe(part);
  });

  it.each([
    {
      text: { window: "8am-5pm" },
      message: '"8am-5pm": not a window (expected HH:MM-HH:MM, for example 22:00-02:00)',
    },
    {
      text: { window: "22:00-02:00,8pm-9pm" },
      message: 'character 13: "8pm-9pm": not a window (expected HH:MM-HH:MM, for example 22:00-02:00)',
    },
    {
      text: { window: " 😀, 8pm-9pm ,22:00-02:00,x" },
      message: 'character 2: "😀": not a window (expected HH:MM-HH:MM, for example 22:00-02:00)',
    },
    {
      text: { window: "22:00-02:00 , 2:00-3:00,, 2:00 ,22:00-02:00,x" },
      message: 'character 27: "2:00": not a window (expected HH:MM-HH:MM, for example 22:00-02:00)',
    },
    {
      text: { window: ", x" },
      message: 'character 3: "x": not a window (expected HH:MM-HH:MM, for example 22:00-02:00)',
    },
    {
      text: { window: " , " },
      message: '" , ": not a window (expected HH:MM-HH:MM, for example 22:00-02:00)',
    },
    {
      text: { window: "08:00-09:00", days: "Sat,Funday" },
      message: '"Funday": not a day of the week (expected for example Sat or Mon-Fri)',
    },
    {
      text: { window: "08:00-09:00", days: " , " },
      message: '"": not a day of the week (leave days out for every day)',
    },
    {
      text: { window: "08:00-09:00", timeZone: "Mars/Olympus" },
      message: '"Mars/Olympus": not a time zone (expected an IANA name, for example Europe/Berlin)',
    },
  ])("names the expected form: $message", ({ text, message }) => {
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

describe("a written window of cron", () => {
  it('accepts any number of blanks, and "for" in any case', () => {
    const read = parseCronWindow({ cron: " 0 22 * * 1-5   FOR   4h ;; @daily for 90m;" });

    expect(read.ok && read.value.map(describeWindow)).toEqual(["0 22 * * 1-5 for 4h UTC", "@daily for 1h30m UTC"]);
  });

  const expected = "not a window (expected CRON for DURATION, for example 0 22 * * 1-5 for 4h)";
  it.each([
    { cron: "", shown: "", because: "it is empty" },
    { cron: " ; ", shown: " ; ", because: "it is empty" },
    { cron: "0 22 * * *", shown: "0 22 * * *", because: "the duration is missing" },
    { cron: "0 22 * * * for", shown: "0 22 * * * for", because: "the duration is missing" },
    { cron: "0 22 * * * for 4h; 9", shown: "9", because: "one bad window closes all" },
    {
      cron: "@daily for 1h\n@weekly for 1d",
      shown: "@daily for 1h\n@weekly for 1d",
      because: "lines are no list",
    },
    { cron: "@daily for 1h for 2h", shown: "@daily for 1h for 2h", because: "there are two durations" },
    { cron: `x${" ".repeat(50_000)}y`, shown: `x${" ".repeat(99)}…`, because: "however long it is, at once" },
  ])("is rejected: $because", ({ cron, shown }) => {
    const problem = { code: "cron-invalid", part: "cron", message: `"${shown}": ${expected}` };

    expect(parseCronWindow({ cron })).toEqual({ ok: false, problem });
  });
});

describe("a window as data", () => {
  const notADuration = "not a duration of a window (expected 1m to 366d, in whole seconds)";
  const notAStart = "not a start (expected HH:MM, from 00:00 to 23:59)";

  it.each<{ written: WrittenWindow; problem: WindowProblem }>([
    {
      written: { start: "24:00", end: "02:00" },
      problem: { code: "window-invalid", part: "start", message: `"24:00": ${notAStart}` },
    },
    {
      written: { start: "9", end: "02:00" },
      problem: { code: "window-invalid", part: "start", message: `"9": ${notAStart}` },
    },
    {
      written: { start: "22:00", end: "24:01" },
      problem: {
        code: "window-invalid",
        part: "end",
        message: '"24:01": not an end (expected HH:MM, from 00:00 to 24:00)',
      },
    },
    {
      written: { start: "22:00", end: "23:00", days: ["Sat", "Funday"] },
      problem: {
        code: "window-invalid",
        part: "days",
        index: 1,
        message: '"Funday": not a day of the week (expected for example Sat or Mon-Fri)',
      },
    },
    {
      written: { start: "22:00", end: "23:00", days: [] },
      problem: {
        code: "window-invalid",
        part: "days",
        message: '"": not a day of the week (leave days out for every day)',
      },
    },
    {
      written: { start: "22:00", end: "23:00", timeZone: "Mars/Olympus" },
      problem: {
        code: "time-zone-unknown",
        part: "timeZone",
        message: '"Mars/Olympus": not a time zone (expected an IANA name, for example Europe/Berlin)',
      },
    },
    {
      written: { cron: "* *", duration: "4h" },
      problem: {
        code: "cron-invalid",
        part: "cron",
        message: '"* *": not a cron expression: the text has 2 fields, not 5 (expected for example 0 22 * * 1-5)',
      },
    },
    {
      written: { cron: "@daily", duration: "long" },
      problem: {
        code: "window-invalid",
        part: "duration",
        message: '"long": not a duration: a number is missing (expected for example 10m, 1h30m or 2d)',
      },
    },
    {
      written: { cron: "@daily", duration: "59s" },
      problem: { code: "window-invalid", part: "duration", message: `"59s": ${notADuration}` },
    },
    {
      written: { cron: "@daily", duration: "366d1s" },
      problem: { code: "window-invalid", part: "duration", message: `"366d1s": ${notADuration}` },
    },
    {
      written: { cron: "@daily", duration: "1m0.5s" },
      problem: { code: "window-invalid", part: "duration", message: `"1m0.5s": ${notADuration}` },
    },
    {
      written: { from: "x".repeat(101), until: "2027-01-02" },
      problem: {
        code: "window-invalid",
        part: "from",
        message: `"${"x".repeat(100)}…": not a date (expected for example 2026-12-20 or 2026-12-20T18:00)`,
      },
    },
  ])("is rejected for its $problem.part: $problem.message", ({ written, problem }) => {
    expect(readWindow(written)).toStrictEqual({ ok: false, problem });
  });

  it.each(["1m", "366d"])("may be open for %s", (duration) => {
    expect(readWindow({ cron: "@daily", duration }).ok).toBe(true);
  });
});

describe("the zone of a window", () => {
  it.each([
    { written: "europe/BERLIN", shown: "Europe/Berlin", because: "the case does not matter" },
    { written: "Asia/Kolkata", shown: "Asia/Kolkata", because: "what it was called before is another name" },
    { written: "Asia/Calcutta", shown: "Asia/Calcutta", because: "and that name is well, too" },
  ])("$written is shown as $shown: $because", ({ written, shown }) => {
    expect(zoneName(written)).toBe(shown);
  });
});

describe("a formatted window", () => {
  it.each<WrittenWindow>([
    { effect: "allow", start: "22:00", end: "02:00", timeZone: "UTC" },
    { effect: "deny", days: ["Mon", "Fri"], start: "00:00", end: "24:00", timeZone: "Europe/Berlin" },
    { effect: "allow", cron: "0 22 * * 1-5", duration: "1d12h", timeZone: "UTC" },
    { effect: "allow", cron: "0 22 * * 1-5", duration: "1m1s", timeZone: "UTC" },
    { effect: "deny", from: "2026-12-20", until: "2027-01-02 18:30", timeZone: "Asia/Tokyo" },
  ])("parses to itself: %j", (written) => {
    const window = readWindow(written);

    expect(window.ok && writeWindow(window.value)).toEqual(written);
  });
});
