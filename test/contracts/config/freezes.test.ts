import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";
import { checkConfiguration } from "#contracts/config/file";
import { describeWindow } from "#domain/schedule/window";

const night = { start: "22:00", end: "06:00" };
const closing = { name: "closing", why: "Monthly closing", windows: [night] };

/**
 * What is read of freezes, the windows as people read them; or path, value and message of each
 * problem.
 */
function read(...freezes: readonly unknown[]): readonly unknown[] {
  const parsed = parseConfiguration({ freezes });
  if (!parsed.ok) return parsed.problem.map(({ path, value, message }) => [path, value ?? "–", message].join(" | "));
  return parsed.value.freezes.map(({ windows, ...freeze }) => ({ ...freeze, windows: windows.map(describeWindow) }));
}

describe("the freezes of a configuration", () => {
  it("cover the fleet, a cluster or a namespace, with windows of every form", () => {
    const windows = [
      { days: ["Fri-Sat", "mon"], ...night, timeZone: "europe/berlin" },
      { cron: "0 18 28 * *", duration: "3d" },
      { from: "2026-12-20", until: "2027-01-02T06:00", timeZone: "Europe/Berlin" },
    ];

    expect(
      read(
        closing,
        { ...closing, name: "end", scope: "prod", windows },
        { ...closing, name: "shop", scope: "prod/shop" },
      ),
    ).toEqual([
      { name: "closing", scope: {}, why: "Monthly closing", windows: ["blackout every day 22:00–06:00 UTC"] },
      {
        ...{ name: "end", scope: { cluster: "prod" }, why: "Monthly closing" },
        windows: [
          "blackout Mon,Fri,Sat 22:00–06:00 Europe/Berlin",
          "blackout 0 18 28 * * for 3d UTC",
          "blackout 2026-12-20 – 2027-01-02 06:00 Europe/Berlin",
        ],
      },
      {
        ...{ name: "shop", scope: { cluster: "prod", namespace: "shop" }, why: "Monthly closing" },
        windows: ["blackout every day 22:00–06:00 UTC"],
      },
    ]);
  });

  it("are equal after a deployment stored them in JSON", () => {
    const parsed = parseConfiguration({
      freezes: [{ ...closing, windows: [night, { cron: "@daily", duration: "1h" }] }],
    });

    expect(parsed.ok && JSON.parse(JSON.stringify(parsed.value.freezes))).toEqual(parsed.ok && parsed.value.freezes);
  });

  it.each([
    [
      { ...closing, scope: "prod/" },
      'freezes[0].scope | "prod/" | is not a scope: expected CLUSTER, CLUSTER/NAMESPACE, or *',
    ],
    [{ ...closing, why: " " }, 'freezes[0].why | " " | expected the reason, which users see'],
    [{ ...closing, name: "Closing" }, /^freezes\[0\]\.name \| "Closing" \| expected a name of at most 63/],
    [{ name: "closing", why: "x" }, "freezes[0].windows | – | is missing; expected a list of windows"],
    [{ ...closing, windows: [] }, "freezes[0].windows | a list | expected at least one window"],
    [{ ...closing, window: night }, "freezes[0].window | – | is not a known key here; did you mean windows?"],
  ])("are rejected as %j, with the place", (freeze, problem) => {
    const expected: unknown = typeof problem === "string" ? problem : expect.stringMatching(problem);

    expect(read(freeze)).toEqual([expected]);
  });

  it.each([
    [{ start: "22", end: "06:00" }, 'start | "22" | not a start (expected HH:MM, from 00:00 to 23:59)'],
    [
      { ...night, days: ["Funday"] },
      'days[0] | "Funday" | not a day of the week (expected for example Sat or Mon-Fri)',
    ],
    [{ ...night, days: [] }, "days | – | not a day of the week (leave days out for every day)"],
    [{ ...night, timeZone: "Mars" }, /^timeZone \| "Mars" \| not a time zone/],
    [
      { ...night, timeZone: "PST" },
      'timeZone | "PST" | not a time zone (expected an IANA name); did you mean America/Los_Angeles?',
    ],
    [{ cron: "0 25 * * *", duration: "1h" }, /^cron \| "0 25 \* \* \*" \| not a cron expression/],
    [
      { cron: "0 18 * * *", duration: "367d" },
      'duration | "367d" | not a duration of a window (expected 1m to 366d, in whole seconds)',
    ],
    [{ from: "20.12.2026", until: "2027-01-02" }, /^from \| "20.12.2026" \| not a date/],
    [{ from: "2026-12-20", until: "2026-12-01" }, /^until \| "2026-12-01" \| is not after 2026-12-20/],
    [{ from: "2026-12-20" }, "until | – | is missing; expected a text"],
    [{}, "start | – | is missing; expected a text, or cron and duration"],
    [{ ...night, cron: "@daily" }, 'start | "22:00" | is not valid together with cron and duration'],
    [{ ...night, effect: "allow" }, /^effect \| – \| is not a known key here/],
  ])("are rejected with the window %j, with the place", (window, problem) => {
    const [said] = read({ ...closing, windows: [night, window] });
    const told = String(said).replace("freezes[0].windows[1].", "");

    expect(told).toEqual(typeof problem === "string" ? problem : expect.stringMatching(problem));
  });

  it("are rejected with two equal names, by line and column of the file", () => {
    expect(read(closing, closing)).toEqual([
      'freezes[1].name | "closing" | is already the name of entry [0] of this list',
    ]);
    const text = "freezes:\n  - name: a\n    why: b\n    windows:\n      - { start: 22, end: '06:00' }\n";
    expect(checkConfiguration(text)).toMatchObject({
      problem: [{ line: 5, column: 11, text: "freezes[0].windows[0].start 22: expected a time such as 22:00" }],
    });
  });
});
