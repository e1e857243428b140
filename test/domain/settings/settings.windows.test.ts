import { describe, expect, it } from "vitest";
import { parseSettings } from "#domain/settings/settings";
import { describeWindow } from "#domain/schedule/window";
import { annotated } from "../builders.ts";

const parse = (settings: Record<string, string>) => parseSettings(annotated(settings), []);

describe("the windows of a workload", () => {
  it("have both forms and both effects in one zone", () => {
    const { windows, problems } = parse({
      "maintenance-window": "22:00-02:00",
      "maintenance-days": "Sat",
      "maintenance-cron": "0 22 * * 1-5 for 4h; @daily for 90m",
      "maintenance-tz": "Europe/Berlin",
      "blackout-window": "12:00-13:00",
      "blackout-cron": "0 0 20 12 * FOR 14d",
    });

    expect(problems).toEqual([]);
    expect(windows.map(describeWindow)).toEqual([
      "Sat 22:00–02:00 Europe/Berlin",
      "0 22 * * 1-5 for 4h Europe/Berlin",
      "@daily for 1h30m Europe/Berlin",
      "blackout every day 12:00–13:00 Europe/Berlin",
      "blackout 0 0 20 12 * for 14d Europe/Berlin",
    ]);
  });

  it.each([
    ["maintenance-window", "22:00-02:00", "every day 22:00–02:00 Asia/Tokyo"],
    ["maintenance-cron", "@daily for 1h", "@daily for 1h Asia/Tokyo"],
    ["blackout-window", "22:00-02:00", "blackout every day 22:00–02:00 Asia/Tokyo"],
    ["blackout-cron", "@daily for 1h", "blackout @daily for 1h Asia/Tokyo"],
  ])("have a zone only beside %s", (key, value, window) => {
    const { windows, problems } = parse({ "maintenance-tz": "asia/tokyo", [key]: value });

    expect([problems, windows.map(describeWindow)]).toEqual([[], [window]]);
  });

  it("name an abbreviation that is no zone, with the zones it may mean", () => {
    const { windows, problems } = parse({ "maintenance-tz": "CST", "maintenance-window": "22:00-02:00" });

    expect(windows).toEqual([]);
    expect(problems).toEqual([
      {
        key: "lookout.dev/maintenance-tz",
        value: "CST",
        message: "not a time zone (expected an IANA name); did you mean America/Chicago or Asia/Shanghai?",
        closes: true,
      },
    ]);
  });

  it("name an invalid zone, and skip its window", () => {
    const { windows, problems } = parse({ "maintenance-tz": "Mars/Olympus", "blackout-cron": "@daily for 1h" });

    expect(windows).toEqual([]);
    expect(problems).toEqual([
      {
        key: "lookout.dev/maintenance-tz",
        value: "Mars/Olympus",
        message: "not a time zone (expected an IANA name, for example Europe/Berlin)",
        closes: true,
      },
    ]);
  });

  it.each([
    { key: "maintenance-cron", value: "0 22 * * 1-5", says: "expected CRON for DURATION" },
    { key: "maintenance-cron", value: "61 * * * * for 4h", says: '"61 * * * *": not a cron expression' },
    { key: "maintenance-cron", value: "0 22 * * * for ever", says: "not a duration" },
    { key: "maintenance-cron", value: " ; ", says: "expected CRON for DURATION" },
    { key: "blackout-window", value: "8am-5pm", says: "not a window" },
    { key: "blackout-days", value: "Sat", says: "needs lookout.dev/blackout-window too" },
    { key: "maintenance-days", value: "Sat", says: "needs lookout.dev/maintenance-window too" },
    { key: "maintenance-tz", value: "Asia/Tokyo", says: "needs lookout.dev/maintenance-window too" },
    { key: "blackout-cron", value: "0 0 31 2 * for 1d", says: "the date never occurs" },
  ])("close updates and name the setting: $key $value", ({ key, value, says }) => {
    expect(parse({ [key]: value }).problems).toEqual([
      { key: `lookout.dev/${key}`, value, message: expect.stringContaining(says) as string, closes: true },
    ]);
  });
});
