import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareDecimals, parseDecimal } from "#domain/policy/decimal";

const sign = (one: string, other: string): number =>
  Math.sign(compareDecimals(parseDecimal(one)!, parseDecimal(other)!));

describe("a decimal number", () => {
  it.each([
    "",
    ".",
    "1.",
    ".5",
    "1e5",
    "12e4567",
    "0x1f",
    "inf",
    "NaN",
    "1_000",
    "1,5",
    "--1",
    " 1",
    "1 ",
    "1.2.3",
    "é",
  ])("rejects %j", (text) => {
    expect(parseDecimal(text)).toBeUndefined();
  });

  it.each([
    ["9", "10"],
    ["-10", "-9"],
    ["-0.1", "0"],
    ["1.05", "1.5"],
    ["1.5", "1.51"],
    ["-1.51", "-1.5"],
    ["0.9", "1"],
    ["20240101123456789012", "20240101123456789013"],
  ])("%s is lower than %s", (low, high) => {
    expect([sign(low, high), sign(high, low)]).toEqual([-1, 1]);
  });

  it.each([
    ["1", "001"],
    ["1", "+1"],
    ["1.5", "1.500"],
    ["0", "-0.0"],
    ["7.0", "7"],
  ])("%s is the number %s", (one, other) => {
    expect([sign(one, other), sign(other, one)]).toEqual([0, 0]);
  });

  it("has the order of numbers", () => {
    const numbers = fc
      .tuple(fc.integer({ min: -2_000, max: 2_000 }), fc.nat({ max: 99 }))
      .map(([whole, part]) => `${whole}.${part}`);

    fc.assert(
      fc.property(numbers, numbers, (one, other) => {
        expect(sign(one, other)).toBe(Math.sign(Number(one) - Number(other)));
      }),
    );
  });
});
