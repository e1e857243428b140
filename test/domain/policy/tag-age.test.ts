import { describe, expect, it } from "vitest";
import {
  agesFrom,
  firstSighting,
  keptLonger,
  latestFirst,
  newerThanRunning,
  oldEnoughAt,
  seenNow,
  type StoredSighting,
} from "#domain/policy/tag-age";
import { hours, minutes, plus } from "#domain/shared/time";
import { digest, imageName, noon } from "../builders.ts";

const age = hours(72);
const image = (digit: string, tag = "main") => ({ imageName, tag, digest: digest(digit) });
const seen = (digit: string, after: number, tag = "main"): StoredSighting => ({
  ...{ ...image(digit, tag), seenAt: plus(noon, minutes(after)) },
  keptUntil: plus(noon, hours(144)),
});

describe("the sighting of a tag", () => {
  it.each([
    { known: [], seenAt: plus(noon, minutes(9)), because: "nothing was known" },
    { known: [seen("1", 1)], seenAt: plus(noon, minutes(1)), because: "the tag stayed" },
    { known: [seen("2", 1)], seenAt: plus(noon, minutes(9)), because: "the tag came from another digest" },
    { known: [seen("2", 2), seen("1", 1)], seenAt: plus(noon, minutes(9)), because: "the tag came back" },
    { known: [seen("2", 20)], seenAt: plus(noon, minutes(20)) + 1, because: "another clock is ahead" },
  ])("has the instant at which the tag last came to its digest: $because", ({ known, seenAt }) => {
    expect(seenNow(known, image("1"), age, plus(noon, minutes(9)))).toMatchObject({ ...image("1"), seenAt });
  });

  it("keeps the content of a digest that comes back", () => {
    const chart = { ...seen("1", 1), content: "application/vnd.cncf.helm.config.v1+json" };

    expect(seenNow([seen("2", 2), chart], image("1"), age, noon).content).toBe(chart.content);
  });

  it.each([
    { minAge: hours(72), kept: hours(144), because: "twice the age" },
    { minAge: minutes(1), kept: hours(24), because: "at least a day" },
  ])("is kept for $because, and longer while it is needed", ({ minAge, kept }) => {
    const first = firstSighting(image("1"), minAge, noon);
    expect(first.keptUntil).toBe(plus(noon, kept));
    expect(keptLonger(first, minAge, plus(noon, minutes(kept / 240_000)))).toBe(first);

    const later = plus(noon, minutes(kept / 60_000 / 2));
    expect(keptLonger(first, minAge, later)).toEqual({ ...first, keptUntil: plus(later, kept) });
  });

  it("comes after the earlier digests of its tag", () => {
    const all = [seen("1", 1), seen("3", 3), seen("2", 2)];

    expect(latestFirst(all).map((one) => one.digest)).toEqual([digest("3"), digest("2"), digest("1")]);
  });
});

describe("a sighting in the future", () => {
  const later = plus(noon, hours(1));
  const ahead = { ...seen("1", 0), seenAt: plus(noon, hours(12_000)), keptUntil: plus(noon, hours(24_000)) };
  const doubted = { ...ahead, doubtedAt: noon, keptUntil: plus(noon, hours(144)) };

  it("has its age from the instant at which Lookout finds it, and is kept as a new one", () => {
    expect(keptLonger(ahead, age, noon)).toEqual(doubted);
    expect(keptLonger(doubted, age, later)).toBe(doubted);
    expect(agesFrom(ahead, noon)).toBe(noon);
    expect(agesFrom(doubted, later)).toBe(noon);
    expect(oldEnoughAt(doubted, age, later)).toBe(plus(noon, age));
  });

  it("that a clock still further ahead found is found again", () => {
    const byWrongClock = { ...ahead, doubtedAt: plus(noon, hours(24)) };

    expect(agesFrom(byWrongClock, noon)).toBe(noon);
    expect(keptLonger(byWrongClock, age, noon)).toEqual(doubted);
  });

  it("counts itself again when the clock was behind, and is right", () => {
    const known = { ...seen("1", 0), doubtedAt: plus(noon, hours(-24)) };

    expect(agesFrom(known, later)).toBe(noon);
    expect(oldEnoughAt(known, age, later)).toBe(plus(noon, age));
  });

  it("is only found if no difference of clocks explains it", () => {
    const near = { ...seen("1", 5), keptUntil: plus(noon, hours(144)) };

    expect(agesFrom(near, noon)).toBe(near.seenAt);
    expect(keptLonger(near, age, noon)).toBe(near);
  });

  it("stays before the next digest of its tag, whose age begins now", () => {
    expect(seenNow([doubted], image("2"), age, later)).toEqual({
      ...image("2"),
      seenAt: ahead.seenAt + 1,
      doubtedAt: later,
      keptUntil: plus(later, hours(144)),
    });
  });
});

describe("the digests that are newer than the running one", () => {
  const known = [seen("3", 3), seen("2", 2), seen("1", 1)];

  it.each([
    { running: { digests: [digest("1")] }, newer: ["3", "2"], because: "they came later" },
    { running: { digests: [undefined, digest("2")] }, newer: ["3"], because: "the tag was there when it was written" },
    { running: { digests: [digest("3")] }, newer: [], because: "the tag is at the running digest" },
    {
      running: { digests: [digest("8")], writtenAt: plus(noon, minutes(1)) },
      newer: ["3", "2"],
      because: "of the text",
    },
    { running: { digests: [digest("8")] }, newer: [], because: "nothing shows an order" },
  ])("are $newer: $because", ({ running, newer }) => {
    expect(newerThanRunning(known, running).map((one) => one.digest)).toEqual(newer.map(digest));
  });
});
