import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isSweepDue, scanRulesOf, shortestOf } from "#domain/registry/sweeps";
import { epochMs, hours, minutes, plus, seconds } from "#domain/shared/time";

const usual = scanRulesOf("registry.test", []);
const noon = epochMs(Date.parse("2026-11-21T12:00:30Z"));

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

  it("is not below minInterval, and without annotations the defaultInterval, of all entries of the registry", () => {
    const entries = [
      { host: "registry.test", aliases: ["pull.test"], scan: { minInterval: minutes(10) } },
      { host: "registry.test", scan: { defaultInterval: minutes(30) } },
      { host: "other.test", scan: { minInterval: hours(1) } },
    ];
    const rules = scanRulesOf("registry.test", entries);

    expect(rules).toEqual({ minInterval: minutes(10), defaultInterval: minutes(30) });
    expect(shortestOf([minutes(2)], rules)).toBe(minutes(10));
    expect(isSweepDue({ sweptAt: noon, interval: minutes(2) }, rules, plus(noon, minutes(9)))).toBe(false);
    expect(isSweepDue({ sweptAt: noon, interval: minutes(2) }, rules, plus(noon, minutes(10)))).toBe(true);
    expect(isSweepDue({ sweptAt: noon }, rules, plus(noon, minutes(10)))).toBe(false);
  });
});

describe("a repository", () => {
  it.each([
    { swept: undefined, interval: undefined, due: true, because: "it was never swept" },
    { swept: minutes(-1), interval: undefined, due: true, because: "the clock was set back since" },
    { swept: minutes(4), interval: undefined, due: false, because: "the default is five minutes" },
    { swept: minutes(5), interval: undefined, due: true, because: "the default is five minutes" },
    { swept: minutes(7), interval: undefined, due: false, because: "its sweep is queued, and comes late" },
    { swept: minutes(10), interval: undefined, due: true, because: "it is queued once more after an interval" },
    { swept: minutes(1), interval: minutes(1), due: true, because: "it asks for each minute" },
    { swept: seconds(1), interval: minutes(1), due: false, because: "it was swept in this minute" },
    { swept: minutes(59), interval: hours(1), due: false, because: "it asks for an hour" },
    { swept: minutes(61), interval: hours(1), due: true, because: "no tick fell into the minute before" },
  ])("swept $swept ms ago that asks for $interval is due: $due, because $because", ({ swept, interval, due }) => {
    const state = {
      ...(swept === undefined ? {} : { sweptAt: epochMs(noon - swept) }),
      ...(interval === undefined ? {} : { interval }),
    };

    expect(isSweepDue(state, usual, noon)).toBe(due);
  });

  it("is swept at least as often as it asks and a minute and a half, whatever the ticks jitter, and not twice in one", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 90 }),
        fc.integer({ min: 0, max: 59_999 }),
        fc.array(fc.integer({ min: -10_000, max: 10_000 }), { minLength: 200, maxLength: 200 }),
        (every, offset, jitters) => {
          const interval = minutes(every);
          let sweptAt = noon;
          for (const [index, jitter] of jitters.entries()) {
            const tick = plus(noon, minutes(index + 1));
            const now = epochMs(tick + offset + jitter);
            if (!isSweepDue({ sweptAt, interval }, usual, now)) {
              expect(now - sweptAt).toBeLessThan(interval + minutes(1) + seconds(20));
              continue;
            }
            expect(now - sweptAt).toBeGreaterThan(interval - minutes(1));
            sweptAt = now;
          }
        },
      ),
    );
  });
});
