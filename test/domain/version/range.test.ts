import { describe, expect, it } from "vitest";
import { parseVersion } from "#domain/version/version";
import { mayTake, parseRange } from "#domain/version/range";
import { fitsRange, range } from "../policy/matchers.ts";

describe("a range", () => {
  it.each([
    { text: "<2.0.0", tag: "2.0.0", fits: false, because: "the bound itself is outside" },
    { text: "<2.0.0", tag: "1.9.9", fits: true, because: "it is below the bound" },
    { text: "<2.0.0", tag: "2.0.0-rc.1", fits: false, because: "the bound names no candidate of 2.0.0" },
    { text: "<2.0.0-rc.2", tag: "2.0.0-rc.1", fits: true, because: "the bound names a candidate of 2.0.0" },
    { text: "1.x - 2.x", tag: "2.9.0", fits: true, because: "a dash between blanks joins two" },
    { text: "1.2.0 || 2.0.0-rc.x-1", tag: "1.2.0", fits: true, because: "what looks like a span is in the suffix" },
    { text: "1.x", tag: "1.0.0-rc.1", fits: false, because: "the range names no candidate at all" },
    { text: "<2.0.0-rc.2 || <1.0.0", tag: "0.9.0", fits: true, because: "one of two is enough" },
    { text: ">=1.3.0-alpine", tag: "1.3.0-alpine", fits: true, because: "the bound is of the release" },
    { text: "1.3.0-alpine", tag: "1.3.0-alpine", fits: true, because: "a tag is itself" },
    { text: "<=1.3.0-alpine", tag: "1.3.0-alpine", fits: true, because: "up to is not below" },
    { text: "<1.3.0-alpine", tag: "1.3.0-alpine", fits: false, because: "below is not up to" },
    { text: ">=1.3.0-alpine", tag: "1.3.0-rc.1-alpine", fits: false, because: "a flavour is no pre-release" },
    { text: "^1.3.0-alpine", tag: "1.3.0-rc.1-alpine", fits: false, because: "a flavour is no pre-release" },
    { text: "^1.3.0-alpine", tag: "1.4.0-alpine", fits: true, because: "the caret spans on" },
    { text: "^1.3.0-alpine", tag: "1.4.0", fits: false, because: "it is not of that flavour" },
    { text: ">=1.3.0-alpine", tag: "1.4.0-alpine3.19", fits: false, because: "it is not of that flavour either" },
    { text: ">=1.3.0-slim || >=2.0.0-alpine", tag: "2.1.0-alpine", fits: true, because: "one of two is enough" },
    { text: "1.3.0-alpine - 1.5", tag: "1.5.2-alpine", fits: true, because: "one end may name it" },
    { text: ">=1.3.0-alpine", tag: "1.3.0", fits: false, because: "it is not of that flavour" },
    { text: ">=1.3.0-1", tag: "1.3.0-rc.1", fits: false, because: "a number alone is a flavour, as in tags" },
    { text: ">=1.3.0-0", tag: "1.3.0-rc.1", fits: true, because: "0 is the first pre-release of all" },
    { text: ">=1.3.0-0", tag: "1.4.0-alpine", fits: true, because: "and no flavour" },
    { text: ">=1.3.0-rc.2-alpine", tag: "1.3.0-rc.2-alpine", fits: true, because: "both may be named" },
    { text: ">=1.3.0-rc.2-alpine", tag: "1.3.0-rc.1-alpine", fits: false, because: "the candidate counts" },
    { text: ">=1.3.0-rc.2-alpine", tag: "1.3.0-rc.2", fits: false, because: "so does the flavour" },
    { text: ">=1.3.0-rc9007199254740992", tag: "1.3.0", fits: true, because: "what is neither stands for itself" },
    {
      text: "<1.3.0-rc.9007199254740992",
      tag: "1.3.0-rc.1",
      fits: true,
      because: "which is above what begins like it",
    },
    { text: ">*", tag: "1.0.0", fits: false, because: "nothing is above every version" },
    { text: "<x", tag: "0.0.0", fits: false, because: "nothing is below every version" },
    { text: ">=* <=x", tag: "0.0.0", fits: true, because: "up to and from any version is any" },
    { text: "1.x || >=1.0.0-rc.1", tag: "1.0.0-rc.2", fits: true, because: "one of two names a candidate" },
    {
      text: "* || >=1.0.0-rc.1",
      tag: "1.0.0-rc.2",
      fits: false,
      because: "npm asks no other where one takes any release",
    },
    { text: ">=0 || >=1.0.0-rc.1", tag: "1.0.0-rc.2", fits: false, because: "from zero on is any release" },
    { text: "<0.0.0 || >=1.0.0-rc.1", tag: "1.0.0-rc.2", fits: true, because: "below zero is none" },
    { text: ">1.2", tag: "1.3.0", fits: true, because: "it is above all that begin like it" },
    { text: ">1.2", tag: "1.2.9", fits: false, because: "it begins like it" },
    { text: ">=0.0.0-rc.1 || >=1.0.0-rc.1", tag: "1.0.0-rc.2", fits: true, because: "with a suffix it is no more" },
    { text: ">=0.0.0-alpine || >=1.0.0-rc.1", tag: "1.0.0-rc.2", fits: true, because: "nor with a flavour" },
    { text: ">=1.1.0 || >=2.0.0-rc.1", tag: "2.0.0-rc.2", fits: true, because: "nor from another number on" },
    { text: ">=0 <=0.0.0-rc.2", tag: "0.0.0-rc.1", fits: true, because: "from zero on limits nothing, as npm has it" },
  ])("$text and $tag: $because", ({ text, tag, fits }) => {
    const version = parseVersion(tag);
    if (version === undefined) throw new Error(`${tag} is not a version`);

    expect(fitsRange(range(text), version, false)).toBe(fits);
  });

  it.each([
    { text: "1.2.3 - 2", tag: "1.2.3-rc.1", fits: true, because: "a span begins at the first candidate" },
    { text: "1.2.3-rc.2 - 2", tag: "1.2.3-rc.1", fits: false, because: "unless it names a later one" },
    { text: "1.2.3-rc.2 - 2", tag: "1.2.3-rc.2", fits: true, because: "which is within" },
    { text: ">=1.2.3", tag: "1.2.3-rc.1", fits: false, because: "a bound does not" },
    { text: ">=1.2", tag: "1.2.0-rc.1", fits: true, because: "one of two numbers does" },
    { text: ">1.2", tag: "1.3.0-rc.1", fits: true, because: "also above them" },
    { text: "* || >=1.0.0", tag: "0.9.0-rc.1", fits: true, because: "a star is any version" },
  ])("$text and $tag, with pre-releases allowed: $because", ({ text, tag, fits }) => {
    const version = parseVersion(tag);
    if (version === undefined) throw new Error(`${tag} is not a version`);

    expect(fitsRange(range(text), version, true)).toBe(fits);
  });

  it.each([
    { numbers: [1, 9, 0], may: true, because: "they are within" },
    { numbers: [2, 0, 0], may: true, because: "a suffix may be below the end" },
    { numbers: [2, 0, 1], may: false, because: "they are above the end" },
    { numbers: [1, 1, 9], may: false, because: "they are below the beginning" },
    { numbers: [3, 0, 0], may: true, because: "one of two is enough" },
  ])("of >=1.2 <2 || 3.0.0 may accept the numbers $numbers: $may, for $because", ({ numbers, may }) => {
    const [major = 0, minor = 0, patch = 0] = numbers;

    expect(mayTake(range(">=1.2 <2 || 3.0.0"), { major, minor, patch }, false)).toBe(may);
  });

  it.each([
    { text: ">>1", why: "character 2" },
    { text: "latest", why: "character 1" },
    { text: "!=1", why: "character 1" },
    { text: "~1 foo", why: "character 4" },
    { text: "^1 || ^x.y", why: "character 9" },
    { text: "1.2.3.4", why: "character 6" },
    { text: ">=1; <2", why: "character 4" },
    { text: ">=1 <", why: "character 6" },
    { text: ">=1.2.99999999999999999999", why: "character 7" },
    { text: "1.x.04", why: "character 5" },
    { text: "1.x.x-alpine", why: "character 6: a suffix needs three numbers before it" },
    { text: ">=1.3.0 || ~1.4.X-rc.1", why: "character 18: a suffix needs three numbers before it" },
    { text: "1.x-rc.01", why: "character 4: a suffix needs three numbers before it" },
    { text: "v*+4", why: "character 3: a suffix needs three numbers before it" },
    { text: "^1 ||", why: "character 5" },
    { text: " , ", why: "character 2: one side of the comma is empty" },
    { text: "1.2+b", why: "character 4: a suffix needs three numbers before it" },
    { text: "1.x.x+b+c", why: "character 8" },
    { text: ">=9007199254740992", why: "character 3" },
    { text: "=1.2 - 2", why: "character 6" },
    { text: `1 ^1.2.3-${"a".repeat(251)}`, why: "character 1: a version is longer than npm's limit" },
    { text: "||1.x", why: "character 1" },
    { text: ">=1,", why: "character 4: one side of the comma is empty" },
    { text: ">=1.2 , ", why: "character 7: one side of the comma is empty" },
    { text: ",<2", why: "character 1: one side of the comma is empty" },
    { text: ">=1.2,,<2", why: "character 6: one side of the comma is empty" },
    { text: ">=1.2 || ,<2", why: "character 10: one side of the comma is empty" },
    { text: "<,2", why: "character 2" },
    { text: "1,-,2", why: "character 3" },
    { text: "1 -,2", why: "character 3" },
    { text: "^1, || ^2", why: "character 3: one side of the comma is empty" },
    { text: "1.x || ", why: "character 6" },
    { text: ">=12.3.4.5", why: "character 9" },
    { text: "1.2.34.5", why: "character 7" },
    { text: "1.2.3-rc.1_x", why: "character 11" },
    { text: ">=1.2.3 || ^2.0.0-beta..1", why: "character 23" },
    { text: ">=1.2.3 <99999999999999999999", why: "character 10" },
    { text: ">= 1.2 < 2.0.0.0", why: "character 15" },
    { text: "1.2 - 1.4 - 2", why: "character 11" },
    { text: "1 || 2 -", why: "character 8" },
    { text: "1.2 | 2", why: "character 5" },
    { text: "1 || || 2", why: "character 4" },
    { text: "😀", why: "character 1" },
    { text: "1 😀2 || 1;", why: "character 3" },
  ])('"$text" is rejected: $why', ({ text, why }) => {
    expect(parseRange(text)).toEqual({
      ok: false,
      problem: { code: "range-invalid", message: `"${text}": not a range (${why})` },
    });
  });

  it.each(["", "   ", "||", " || ||"])("%j accepts any release, as in npm", (text) => {
    expect(parseRange(text)).toEqual({
      ok: true,
      value: { text, namesFirstPrerelease: false, releases: [[]], prereleases: [[]] },
    });
  });

  it.each([
    ["1.2.x+build", "1.2.x"],
    ["~1.x+build.5", "~1"],
    [">=1.X.*+b <2.0.0+b-2", ">=1 <2.0.0"],
  ])("%s is %s, because build metadata does not count", (text, same) => {
    expect(range(text)).toEqual({ ...range(same), text });
  });

  it("may have a comma beside a hyphen range", () => {
    expect(range("1.2 - 2, <1.5 || 3")).toEqual({ ...range(">=1.2 <3.0.0-0 <1.5 || 3"), text: "1.2 - 2, <1.5 || 3" });
  });

  it("is rejected when it is too long", () => {
    expect(parseRange("1 ".repeat(501))).toEqual({
      ok: false,
      problem: {
        code: "range-invalid",
        message: `"${"1 ".repeat(20)}…": not a range (longer than 1000 characters)`,
      },
    });
  });

  it("may have a thousand characters", () => {
    expect(parseRange("1".padEnd(1_000)).ok).toBe(true);
  });
});
