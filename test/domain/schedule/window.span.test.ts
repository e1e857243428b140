import { describe, expect, it } from "vitest";
import { parseInstant, toIso } from "#domain/shared/time";
import { describeWindow, readWindow, windowState, type WrittenWindow } from "#domain/schedule/window";
import { instantsAt } from "#domain/schedule/zone";
import { windows } from "./windows.ts";

const spanOf = (from: string, until: string, timeZone?: string, effect: WrittenWindow["effect"] = "deny") => {
  const read = readWindow({ effect, from, until, timeZone });
  if (!read.ok) throw new Error(read.problem.message);
  return read.value;
};
const instant = (text: string) => {
  const at = parseInstant(text);
  if (at === undefined) throw new Error(`${text} is no instant`);
  return at;
};
const opensAt = (at: string, ...windows: Parameters<typeof windowState>[0]) => {
  const { open, nextChange } = windowState(windows, instant(at));
  return `${open ? "open" : "closed"} until ${isoOf(nextChange().at)}`;
};
const isoOf = (at: Parameters<typeof toIso>[0] | undefined) => (at === undefined ? "ever" : toIso(at));

describe("a span of dates", () => {
  const yearEnd = spanOf("2026-12-20", "2027-01-02", "Europe/Berlin");

  it("denies from the first to the last of its dates, by the clocks of its zone", () => {
    expect(opensAt("2026-12-19T22:59:59Z", yearEnd)).toBe("open until 2026-12-19T23:00:00.000Z");
    expect(opensAt("2026-12-19T23:00:00Z", yearEnd)).toBe("closed until 2027-01-01T23:00:00.000Z");
    expect(opensAt("2027-01-01T22:59:59Z", yearEnd)).toBe("closed until 2027-01-01T23:00:00.000Z");
    expect(opensAt("2027-01-01T23:00:00Z", yearEnd)).toBe("open until ever");
  });

  it("with the effect allow permits only its own dates", () => {
    const migration = spanOf("2026-12-20T18:00", "2026-12-21T06:00", undefined, "allow");

    expect(opensAt("2026-12-01T00:00:00Z", migration)).toBe("closed until 2026-12-20T18:00:00.000Z");
    expect(opensAt("2026-12-21T00:00:00Z", migration)).toBe("open until 2026-12-21T06:00:00.000Z");
    expect(opensAt("2026-12-22T00:00:00Z", migration)).toBe("closed until ever");
  });

  it("joins windows that it touches", () => {
    const saturdays = readWindow({ effect: "deny", days: ["Sat"], start: "00:00", end: "24:00" });
    if (!saturdays.ok) throw new Error(saturdays.problem.message);

    expect(opensAt("2026-12-19T12:00:00Z", saturdays.value, spanOf("2026-12-20", "2026-12-26"))).toBe(
      "closed until 2026-12-27T00:00:00.000Z",
    );
  });

  it("is found also after denied openings", () => {
    const denied = windows({ cron: "*/5 * * * * for 1m" }, { cron: "*/5 * * * * for 1m", effect: "deny" });
    const allowing = spanOf("2026-11-10T11:20", "2026-12-08T11:20", undefined, "allow");
    const denying = spanOf("2026-11-10T11:10", "2026-12-08T11:10");

    expect(opensAt("2026-11-01T00:00:00Z", ...denied, allowing, denying)).toBe("closed until 2026-12-08T11:11:00.000Z");
  });

  it.each([
    {
      from: "2026-03-29T02:30",
      until: "2026-04-01",
      at: "2026-03-28T12:00:00Z",
      is: "open until 2026-03-29T01:00:00.000Z",
      because: "it begins after a gap",
    },
    {
      from: "2026-10-25T02:30",
      until: "2026-11-01",
      at: "2026-10-24T12:00:00Z",
      is: "open until 2026-10-25T00:30:00.000Z",
      because: "it begins when it comes first",
    },
    {
      from: "2026-10-20",
      until: "2026-10-25T02:30",
      at: "2026-10-25T01:00:00Z",
      is: "closed until 2026-10-25T01:30:00.000Z",
      because: "it ends when it comes last",
    },
    {
      from: "2026-03-29T03:00",
      until: "2026-04-01",
      at: "2026-03-28T12:00:00Z",
      is: "open until 2026-03-29T01:00:00.000Z",
      because: "it begins as the gap ends",
    },
    {
      from: "2026-10-25T03:00",
      until: "2026-11-01",
      at: "2026-10-24T12:00:00Z",
      is: "open until 2026-10-25T02:00:00.000Z",
      because: "it begins when nothing comes again",
    },
    {
      from: "2026-03-20",
      until: "2026-03-28T12:00",
      at: "2026-03-28T10:00:00Z",
      is: "closed until 2026-03-28T11:00:00.000Z",
      because: "it ends on the day before a gap",
    },
  ])("handles a time that a clock change skips or repeats: $because", ({ from, until, at, is }) => {
    expect(opensAt(at, spanOf(from, until, "Europe/Berlin"))).toBe(is);
  });

  it("may be 366 days long", () => {
    expect(opensAt("2026-12-20T00:00:00Z", spanOf("2026-12-20", "2027-12-21"))).toBe(
      "closed until 2027-12-21T00:00:00.000Z",
    );
  });

  it("is formatted for users", () => {
    expect(describeWindow(yearEnd)).toBe("blackout 2026-12-20 – 2027-01-02 Europe/Berlin");
    expect(describeWindow(spanOf("2026-12-20T18:00", "2026-12-21", undefined, "allow"))).toBe(
      "2026-12-20 18:00 – 2026-12-21 UTC",
    );
  });

  it.each([
    [
      "from",
      "2026-13-20",
      "2027-01-02",
      '"2026-13-20": not a date (expected for example 2026-12-20 or 2026-12-20T18:00)',
    ],
    [
      "from",
      "20.12.2026",
      "2027-01-02",
      '"20.12.2026": not a date (expected for example 2026-12-20 or 2026-12-20T18:00)',
    ],
    [
      "until",
      "2026-12-20",
      "2027-02-29",
      '"2027-02-29": not a date (expected for example 2026-12-20 or 2026-12-20T18:00)',
    ],
    ["until", "2026-12-20", "2026-12-20", '"2026-12-20": is not after 2026-12-20, the start of the span'],
    [
      "until",
      "2026-12-20",
      "2027-12-22",
      '"2027-12-22": is more than 366 days after 2026-12-20, the start of the span',
    ],
    [
      "from",
      "on 2026-12-20",
      "2027-01-02",
      '"on 2026-12-20": not a date (expected for example 2026-12-20 or 2026-12-20T18:00)',
    ],
    [
      "until",
      "2026-12-20",
      "2026-12-20T18:00:00",
      '"2026-12-20T18:00:00": not a date (expected for example 2026-12-20 or 2026-12-20T18:00)',
    ],
  ] as const)("is rejected for its %s: %s to %s", (part, from, until, message) => {
    expect(readWindow({ from, until })).toEqual({ ok: false, problem: { code: "window-invalid", part, message } });
  });
});

describe("the instants of a time on the clock", () => {
  it("are one instant, two for a repeated time, or the end of a gap", () => {
    const at = (zone: string, wall: string) => {
      const { first, last } = instantsAt(zone, instant(`${wall}Z`));
      return [toIso(first), toIso(last)].map((text) => text.slice(0, 16));
    };

    expect(at("UTC", "2026-12-20T00:00:00")).toEqual(["2026-12-20T00:00", "2026-12-20T00:00"]);
    expect(at("Australia/Lord_Howe", "2026-04-05T01:45:00")).toEqual(["2026-04-04T14:45", "2026-04-04T15:15"]);
    expect(at("Pacific/Apia", "2011-12-30T12:00:00")).toEqual(["2011-12-30T10:00", "2011-12-30T10:00"]);
    expect(at("Pacific/Chatham", "2027-04-04T02:00:00")).toEqual(["2027-04-03T12:15", "2027-04-03T12:15"]);
    expect(at("Pacific/Kiritimati", "2026-01-01T00:00:00")).toEqual(["2025-12-31T10:00", "2025-12-31T10:00"]);
  });
});
