import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { isCronDay, parseCron } from "#domain/schedule/cron";

const DAY = 86_400_000;

/** The days of a month, `2026-11`, on which an expression comes. */
function daysOf(text: string, month: string): readonly number[] {
  const read = parseCron(text);
  if (!read.ok) throw new Error(read.problem);
  const first = Date.parse(`${month}-01T00:00:00Z`) / DAY;
  const days = [...Array(31).keys()].filter((day) => new Date((first + day) * DAY).toISOString().startsWith(month));
  return days.filter((day) => isCronDay(read.value, first + day)).map((day) => day + 1);
}

describe("a cron expression", () => {
  it("has minutes of a day, and days by date or by weekday", () => {
    expect(parseCron("15,45 0-2/2 1 JAN,3 FRI#2")).toEqual({
      ok: true,
      value: { text: "15,45 0-2/2 1 JAN,3 FRI#2", starts: [15, 45, 135, 165] },
    });
    expect(daysOf("15,45 0-2/2 1 JAN,3 FRI#2", "2027-01")).toEqual([1, 8]);
    expect(daysOf("15,45 0-2/2 1 JAN,3 FRI#2", "2027-02")).toEqual([]);
    expect(daysOf("15,45 0-2/2 1 JAN,3 FRI#2", "2027-03")).toEqual([1, 12]);
  });

  it.each([
    { text: "0 22 * * TUE#1", month: "2026-04", days: [7], because: "the first Tuesday may be the 7th" },
    { text: "0 22 * * TUE#2", month: "2026-09", days: [8], because: "the second may be the 8th" },
    { text: "0 22 * * FRI#5", month: "2026-07", days: [31], because: "some months have five Fridays" },
    { text: "0 22 * * FRI#5", month: "2026-11", days: [], because: "others have four" },
    { text: "0 22 * * FRI#L", month: "2026-11", days: [27], because: "the last Friday may be the fourth" },
    { text: "0 22 * * FRI#L", month: "2026-07", days: [31], because: "or the last day" },
    { text: "0 22 * * FRI#L", month: "2026-04", days: [24], because: "or have six days behind it" },
    { text: "0 22 L * *", month: "2028-02", days: [29], because: "the last day of a leap year's February" },
    { text: "0 22 13 * FRI", month: "2026-11", days: [6, 13, 20, 27], because: "either is enough" },
    { text: "0 22 13 * +FRI", month: "2026-11", days: [13], because: "with + both are needed" },
    { text: "0 22 13 * +FRI", month: "2026-12", days: [], because: "the 13th is a Sunday" },
    { text: "0 22 29 2 +THU", month: "2024-02", days: [29], because: "one day in 28 years is one" },
    { text: "0 22 1-3 12 *", month: "2026-11", days: [], because: "the month is another" },
    { text: "0 22 * * 7", month: "2026-11", days: [1, 8, 15, 22, 29], because: "7 is Sunday" },
    { text: "0 22 * * 0", month: "2026-11", days: [1, 8, 15, 22, 29], because: "and so is 0" },
  ])("$text fits $days of $month", ({ text, month, days }) => {
    expect(daysOf(text, month)).toEqual(days);
  });

  it("fits the same days in every time zone of the process", () => {
    const program = `
      import { isCronDay, parseCron } from "#domain/schedule/cron";
      const days = ["5 0 2 1 *", "55 23 2 1 *"].map((text) => [0, 1, 2].filter((day) => isCronDay(parseCron(text).value, day)));
      console.log(JSON.stringify([new Date(0).getTimezoneOffset(), days]));`;
    const typed = ["--input-type=module", "--eval", program];
    const answer = execFileSync(process.execPath, typed, { env: { TZ: "America/St_Johns" }, encoding: "utf8" });

    expect(JSON.parse(answer)).toEqual([210, [[1], [1]]]);
  });

  it.each([
    { text: "", why: "the text has 0 fields, not 5" },
    { text: "* * * *", why: "the text has 4 fields, not 5" },
    { text: " 10  22\t*  * ", why: "the text has 4 fields, not 5" },
    { text: "0 0 22 * * 1-5", why: "the text has 6 fields, not 5" },
    { text: "61 * * * *", why: 'character 1: "61" is not a valid minute' },
    { text: "*/0 * * * *", why: 'character 1: "*/0" is not a valid minute' },
    { text: "5-1 * * * *", why: 'character 1: "5-1" is not a valid minute' },
    { text: "0 24 * * 1", why: 'character 3: "24" is not a valid hour' },
    { text: "0 22 0 * 1", why: 'character 6: "0" is not a valid day of the month' },
    { text: " 0  22 1,32 * 1", why: 'character 8: "1,32" is not a valid day of the month' },
    { text: "0 22 15W * *", why: 'character 6: "15W" is not a valid day of the month: W is not supported' },
    { text: "0 22 LW * *", why: 'character 6: "LW" is not a valid day of the month: W is not supported' },
    { text: "0 22 * 13 1", why: 'character 8: "13" is not a valid month' },
    { text: "0 22 * * mon,", why: 'character 10: "mon," is not a valid day of the week' },
    { text: "0 22 * * 😀", why: 'character 10: "😀" is not a valid day of the week' },
    { text: "0 22 31 FEB,APR *", why: "the date never occurs" },
    { text: "* * * * @", why: 'character 9: "@" is not a valid day of the week' },
    { text: "@reboot", why: "expected a name such as @daily" },
  ])('is rejected: "$text", $why', ({ text, why }) => {
    expect(parseCron(text)).toEqual({
      ok: false,
      problem: `"${text}": not a cron expression: ${why} (expected for example 0 22 * * 1-5)`,
    });
  });

  it("may have two hundred characters, and its problem shows a hundred of them", () => {
    const wrong = (text: string, why: string) => ({
      ok: false,
      problem: `"${text}": not a cron expression: ${why} (expected for example 0 22 * * 1-5)`,
    });

    expect(parseCron("0 22 * * *".padEnd(200)).ok).toBe(true);
    expect(parseCron("0 22 * * *".padEnd(201))).toEqual(wrong(`${"0 22 * * *".padEnd(100)}…`, "the text is too long"));
    expect(parseCron("x".repeat(100))).toEqual(wrong("x".repeat(100), "the text has 1 fields, not 5"));
  });
});
