import { describe, expect, it } from "vitest";
import { hours, minutes, plus } from "#domain/shared/time";
import { limitAgain, type LimitedDigest } from "#domain/workload/pull-limit";
import { withoutDigests } from "#domain/workload/repository-digest";
import { aChange, aNewerChange, digest, imageName, noon } from "../builders.ts";

const limited = (times: number, until = noon): LimitedDigest => ({
  imageName,
  digest: digest("1"),
  tag: "1.1.0",
  reason: "pull-limited",
  times,
  until,
});

describe("a digest whose pulls a registry limits", () => {
  it.each([
    { before: [], times: 1, pause: minutes(15) },
    { before: [limited(1)], times: 2, pause: minutes(30) },
    { before: [limited(2)], times: 3, pause: hours(1) },
    { before: [limited(4)], times: 5, pause: hours(4) },
    { before: [limited(5)], times: 6, pause: hours(6) },
    { before: [limited(5_000)], times: 5_001, pause: hours(6) },
  ])("is tried again after $pause ms at time $times", ({ before, times, pause }) => {
    expect(limitAgain(before, [aChange()], "pull-limited", noon)).toEqual([limited(times, plus(noon, pause))]);
  });

  it("is the newest of several", () => {
    const other = { ...limited(3), digest: digest("9") };
    const sameOfAnother = { ...limited(2), imageName: "registry.test/shop/web" } as LimitedDigest;

    expect(limitAgain([limited(1), other, sameOfAnother], [aChange(), aNewerChange()], "pull-limited", noon)).toEqual([
      other,
      sameOfAnother,
      limited(2, plus(noon, minutes(30))),
      { ...limited(1, plus(noon, minutes(15))), digest: digest("2"), tag: "1.2.0" },
    ]);
  });

  it("is limited no more when it runs", () => {
    const other = { ...limited(1), digest: digest("9") };

    expect(withoutDigests([limited(2), other], [aChange()])).toEqual([other]);
    expect(withoutDigests([limited(2)], [aChange()])).toBeUndefined();
    expect(withoutDigests(undefined, [aChange()])).toBeUndefined();
  });
});
