import { describe, expect, it } from "vitest";
import { answersTo } from "./answers.ts";
import { answerWindowLine } from "./window.ts";

const check = (...cases: readonly object[]) => answersTo(answerWindowLine, ...cases);

const at = "2026-11-21T00:30:00Z";
const night = { days: ["fri"], start: "22:00", end: "02:00" };

describe("the judge of windows", () => {
  it.each([
    {
      because: "no maintenance window limits updates",
      windows: [],
      is: { open: true, until: null, opensAt: null },
    },
    {
      because: "open: Fri 22:00–02:00 UTC",
      windows: [night],
      is: { open: true, until: "2026-11-21T02:00:00Z", opensAt: null },
    },
    {
      because: "none is open: Tue,Sat 22:00–24:00 Europe/Berlin",
      windows: [{ days: ["Saturday", "tue"], start: "22:00", end: "24:00", timeZone: "Europe/Berlin" }],
      is: { open: false, until: null, opensAt: "2026-11-21T21:00:00Z" },
    },
    {
      because: "active: blackout 0 0 * * 6 for 1h UTC",
      windows: [night, { effect: "deny", cron: "0 0 * * 6", duration: "1h" }],
      is: { open: false, until: null, opensAt: "2026-11-21T01:00:00Z" },
    },
    {
      because: "open: 0 22 * * 1-5 for 4h UTC",
      windows: [{ effect: "allow", cron: "0 22 * * 1-5", duration: "4h" }],
      is: { open: true, until: "2026-11-21T02:00:00Z", opensAt: null },
    },
    {
      because: "no blackout is active",
      windows: [{ ...night, effect: "deny", days: ["Sat"] }],
      is: { open: true, until: "2026-11-21T22:00:00Z", opensAt: null },
    },
    {
      because: "active: blackout every day 00:00–24:00 UTC",
      windows: [night, { effect: "deny", start: "00:00", end: "24:00" }],
      is: { open: false, until: null, opensAt: null },
    },
    {
      because: "open: every day 12:00–12:00 UTC",
      windows: [{ start: "12:00", end: "12:00" }],
      is: { open: true, until: null, opensAt: null },
    },
  ])("$because", async ({ windows, is, because }) => {
    expect(await check({ windows, at })).toEqual({ answers: [{ ok: true, ...is, because }], exitCode: 0 });
  });

  it.each([
    [
      { start: "22:00", end: "02:00" },
      { open: true, until: null, opensAt: null },
    ],
    [
      { start: "23:00", end: "24:00" },
      { open: true, until: null, opensAt: null },
    ],
    [
      { start: "22:00", end: "23:45" },
      { open: true, until: "9999-12-31T23:45:00Z", opensAt: null },
    ],
    [
      { start: "22:00", end: "23:00" },
      { open: false, until: null, opensAt: null },
    ],
    [
      { cron: "45 23 * * *", duration: "1h" },
      { open: false, until: null, opensAt: "9999-12-31T23:45:00Z" },
    ],
    [
      { cron: "0 0 29 2 *", duration: "1h" },
      { open: false, until: null, opensAt: null },
    ],
  ])("prints no instant after the year 9999: %j", async (window, is) => {
    const { answers } = await check({ windows: [window], at: "9999-12-31T23:30:00Z" });

    expect(answers).toEqual([{ ok: true, ...is, because: expect.any(String) as string }]);
  });

  it.each([
    ["0000-01-01T10:30:00Z", "Sat"],
    ["0001-01-01T10:30:00Z", "Mon"],
    ["0099-12-31T10:30:00Z", "Thu"],
    ["1582-10-10T10:30:00Z", "Sun"],
    ["9999-12-31T10:30:00Z", "Fri"],
  ])("names the day of the week of %s: %s", async (instant, day) => {
    const { answers } = await check({ windows: [{ days: [day], start: "10:00", end: "11:00" }], at: instant });

    expect(answers).toMatchObject([{ open: true, until: instant.replace("10:30", "11:00") }]);
  });

  it.each([
    "2026-11-21T00:30:00Z",
    "2026-11-21t00:30:00z",
    "2026-11-21T00:30:00.000000000000001Z",
    "2026-11-21T00:30:00+00:00",
    "2026-11-21T00:30:00-00:00",
  ])("accepts %s as the same instant", async (written) => {
    const { answers } = await check({ windows: [{ start: "00:30", end: "00:31" }], at: written });

    expect(answers).toMatchObject([{ open: true, until: "2026-11-21T00:31:00Z" }]);
  });

  it.each([
    ["2026-11-21T01:30:00+01:00", "it is of another offset"],
    ["2026-11-21T00:30:00", "its offset is missing"],
    ["2026-11-21T00:30Z", "its seconds are missing"],
    ["2026-11-20T24:00:00Z", "a day has no hour 24"],
    ["2026-12-31T23:59:60Z", "a leap second is no instant of these clocks"],
    ["2026-02-29T00:00:00Z", "there is no such day"],
    ["2026-11-21T00:30:00.Z", "a fraction has digits"],
    ["2026-11-21 00:30:00Z", "a T stands between"],
    ["+12026-11-21T00:30:00Z", "a year has four digits"],
    ["", "it is empty"],
  ])("rejects %j as an instant: %s", async (written) => {
    const { answers, exitCode } = await check({ windows: [], at: written });

    expect(answers).toEqual([
      {
        ok: false,
        error: { code: "bad-line", message: expect.stringMatching(/^at: .*expected an instant of UTC/) as string },
      },
    ]);
    expect(exitCode).toBe(2);
  });

  it.each([
    ["window-invalid", { start: "22", end: "02:00" }, 'windows[0].start: "22": not a start'],
    ["window-invalid", { start: "24:00", end: "02:00" }, 'windows[0].start: "24:00": not a start'],
    ["window-invalid", { start: "22:00", end: "25:00" }, 'windows[0].end: "25:00": not an end'],
    ["window-invalid", { ...night, days: ["Sat", "Funday"] }, 'windows[0].days[1]: "Funday": not a day of the week ('],
    ["window-invalid", { ...night, days: ["mon-"] }, 'windows[0].days[0]: "mon-": not a day of the week ('],
    ["window-invalid", { ...night, days: ["Mon", ""] }, 'windows[0].days[1]: "": not a day of the week ('],
    ["window-invalid", { ...night, days: [] }, 'windows[0].days: "": not a day of the week (leave'],
    ["window-invalid", { cron: "0 22 * * *", duration: "soon" }, 'windows[0].duration: "soon": not a duration'],
    ["window-invalid", { cron: "0 22 * * *", duration: "0s" }, 'windows[0].duration: "0s": not a duration'],
    ["window-invalid", { cron: "0 22 * * *", duration: "367d" }, 'windows[0].duration: "367d": not a duration'],
    ["cron-invalid", { cron: "0 25 * * *", duration: "1h" }, 'windows[0].cron: "0 25 * * *": not a cron expression'],
    ["time-zone-unknown", { ...night, timeZone: "Mars/Olympus" }, 'windows[0].timeZone: "Mars/Olympus": not a time'],
    ["time-zone-unknown", { ...night, timeZone: "+02:00" }, 'windows[0].timeZone: "+02:00": not a time zone'],
    ["time-zone-unknown", { ...night, timeZone: "BST" }, "(expected an IANA name); did you mean Europe/London?"],
  ])("rejects as %s: %j", async (code, window, message) => {
    const { answers, exitCode } = await check({ windows: [window], at });

    expect(answers).toEqual([{ ok: false, error: { code, message: expect.stringContaining(message) as string } }]);
    expect(exitCode).toBe(0);
  });

  it.each([
    [{ windows: [night] }, "at: is missing; expected a text"],
    [{ windows: [night], at: "today" }, "at: expected an instant of UTC such as 2026-11-21T00:30:00Z"],
    [{ at }, "windows: is missing; expected a list"],
    [{ windows: [{ ...night, tz: "UTC" }], at }, "windows[0].tz: is not known here"],
    [{ windows: [{ start: "22:00" }], at }, "windows[0].end: is missing; expected a text"],
    [{ windows: [{ end: "22:00" }], at }, "windows[0].start: is missing; expected a text, or cron and duration"],
    [{ windows: [{ cron: "0 22 * * *" }], at }, "windows[0].duration: is missing; expected a text"],
    [{ windows: [{ duration: "1h" }], at }, "windows[0].cron: is missing; expected a text"],
    [
      { windows: [{ ...night, cron: "0 22 * * *", duration: "1h" }], at },
      "windows[0].days: is not valid together with cron",
    ],
    [{ windows: [{ ...night, effect: "block" }], at }, "windows[0].effect: "],
    [{ windows: [{ ...night, days: "Sat" }], at }, 'windows[0].days: expected a list, not "Sat"'],
  ])("reports the fault of the line %j, and ends with 2", async (line, message) => {
    const { answers, exitCode } = await check(line, { windows: [], at });

    expect(answers).toEqual([
      { ok: false, error: { code: "bad-line", message: expect.stringContaining(message) as string } },
      { ok: true, open: true, until: null, opensAt: null, because: "no maintenance window limits updates" },
    ]);
    expect(exitCode).toBe(2);
  });
});
