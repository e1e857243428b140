import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScanRules } from "#domain/registry/rules";
import { isSweepDue, isSweepReplaced, nextSweepAt, scanRulesOf, shortestOf, type Swept } from "#domain/registry/sweeps";
import { durationMs, epochMs, hours, minutes, plus, seconds } from "#domain/shared/time";

const usual = scanRulesOf("registry.test", []);
const noon = epochMs(Date.parse("2026-11-21T12:00:30Z"));
const unswept: Swept = { registry: "registry.test", repository: "shop/api" };
const swept: Swept = { ...unswept, firstSweptAt: epochMs(0) };
/** A minute in which it is due. */
const minute = nextSweepAt(swept, usual, noon) ?? noon;

describe("the interval of a repository", () => {
  it.each([
    { wanted: [], gets: undefined, because: "nobody asks for one" },
    { wanted: [undefined], gets: undefined, because: "the default needs no annotation" },
    { wanted: [minutes(5)], gets: undefined, because: "it is the default" },
    { wanted: [minutes(2), hours(1)], gets: minutes(2), because: "the shortest wins" },
    { wanted: [minutes(2), undefined], gets: minutes(2), because: "it is shorter than the default" },
    { wanted: [hours(1)], gets: hours(1), because: "all may wait" },
    { wanted: [hours(1), undefined], gets: undefined, because: "one without an annotation has the default" },
    { wanted: [seconds(1)], gets: minutes(1), because: "a minute is the least" },
  ])("is $gets ms for $wanted, because $because", ({ wanted, gets }) => {
    expect(shortestOf(wanted, usual)).toBe(gets);
  });

  it("is at least minInterval, and defaultInterval without annotations, of all entries", () => {
    const entries = [
      { host: "registry.test", aliases: ["pull.test"], scan: { minInterval: minutes(10) } },
      { host: "registry.test", scan: { defaultInterval: minutes(30) } },
      { host: "other.test", scan: { minInterval: hours(1) } },
    ];
    const rules = scanRulesOf("registry.test", entries);

    expect(rules).toEqual({ minInterval: minutes(10), defaultInterval: minutes(30) });
    expect(shortestOf([minutes(2)], rules)).toBe(minutes(10));
    expect(gapOf({ interval: minutes(2) }, rules)).toBe(minutes(10));
    expect(gapOf({}, rules)).toBe(minutes(30));
  });
});

describe("a repository whose registry asked for a pause", () => {
  const until = plus(minute, minutes(2));
  const paused: Swept = { ...swept, problem: { until } };

  it.each([
    { now: plus(minute, seconds(119)), due: false },
    { now: until, due: true },
    { now: plus(minute, seconds(150)), due: true },
    { now: plus(minute, minutes(3)), due: false },
  ])("is due once, at the first tick after the pause: $due", ({ now, due }) => {
    const lastTick = plus(now, minutes(-1));

    expect(isSweepDue(paused, usual, { lastTick, now })).toBe(due);
  });

  it("is swept next in the first minute after the pause", () => {
    const long: Swept = { ...swept, problem: { until: plus(minute, seconds(61)) } };

    expect(nextSweepAt(long, usual, minute)).toBe(plus(minute, minutes(2)));
    expect(nextSweepAt(long, usual, plus(minute, minutes(2)))).toBe(plus(minute, minutes(5)));
  });
});

describe("a repository", () => {
  it.each([
    { last: minutes(1), at: minutes(-1), due: false, because: "its minute comes later" },
    { last: minutes(1), at: minutes(0), due: true, because: "its minute has begun" },
    { last: seconds(20), at: seconds(40), due: false, because: "the tick before was in the same minute" },
    { last: minutes(3), at: minutes(2), due: true, because: "no tick fell into its minute" },
    { last: minutes(600), at: minutes(2), due: true, because: "Lookout stood still for hours" },
    { last: minutes(-600), at: minutes(0), due: true, because: "the clock was set back, and its minute is now" },
    { last: minutes(-600), at: minutes(2), due: false, because: "the clock was set back" },
    { last: undefined, at: minutes(0), due: true, because: "it is the first tick, in its minute" },
    { last: undefined, at: minutes(2), due: false, because: "it is the first tick" },
  ])("is due: $due, because $because", ({ last, at, due }) => {
    const now = plus(minute, durationMs(at));
    const lastTick = last === undefined ? undefined : epochMs(now - last);

    expect(isSweepDue(swept, usual, { lastTick, now })).toBe(due);
  });

  it("without a sweep is due at each tick", () => {
    expect(isSweepDue(unswept, usual, { lastTick: noon, now: noon })).toBe(true);
    expect(nextSweepAt(unswept, usual, noon)).toBeUndefined();
  });

  it("has its own minute: a hundred are spread over the interval", () => {
    const all = Array.from({ length: 100 }, (_, index) => ({ ...swept, repository: `shop/app-${String(index)}` }));
    const perMinute = [0, 1, 2, 3, 4].map((after) => {
      const now = plus(noon, minutes(after));
      return all.filter((one) => isSweepDue(one, usual, { lastTick: epochMs(now - minutes(1)), now })).length;
    });

    expect(perMinute).toEqual([17, 16, 19, 16, 32]);
  });

  it("with an interval of a day is swept again five minutes after a failed sweep", () => {
    expect(gapOf({ interval: hours(24) }, usual)).toBe(hours(24));
    expect(gapOf({ interval: hours(24), problem: {} }, usual)).toBe(minutes(5));
    expect(gapOf({ interval: minutes(2), problem: {} }, usual)).toBe(minutes(2));
  });

  it("is swept once an interval despite jitter and lost ticks", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 0, max: 59_999 }),
        fc.array(fc.record({ jitter: fc.integer({ min: -10_000, max: 10_000 }), isLost: fc.boolean() }), {
          minLength: 40,
          maxLength: 40,
        }),
        (every, offset, ticks) => {
          const one = { ...swept, interval: minutes(every) };
          let lastTick = noon;
          let next = nextSweepAt(one, usual, noon);
          for (const [index, { jitter, isLost }] of ticks.entries()) {
            if (isLost) continue;
            const now = epochMs(noon + minutes(index + 1) + offset + jitter);
            expect(isSweepDue(one, usual, { lastTick, now })).toBe(now >= (next ?? 0));
            lastTick = now;
            next = nextSweepAt(one, usual, now);
          }
        },
      ),
    );
  });
});

describe("a queued sweep", () => {
  it.each([
    { has: swept, waited: minutes(4), replaced: false, because: "the next is not due" },
    { has: swept, waited: minutes(5), replaced: true, because: "the next is queued as well" },
    { has: { ...swept, interval: hours(1) }, waited: minutes(59), replaced: false, because: "it asks for an hour" },
    { has: swept, waited: minutes(-60), replaced: false, because: "the clock was set back since" },
    { has: { ...swept, firstSweptAt: noon }, waited: minutes(1), replaced: true, because: "the first has ended since" },
    { has: unswept, waited: minutes(1), replaced: false, because: "it is the first" },
  ])("that waited $waited ms is replaced: $replaced, because $because", ({ has, waited, replaced }) => {
    expect(isSweepReplaced(has, usual, epochMs(noon - waited), noon)).toBe(replaced);
  });
});

/** Returns the time from one sweep to the next. */
function gapOf(has: Partial<Swept>, rules: ScanRules): number {
  const one = { ...swept, ...has };
  const first = nextSweepAt(one, rules, noon) ?? noon;
  return (nextSweepAt(one, rules, first) ?? first) - first;
}
