import { describe, expect, it } from "vitest";
import { lines, lookout } from "../world.ts";

const check = (...typed: readonly string[]) => lookout(["window", "check", ...typed], {});
const weekend = ["--window", "22:00-02:00", "--days", "Sat,Sun", "--tz", "Europe/Berlin"];

describe("lookout window check", () => {
  it("shows the next seven openings in the zone and in UTC, with clock changes", async () => {
    const { stdout, exitCode } = await check(...weekend, "--at", "2027-03-20T22:00:00Z");

    expect(stdout).toBe(
      lines(
        "✓ Open: Sat,Sun 22:00–02:00 Europe/Berlin; closes in 3 h.",
        "",
        "OPENS                       CLOSES                      UTC                                   CLOCKS",
        "Sat 2027-03-20 23:00 CET    Sun 2027-03-21 02:00 CET    2027-03-20 22:00 – 2027-03-21 01:00",
        "Sun 2027-03-21 22:00 CET    Mon 2027-03-22 02:00 CET    2027-03-21 21:00 – 2027-03-22 01:00",
        "Sat 2027-03-27 22:00 CET    Sun 2027-03-28 03:00 CEST   2027-03-27 21:00 – 2027-03-28 01:00   forward 1 h while it is open",
        "Sun 2027-03-28 22:00 CEST   Mon 2027-03-29 02:00 CEST   2027-03-28 20:00 – 2027-03-29 00:00",
        "Sat 2027-04-03 22:00 CEST   Sun 2027-04-04 02:00 CEST   2027-04-03 20:00 – 2027-04-04 00:00",
        "Sun 2027-04-04 22:00 CEST   Mon 2027-04-05 02:00 CEST   2027-04-04 20:00 – 2027-04-05 00:00",
        "Sat 2027-04-10 22:00 CEST   Sun 2027-04-11 02:00 CEST   2027-04-10 20:00 – 2027-04-11 00:00",
      ),
    );
    expect(exitCode).toBe(0);
  });

  it("shows the next opening of closed windows, and ends with 1", async () => {
    const { stdout, exitCode } = await check(...weekend);

    expect(stdout.split("\n")[0]).toBe("⏸ Closed: none is open: Sat,Sun 22:00–02:00 Europe/Berlin; opens in 2 h 14 m.");
    expect(exitCode).toBe(1);
  });

  it("shows a clock change between two openings", async () => {
    const { stdout } = await check(
      "--cron",
      "0 12 * * * for 1h",
      "--tz",
      "Europe/Berlin",
      "--at",
      "2027-10-30T12:00:00Z",
    );

    expect(stdout.split("\n")[3]).toBe(
      "Sun 2027-10-31 12:00 CET   Sun 2027-10-31 13:00 CET   2027-10-31 11:00 – 2027-10-31 12:00   back 1 h before",
    );
  });

  it("shows no openings of a window that never opens, with the horizon", async () => {
    const { stdout } = await check("--window", "22:00-23:00", "--blackout-window", "00:00-24:00");

    expect(stdout).toBe(lines("⏸ Closed: active: blackout every day 00:00–24:00 UTC; does not open within 8 years."));
  });

  it.each([
    [["--cron", "0 0 29 2 +1 for 1d"], "⏸ Closed: none is open: 0 0 29 2 +1 for 1d UTC; does not open within 8 years."],
    [["--window", "00:00-24:00"], "✓ Open: every day 00:00–24:00 UTC; does not close within 8 years."],
    [
      ["--window", "22:00-23:00", "--at", "9999-12-30T23:30:00Z", "--blackout-window", "12:00-24:00"],
      "⏸ Closed: active: blackout every day 12:00–24:00 UTC; does not open within 24 h.",
    ],
  ])("names the horizon: %j", async (typed, line) => {
    const { stdout } = await check(...typed);

    expect(stdout.split("\n")[0]).toBe(line);
  });

  it("prints the answer of the batch, with the openings", async () => {
    const { stdout } = await check("--cron", "0 0 29 2 * for 1d", "--at", "2027-01-01T00:00:00Z", "-o", "json");

    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      open: false,
      until: null,
      opensAt: "2028-02-29T00:00:00Z",
      because: "none is open: 0 0 29 2 * for 1d UTC",
      openings: [2028, 2032, 2036, 2040, 2044, 2048, 2052].map((year) => ({
        from: `${String(year)}-02-29T00:00:00Z`,
        until: `${String(year)}-03-01T00:00:00Z`,
      })),
    });
  });

  it.each([
    [["--days", "Sat"], "--days: needs --window too."],
    [["--tz", "Europe/Berlin"], "--tz: needs --window too."],
    [
      ["--window", "22:00-02:00", "--tz", "BST"],
      '--tz: "BST": not a time zone (expected an IANA name); did you mean Europe/London?',
    ],
    [["--window", "8am-5pm"], '--window: "8am-5pm": not a window (expected HH:MM-HH:MM, for example 22:00-02:00).'],
    [["--blackout-days", "Sat"], "--blackout-days: needs --blackout-window too."],
    [[], "✗ A window is missing: add --window, --cron, --blackout-window or --blackout-cron."],
    [["--window", "22:00-02:00", "--at", "noon"], '"noon" is not an instant.'],
  ])("rejects %j", async (typed, complaint) => {
    const { stderr, exitCode } = await check(...typed);

    expect(stderr).toContain(complaint);
    expect(exitCode).toBe(2);
  });
});
