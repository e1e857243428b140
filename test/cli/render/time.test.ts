import { describe, expect, it } from "vitest";
import { clock, relative, span, stamp } from "#cli/render/time";
import { durationMs, epochMs } from "#domain/shared/time";

const now = epochMs(Date.parse("2026-11-21T18:45:53Z"));
const berlin = { now, timeZone: "Europe/Berlin" };

describe("a duration", () => {
  it.each([
    [0, "0 s"],
    [999, "0 s"],
    [59_999, "59 s"],
    [60_000, "1 m"],
    [3_599_999, "59 m"],
    [3_600_000, "1 h"],
    [8_040_000, "2 h 14 m"],
    [86_399_000, "23 h 59 m"],
    [26 * 3_600_000 + 1, "26 h"],
    [48 * 3_600_000, "2 d"],
    [76 * 3_600_000, "3 d 4 h"],
  ])("of %d ms is %s", (length, text) => {
    expect(span(durationMs(length))).toBe(text);
  });
});

describe("a printed instant", () => {
  it.each([
    ["2026-11-21T18:45:13.000Z", "40 s ago"],
    ["2026-11-21T21:00:07.000Z", "in 2 h 14 m"],
    ["2026-11-21T18:45:53.001Z", "in 1 s"],
    ["yesterday", "yesterday"],
  ])("%s is %s", (instant, text) => {
    expect(relative(instant, berlin)).toBe(text);
  });

  it.each([
    ["2026-11-21T21:00:07.000Z", "22:00 CET"],
    ["2026-11-21T23:30:00.000Z", "Sun 00:30 CET"],
    ["2026-11-16T08:00:00.000Z", "Mon 09:00 CET"],
    ["2026-11-28T21:00:00.000Z", "2026-11-28 22:00 CET"],
    ["2026-07-01T20:00:00.000Z", "2026-07-01 22:00 CEST"],
    ["soon", "soon"],
  ])("%s is %s in Berlin", (instant, text) => {
    expect(clock(instant, berlin)).toBe(text);
  });

  it("shows its date and seconds in a column", () => {
    expect(stamp("2026-11-21T23:00:07.000Z", berlin)).toBe("2026-11-22 00:00:07");
  });
});
