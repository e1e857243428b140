import { describe, expect, it } from "vitest";
import { parseConfiguration } from "#contracts/config/configuration";
import { hours, minutes } from "#domain/shared/time";

const backupOf = (backup: unknown): unknown => {
  const read = parseConfiguration({ backup });
  return read.ok
    ? read.value.backup
    : read.problem.map(({ path, value, message }) => [path, value, message].join(" | "));
};

describe("backup in lookout.yaml", () => {
  it("is a schedule with an interval and a number of copies, seven by default", () => {
    expect(backupOf({ every: "24h", keep: 3 })).toEqual({ every: hours(24), keep: 3 });
    expect(backupOf({ every: "1m" })).toEqual({ every: minutes(1), keep: 7 });
    expect(backupOf({ every: "30d", keep: 1_000 })).toEqual({ every: hours(720), keep: 1_000 });
  });

  it("is absent by default, and as an empty section", () => {
    for (const file of [{}, { backup: null }]) {
      const read = parseConfiguration(file);
      expect(read.ok && "backup" in read.value).toBe(false);
      expect(read.ok).toBe(true);
    }
  });

  const range = "expected 1m to 30d, such as 24h";
  const count = "expected a whole number from 1 to 1000";
  it.each([
    [{ every: "59s" }, `backup.every | "59s" | ${range}`],
    [{ every: "30d1s" }, `backup.every | "30d1s" | ${range}`],
    [{ every: "0" }, `backup.every | "0" | ${range}`],
    [
      { every: "daily" },
      'backup.every | "daily" | not a duration: a number is missing (expected for example 10m, 1h30m or 2d)',
    ],
    [{ every: 24 }, 'backup.every | 24 | expected a duration such as "10s", "1m30s" or "2h"'],
    [{ keep: 3 }, 'backup.every |  | is missing; expected a duration such as "10s", "1m30s" or "2h"'],
    [{ every: "1d", keep: 0 }, `backup.keep | 0 | ${count}`],
    [{ every: "1d", keep: 1_001 }, `backup.keep | 1001 | ${count}`],
    [{ every: "1d", keep: 1.5 }, `backup.keep | 1.5 | ${count}`],
    [{ every: "1d", keep: "all" }, `backup.keep | "all" | ${count}`],
    [{ every: "1d", folder: "x" }, "backup.folder |  | is not a known key here; known are every, keep"],
    ["24h", 'backup | "24h" | expected a schedule with every, such as { every: 24h, keep: 7 }'],
  ])("%j is refused", (backup, problem) => {
    expect(backupOf(backup)).toEqual([problem]);
  });
});
