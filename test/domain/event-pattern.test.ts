import { describe, expect, it } from "vitest";
import { matchesPattern, parseEventPattern } from "#domain/event-pattern";
import { noPatterns, patternCases } from "./event-pattern-cases.ts";

function ruleOf(pattern: unknown) {
  const rule = parseEventPattern(pattern);
  if (rule.ok) return rule.value;
  throw new Error(rule.problem.message);
}

const matches = (pattern: object, event: object): boolean => matchesPattern(ruleOf(pattern), { ...event });

describe("an event pattern", () => {
  it.each(patternCases)("means: $because", ({ pattern, matches: meant, others }) => {
    const rule = ruleOf(pattern);

    expect(meant.filter((event) => !matchesPattern(rule, { ...event }))).toEqual([]);
    expect(others.filter((event) => matchesPattern(rule, { ...event }))).toEqual([]);
  });

  it.each([
    ...["prefix", "suffix", "equals-ignore-case", "anything-but", "wildcard", "numeric", "exists", "cidr"],
    ...["=", "<", "<=", ">", ">=", "regex", "not-wildcard", "not-equals-ignore-case", "date-after", "date-on-or-after"],
    ...["date-before", "date-on-or-before", "in-date-range", "ip-address-in-range", "ip-address-not-in-range"],
  ])("has no field called %s among its alternatives", (name) => {
    expect(parseEventPattern({ $or: [{ [name]: ["x"] }, { b: [2] }] })).toMatchObject({
      problem: { message: expect.stringContaining("the name of a comparison can't be a field within $or") as string },
    });
    expect(parseEventPattern({ $or: [{ [`${name}x`]: ["x"] }, { b: [2] }] })).toMatchObject({ ok: true });
  });

  it.each(noPatterns)("is refused: %s", (message, pattern) => {
    expect(parseEventPattern(pattern)).toEqual({ ok: false, problem: { code: "pattern-invalid", message } });
  });

  // JSON writes such numbers in digits: no other reader of patterns is asked about them.
  it.each([
    ["a[1]: Infinity", [1e300, Infinity]],
    ["a[0].anything-but: -Infinity", [{ "anything-but": -Infinity }]],
    ["a[0].numeric[1]: Infinity", [{ numeric: [">", Infinity] }]],
  ])("is refused for its number: %s", (place, a) => {
    const message = `${place}: a number that is too large to be told from others`;

    expect(parseEventPattern({ a })).toEqual({ ok: false, problem: { code: "pattern-invalid", message } });
  });

  it("is refused when its alternatives multiply beyond all measure, or it is nested beyond all measure", () => {
    const either = { $or: [{ a: [1] }, { b: [1] }] };
    const ways = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, either]));
    const deep = Array.from({ length: 100_000 }).reduce<unknown>((inner) => ({ a: inner }), [1]);

    expect(parseEventPattern(ways)).toMatchObject({
      problem: { message: expect.stringContaining("makes 1024 ways to match (expected at most 1000)") as string },
    });
    expect(parseEventPattern(deep)).toMatchObject({
      problem: { message: expect.stringContaining("nested too deeply") as string },
    });
  });

  it("may have as many as a thousand ways, and be a hundred fields deep", () => {
    const oneOfTen = { $or: Array.from({ length: 10 }, (_, index) => ({ a: [index] })) };
    const deep = (fields: number) => Array.from({ length: fields }).reduce<unknown>((inner) => ({ a: inner }), [1]);

    expect(parseEventPattern({ x: oneOfTen, y: oneOfTen, z: oneOfTen }).ok).toBe(true);
    expect(parseEventPattern(deep(101)).ok).toBe(true);
    expect(parseEventPattern(deep(102)).ok).toBe(false);
  });

  it("finds what lies in as many as a hundred arrays", () => {
    const within = (arrays: number) => Array.from({ length: arrays }).reduce<unknown>((inner) => [inner], 1);

    expect(matches({ a: [1] }, { a: within(100) })).toBe(true);
    expect(matches({ a: [1] }, { a: within(101) })).toBe(false);
  });

  it("takes no address of one version for one of the other", () => {
    expect(matches({ a: ["::1"] }, { a: "0.0.0.1" })).toBe(false);
    expect(matches({ a: [{ cidr: "0.0.0.0/0" }] }, { a: "::1" })).toBe(false);
  });

  it("looks into an event however deep it is", () => {
    const deep = Array.from({ length: 100_000 }).reduce<object>((inner) => ({ a: [inner] }), { b: 1 });

    expect(matches({ a: { b: [1] } }, deep)).toBe(false);
    expect(matches({ a: { b: [1] } }, { a: Array.from({ length: 2_000 }, (_, b) => ({ b })) })).toBe(true);
  });

  it("is not led into trying every way to fit a wildcard, or every way to write a text", () => {
    const stars = { a: [{ wildcard: `${"a*".repeat(60)}b` }] };
    const spellings = { a: [{ "equals-ignore-case": "ßS".repeat(60) }] };

    expect(matches(stars, { a: "a".repeat(100_000) })).toBe(false);
    expect(matches(spellings, { a: `${"SS".repeat(1_000)}x` })).toBe(false);
  });

  it("is not led into trying every way to choose among the elements of several arrays", () => {
    const fields = Array.from({ length: 40 }, (_, index) => `f${index}`);
    const pattern = Object.fromEntries(fields.map((name) => [name, { a: [1] }]));
    const event = Object.fromEntries(fields.map((name) => [name, [{ a: 1 }, { a: 1 }]]));

    expect(matches(pattern, event)).toBe(true);
    expect(matches({ ...pattern, last: [1] }, event)).toBe(false);
  });

  it("does not mistake what JavaScript's objects have for members", () => {
    expect(parseEventPattern({ a: [{ constructor: "x" }] })).toMatchObject({ ok: false });
    expect(matches({ a: { toString: [{ exists: true }] } }, { a: {} })).toBe(false);
  });
});
