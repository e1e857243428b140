import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "#domain/shared/duration";
import { durationMs } from "#domain/shared/time";

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;

describe("a written duration", () => {
  it.each([
    { text: "10m", ms: 10 * MINUTE, because: "m is minutes" },
    { text: "1h30m", ms: 90 * MINUTE, because: "terms are added" },
    { text: "30m1h", ms: 90 * MINUTE, because: "their order does not matter" },
    { text: "90s", ms: 90_000, because: "a term may exceed the next unit" },
    { text: "2d", ms: 2 * DAY, because: "a day has 24 hours" },
    { text: "1d12h", ms: 1.5 * DAY, because: "days mix with the rest" },
    { text: "1.5h", ms: 90 * MINUTE, because: "a term may be a fraction" },
    { text: "1.1h", ms: 66 * MINUTE, because: "fractions are exact" },
    { text: ".5h", ms: 30 * MINUTE, because: "the whole part may be left out" },
    { text: "1.h", ms: HOUR, because: "the fraction may be left out" },
    { text: "+5m", ms: 5 * MINUTE, because: "a plus changes nothing" },
    { text: "0", ms: 0, because: "zero needs no unit" },
    { text: "+0", ms: 0, because: "even with a plus" },
    { text: "0s", ms: 0, because: "zero may have one" },
    { text: "250ms", ms: 250, because: "ms is milliseconds" },
    { text: "1500us", ms: 2, because: "what is finer is rounded up" },
    { text: "1500µs", ms: 2, because: "µ is the micro sign" },
    { text: "1500μs", ms: 2, because: "μ is the Greek letter" },
    { text: "1ns", ms: 1, because: "no wait becomes none" },
    { text: "1000000ns", ms: 1, because: "a whole millisecond is not rounded" },
    { text: "0000000000000000000000001h", ms: HOUR, because: "leading zeros do not count" },
    { text: "0.00000000000000000000000001h", ms: 0, because: "Go cuts below the nanosecond" },
    { text: "2562047h", ms: 2_562_047 * HOUR, because: "292 years is the longest" },
    { text: "9223372036854775807ns", ms: 9_223_372_036_855, because: "that is, in nanoseconds" },
  ])("accepts $text: $because", ({ text, ms }) => {
    expect(parseDuration(text)).toEqual({ ok: true, value: ms });
  });

  it.each([
    { text: "", why: "it is empty" },
    { text: "-5m", why: "it is negative" },
    { text: "10", why: '"10" has no unit' },
    { text: "1h30", why: '"30" has no unit' },
    { text: "m", why: "a number is missing" },
    { text: ".h", why: "a number is missing" },
    { text: "+", why: "a number is missing" },
    { text: "1.5.5h", why: '"1.5" has no unit' },
    { text: "10 m", why: '" m" is not a unit' },
    { text: "10m ", why: '"m " is not a unit' },
    { text: "1w", why: '"w" is not a unit' },
    { text: "1H", why: '"H" is not a unit' },
    { text: "5m-1s", why: '"m-" is not a unit' },
    { text: "2562048h", why: "it is longer than 292 years" },
    { text: "9223372036854775808ns", why: "it is longer than 292 years" },
    { text: "99999999999999999999h", why: "it is longer than 292 years" },
    { text: "2562047h2562047h", why: "it is longer than 292 years" },
  ])('rejects "$text": $why', ({ text, why }) => {
    expect(parseDuration(text)).toEqual({
      ok: false,
      problem: `"${text}": not a duration: ${why} (expected for example 10m, 1h30m or 2d)`,
    });
  });

  it("is the sum of its terms", () => {
    const count = fc.nat({ max: 1_000 });

    fc.assert(
      fc.property(count, count, count, count, (d, h, m, s) => {
        const value = d * DAY + h * HOUR + m * MINUTE + s * 1_000;

        expect(parseDuration(`${d}d${h}h${m}m${s}s`)).toEqual({ ok: true, value });
      }),
    );
  });

  it("is never negative and never a fraction", () => {
    const text = fc.string({ unit: fc.constantFrom(...Array.from("0159.hmsudn+- µ")) });

    fc.assert(
      fc.property(text, (written) => {
        const parsed = parseDuration(written);

        return !parsed.ok || (Number.isSafeInteger(parsed.value) && parsed.value >= 0);
      }),
    );
  });
});

describe("a shown duration", () => {
  it.each([
    { ms: 2 * DAY, text: "2d" },
    { ms: DAY + HOUR + MINUTE + 1_000, text: "1d1h1m1s" },
    { ms: 90 * MINUTE, text: "1h30m" },
    { ms: 23 * HOUR + 59 * MINUTE + 59_000, text: "23h59m59s" },
    { ms: 36 * HOUR, text: "1d12h" },
    { ms: 90_999, text: "1m30s" },
    { ms: 999, text: "0s" },
    { ms: 0, text: "0s" },
  ])("is $text for $ms milliseconds", ({ ms, text }) => {
    expect(formatDuration(durationMs(ms))).toBe(text);
  });

  it("parses to itself, in whole seconds", () => {
    fc.assert(
      fc.property(fc.nat({ max: 400 * 86_400 }), (seconds) => {
        const value = durationMs(seconds * 1_000);

        expect(parseDuration(formatDuration(value))).toEqual({ ok: true, value });
      }),
    );
  });
});
