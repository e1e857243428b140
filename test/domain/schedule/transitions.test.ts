import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { epochMs, parseInstant, toIso } from "#domain/shared/time";
import { readWindow, windowState } from "#domain/schedule/window";
import { state, windows, type WindowText } from "./windows.ts";

const denied = (cron: string): WindowText => ({ cron, effect: "deny" });

describe("the next change of a window", () => {
  it.each([
    {
      at: "2026-11-01T00:00:00Z",
      texts: [denied("*/5 * 1-20 * * for 1m"), { cron: "*/5 * * * * for 1m" }],
      is: "closed until 2026-11-21T00:00:00Z",
      because: "every five minutes is denied for twenty days",
    },
    {
      at: "2026-11-01T00:00:00Z",
      texts: [
        denied("*/2 * * 1,3-12 * for 1m; */2 * 1-28 2 * for 1m"),
        { cron: "*/2 * * * * for 1m", timeZone: "Europe/Berlin" },
      ],
      is: "closed until 2028-02-29T00:00:00Z",
      because: "every other minute is denied until a leap day, and clocks change meanwhile",
    },
    {
      at: "2026-11-01T00:00:00Z",
      texts: [denied("*/2 * * * * for 1m"), { cron: "*/2 * * * * for 1m; 1 12 * * TUE#5 for 1m" }],
      is: "closed until 2026-12-29T12:01:00Z",
      because: "one minute is left on the fifth Tuesday of a month",
    },
    {
      at: "2027-03-01T00:00:00Z",
      texts: [
        { cron: "*/30 * * * * for 10m" },
        { cron: "*/30 * * * * for 10m", effect: "deny" as const, timeZone: "Europe/Berlin" },
        { cron: "*/30 * * * * for 15m", effect: "deny" as const, timeZone: "Australia/Lord_Howe" },
      ],
      is: "closed",
      because: "no change of the clocks alters half hours",
    },
    {
      at: "2027-03-01T00:00:00Z",
      texts: [{ window: "06:00-08:00" }, { window: "07:00-09:00", effect: "deny" as const, timeZone: "Europe/Berlin" }],
      is: "closed until 2027-03-28T07:00:00Z",
      because: "winter leaves nothing, and summer an hour",
    },
    {
      at: "2027-03-28T00:30:00Z",
      texts: [
        { window: "02:00-04:00" },
        { window: "03:00-05:00", effect: "deny" as const, timeZone: "Europe/Berlin" },
        { window: "04:00-06:00", effect: "deny" as const, timeZone: "Europe/Berlin" },
      ],
      is: "closed",
      because: "each season has its blackout",
    },
    {
      at: "2025-04-09T22:00:00Z",
      texts: [
        { window: "00:00-24:00", days: "Wed", timeZone: "Europe/Berlin" },
        { cron: "* 0 15,21,22,28 * * for 2822m", effect: "deny" as const, timeZone: "Europe/Berlin" },
        { cron: "*/10 * * * * for 5m" },
        denied("*/10 * * * * for 5m"),
      ],
      is: "closed until 2025-04-29T22:05:00Z",
      because: "the last of the nights of a blackout is over a minute after midnight",
    },
    {
      at: "2026-11-01T00:00:00Z",
      texts: [{ cron: "*/5 * 1,8,15,22 * * for 1m" }, denied("*/5 * 1,8,15,23 * * for 1m")],
      is: "closed until 2026-11-22T00:00:00Z",
      because: "the third week has one day that is denied as those before, but another",
    },
    {
      at: "2026-11-02T12:00:00Z",
      texts: [
        { cron: "31-59/2 23 * * * for 1m", timeZone: "America/St_Johns" },
        { cron: "1-59/2 0,23 1-19,21-31 * * for 1m", effect: "deny" as const, timeZone: "America/St_Johns" },
      ],
      is: "closed until 2026-11-21T03:01:00Z",
      because: "a day of UTC begins there in the evening, of one day that is not denied",
    },
    {
      at: "2026-11-21T12:00:00Z",
      texts: [{ cron: "0 */6 * * * for 6h", timeZone: "America/New_York" }],
      is: "open until 2027-11-07T10:00:00Z",
      because: "a night that is an hour longer leaves a gap",
    },
  ])("at $at is $is: $because", ({ at, texts, is }) => {
    expect(state(at, ...texts)).toBe(is);
  });

  it("is on the first allowed day, in any zone", () => {
    const days = fc.uniqueArray(fc.integer({ min: 1, max: 31 }), { minLength: 24, maxLength: 30 });
    const zones = fc.constantFrom("UTC", "Europe/Berlin", "America/St_Johns", "Pacific/Apia");
    const ahead = fc.property(days, zones, fc.integer({ min: 2, max: 30 }), (dates, timeZone, step) => {
      const minutes = `*/${String(step)}`;
      const at = Temporal.PlainDate.from("2026-11-21");
      const left = Array.from({ length: 100 }, (_, index) => at.add({ days: index })).find(
        ({ day }) => !dates.includes(day),
      );
      const deny = { cron: `${minutes} * ${dates.join(",")} * * for 1m`, effect: "deny" as const, timeZone };
      const [midnight, opens] = [at, left!].map((date) => epochMs(date.toZonedDateTime(timeZone).epochMilliseconds));

      expect(
        windowState(windows({ cron: `${minutes} * * * * for 1m`, timeZone }, deny), midnight!).nextChange().at,
        `${deny.cron} ${timeZone}`,
      ).toBe(opens === midnight ? midnight! + 60_000 : opens);
    });
    fc.assert(ahead, { numRuns: 200 });
  });
});

describe("the horizon", () => {
  const at = parseInstant("2026-11-21T12:00:00Z")!;
  const ahead = (...texts: readonly WindowText[]) => {
    const { at: next, lookedUntil } = windowState(windows(...texts), at).nextChange();
    return [next, lookedUntil].map((instant) => instant && toIso(instant));
  };

  it("ends at the next change", () => {
    expect(ahead({ window: "22:00-02:00" })).toEqual(["2026-11-21T22:00:00.000Z", "2026-11-21T22:00:00.000Z"]);
  });

  it("is eight years, or three thousand days", () => {
    const on = (days: number) => new Date(at + days * 86_400_000).toISOString().slice(0, 16);
    const spanIn = (days: number) => {
      const read = readWindow({ from: on(days), until: on(days + 1) });
      if (!read.ok) throw new Error(read.problem.message);
      return windowState([read.value], at).nextChange();
    };

    expect(spanIn(2_999)).toEqual({ at: at + 2_999 * 86_400_000, lookedUntil: at + 2_999 * 86_400_000 });
    expect(spanIn(3_000)).toEqual({ at: undefined, lookedUntil: at + 3_000 * 86_400_000 });
  });

  it("reaches a leap day after the year 2100", () => {
    expect(state("2096-03-01T00:00:00Z", { cron: "0 0 29 2 * for 1d" })).toBe("closed until 2104-02-29T00:00:00Z");
  });

  it("does not pass the year 9999", () => {
    const end = parseInstant("9999-12-31T23:30:00Z")!;

    expect(windowState(windows({ window: "22:00-23:00" }), end).nextChange()).toEqual({
      at: undefined,
      lookedUntil: end + 30 * 60_000,
    });
  });

  it("is shorter for absurd windows, which then have no change", () => {
    const many = Array.from({ length: 1_000 }, (): WindowText[] => [
      { cron: "*/2 * * * * for 1m" },
      denied("*/2 * * * * for 1m"),
    ]);

    expect(ahead(...many.flat())).toEqual([undefined, "2026-11-21T13:41:00.000Z"]);
  });
});
