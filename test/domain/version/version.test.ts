import fc from "fast-check";
import semver from "semver";
import { describe, expect, it } from "vitest";
import { noSuffix } from "#domain/version/suffix";
import { compareVersions, parseVersion, type Version } from "#domain/version/version";
import { fitsRange, range } from "../policy/matchers.ts";

function version(tag: string): Version {
  const parsed = parseVersion(tag);
  if (parsed === undefined) throw new Error(`${tag} is not a version`);
  return parsed;
}

describe("a tag", () => {
  it.each([
    { tag: "1.2.3", parts: [1, 2, 3], because: "three numbers are a version" },
    { tag: "1.27", parts: [1, 27], because: "two are" },
    { tag: "16", parts: [16], because: "one is" },
    { tag: "0.0.0", parts: [0, 0, 0], because: "zero is a number" },
    { tag: "v1.2.3", parts: [1, 2, 3], because: "v is a prefix" },
    { tag: "V1.2.3", parts: [1, 2, 3], because: "V is a prefix" },
    { tag: "version-1.3.0", parts: [1, 3, 0], because: "the longest prefix goes, not its v" },
    { tag: "release-1.3", parts: [1, 3], because: "release- is a prefix" },
    { tag: "1.9.7.4460", parts: [1, 9, 7, 4460], because: "four are" },
    { tag: "1.2.3.4.5.6", parts: [1, 2, 3, 4, 5, 6], because: "six are" },
    { tag: "24.04", parts: [24, 4], because: "a number may be padded" },
    { tag: "2026.02.05", parts: [2026, 2, 5], because: "so may several" },
    { tag: "01.2.00", parts: [1, 2, 0], because: "in any place" },
    { tag: "9007199254740991.0.0", parts: [9_007_199_254_740_991, 0, 0], because: "numbers may be this large" },
  ])("$tag is a version: $because", ({ tag, parts }) => {
    expect(parseVersion(tag)).toEqual({ parts, ...noSuffix, text: tag });
  });

  it.each([
    { tag: "1.2.3-rc.1", prerelease: ["rc", 1], flavour: "", because: "dots join" },
    { tag: "1.2.3-rc1", prerelease: ["rc", 1], flavour: "", because: "so does nothing" },
    { tag: "1.2.3-rc-1", prerelease: ["rc", 1], flavour: "", because: "so does a dash" },
    { tag: "1.2.3-RC1", prerelease: ["rc", 1], flavour: "", because: "the case does not matter" },
    { tag: "1.2.3rc1", prerelease: ["rc", 1], flavour: "", because: "the word may touch the numbers" },
    { tag: "17beta2", prerelease: ["beta", 2], flavour: "", because: "also those of a short version" },
    { tag: "1.2.3-SNAPSHOT", prerelease: ["snapshot"], flavour: "", because: "a word needs no number" },
    ...[
      ...[
        "alpha",
        "beta",
        "canary",
        "cr",
        "dev",
        "ea",
        "eap",
        "m",
        "milestone",
        "next",
        "nightly",
        "pre",
        "prerelease",
      ],
      ...["preview", "rc", "snapshot", "unstable"],
    ].map((word) => ({
      tag: `1.2.3-${word}2`,
      prerelease: [word, 2],
      flavour: "",
      because: "the word announces a release",
    })),
    { tag: "1.2.3-rc01", prerelease: ["rc", 1], flavour: "", because: "a number behind a word may be padded" },
    { tag: "1.2.3-beta.2.gab12", prerelease: ["beta", 2, "gab12"], flavour: "", because: "more may follow dots" },
    { tag: "1.2.3-rc.010", prerelease: ["rc", 10], flavour: "", because: "also behind a dot" },
    { tag: "2024.8.0b1", prerelease: ["beta", 1], flavour: "", because: "as Python's tools write it" },
    { tag: "4.0.0.CR1", prerelease: ["cr", 1], flavour: "", because: "as Java's tools write it" },
    { tag: "2.1.0.Final", prerelease: [], flavour: ".Final", because: "a word behind a dot is a flavour" },
    { tag: "1.2.3-rc1.4", prerelease: ["rc", 1, 4], flavour: "", because: "also behind a number" },
    { tag: "1.2.3-nightly-20240101", prerelease: ["nightly", 20_240_101], flavour: "", because: "a date is a number" },
    { tag: "1.2.3-alpine", prerelease: [], flavour: "alpine", because: "any other word is a flavour" },
    { tag: "1.27-alpine3.19", prerelease: [], flavour: "alpine3.19", because: "a flavour may have dots" },
    { tag: "1.2.3-slim-bookworm", prerelease: [], flavour: "slim-bookworm", because: "and dashes" },
    { tag: "1.2.3-alphabet", prerelease: [], flavour: "alphabet", because: "half a word is none" },
    { tag: "1.2.3-rc1a", prerelease: [], flavour: "rc1a", because: "nothing may follow the number" },
    { tag: "1.2.3-rc.1-alpine", prerelease: ["rc", 1], flavour: "alpine", because: "both may be there" },
    { tag: "1.2.3rc1-slim", prerelease: ["rc", 1], flavour: "slim", because: "both may be there" },
    { tag: "1.2.3-rc-1-alpine", prerelease: ["rc", 1], flavour: "alpine", because: "both may be there" },
    { tag: "1.2.3-rc-alpine", prerelease: ["rc"], flavour: "alpine", because: "both may be there" },
    { tag: "1.2.3-rc-1a", prerelease: ["rc"], flavour: "1a", because: "1a is not its number" },
    { tag: "1.2.3-alpine-rc1", prerelease: [], flavour: "alpine-rc1", because: "a flavour goes on to the end" },
  ])("$tag: $because", ({ tag, prerelease, flavour }) => {
    expect(parseVersion(tag)).toMatchObject({ prerelease, flavour, text: tag });
  });

  it.each([
    { tag: "", because: "it is empty" },
    { tag: "latest", because: "it has no number" },
    { tag: "1.2.3.4.5.6.7", because: "a version has at most six numbers" },
    { tag: "v", because: "the number is missing" },
    { tag: "vv1.2.3", because: "one prefix goes" },
    { tag: "release-v1.2.3", because: "one prefix goes" },
    { tag: "Version-1.2.3", because: "that is no prefix" },
    { tag: "version-", because: "the number is missing" },
    { tag: "1.", because: "a part is missing" },
    { tag: "1..2", because: "a part is missing" },
    { tag: ".1", because: "a part is missing" },
    { tag: "1.2.3.", because: "a part is missing" },
    { tag: "1.x", because: "x is no number" },
    { tag: "9007199254740992.0.0", because: "the number is too large to be told from the next" },
    { tag: "1.2.3-rc.9007199254740992", because: "the number is too large to be told from the next" },
    { tag: "1.2.3-rc9007199254740992", because: "the number is too large to be told from the next" },
    { tag: "1.2.3-rc-9007199254740992", because: "the number is too large to be told from the next" },
    { tag: "1.2.3-", because: "the suffix is missing" },
    { tag: "1.2.3--alpine", because: "the suffix starts with a dash" },
    { tag: "1.2.3-.1", because: "the suffix starts with a dot" },
    { tag: "1.2.3-rc.", because: "an identifier is missing" },
    { tag: "1.2.3-rc..1", because: "an identifier is missing" },
    { tag: "1.2.3-rc.1-", because: "the flavour is missing" },
    { tag: "1.2.3alpine", because: "only a pre-release may touch the numbers" },
    { tag: "1.2.3+build", because: "no tag has a plus" },
    { tag: "1.2.3 ", because: "no tag has a blank" },
    { tag: "1.2.3-é", because: "a tag is ASCII" },
    { tag: "sha-1a2b3c", because: "it has no number in front" },
    { tag: `1.2.3-${"a".repeat(123)}`, because: "no tag has 129 characters" },
  ])("$tag is not a version: $because", ({ tag }) => {
    expect(parseVersion(tag)).toBeUndefined();
  });

  it("of any text is scanned or rejected, without an exception", () => {
    const texts = fc.string({ unit: fc.constantFrom(...Array.from("0129v.-rcalphR_")) });

    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseVersion(text);

        expect(parsed?.text ?? text).toBe(text);
      }),
    );
  });
});

describe("the order of versions", () => {
  it("is semver's, with counted pre-releases and zero for missing parts", () => {
    const ascending = [
      "0.9",
      "1.0.0-alpha",
      "1.0.0-alpha.1",
      "1.0.0-alpha.beta",
      "1.0.0-beta",
      "1.0.0-beta2",
      "1.0.0-beta.11",
      "1.0.0-rc9",
      "1.0.0-RC10",
      "1.0.0",
      "1.0.1",
      "1.2",
      "1.10.0",
      "2",
      "10.0.0",
    ];

    const sorted = [...ascending]
      .reverse()
      .map(version)
      .sort(compareVersions)
      .map(({ text }) => text);

    expect(sorted).toEqual(ascending);
  });

  it("prefers the first text among equal versions", () => {
    const sorted = ["v1.2.3", "1.2.3", "1.2.3-alpine"]
      .map(version)
      .sort(compareVersions)
      .map(({ text }) => text);

    expect(sorted).toEqual(["v1.2.3", "1.2.3-alpine", "1.2.3"]);
  });

  it("is total: antisymmetric, transitive, and zero only for the same tag", () => {
    fc.assert(
      fc.property(versions, versions, versions, (a, b, c) => {
        const order = (x: string, y: string): number => Math.sign(compareVersions(version(x), version(y)));

        expect(order(a, b)).toBe(order(b, a) === 0 ? 0 : -order(b, a));
        expect(order(a, b) === 0).toBe(a === b);
        if (order(a, b) <= 0 && order(b, c) <= 0) expect(order(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it("is npm's, except for the case of a pre-release's word", () => {
    fc.assert(
      fc.property(npmVersions, npmVersions, (a, b) => {
        const expected = semver.compare(foldedWords(a), foldedWords(b));

        if (expected !== 0) expect(Math.sign(compareVersions(version(a), version(b)))).toBe(expected);
      }),
    );
  });
});

describe("a range", () => {
  it.each([
    { text: ">=1.2 <2", takes: ["1.2.0", "1.99.0"], not: ["1.1.9", "2.0.0"], because: "blanks mean and" },
    { text: ">=1.2, <2", takes: ["1.2.0", "1.99.0"], not: ["1.1.9", "2.0.0"], because: "commas mean and" },
    { text: ">=1.2,<2", takes: ["1.2.0"], not: ["2.0.0"], because: "commas mean and without blanks" },
    { text: "=>1.2 =<1.3.0", takes: ["1.2.0", "1.3.0"], not: ["1.3.1"], because: "the signs may be turned round" },
    { text: "^1.2.3", takes: ["1.2.3", "1.9.0"], not: ["1.2.2", "2.0.0"], because: "a caret keeps the first number" },
    { text: "~1.2.3", takes: ["1.2.9"], not: ["1.3.0"], because: "a tilde keeps the second number" },
    { text: "1.x || 3", takes: ["1.5.0", "3.1.0"], not: ["2.0.0"], because: "bars mean or" },
    { text: "1.2 - 1.4", takes: ["1.2.0", "1.4.9"], not: ["1.5.0"], because: "a dash spans" },
    { text: "*", takes: ["0.0.0", "9.9.9"], not: ["1.0.0-rc.1"], because: "a star is any release" },
    { text: "1.2.3", takes: ["1.2.3", "v1.2.3"], not: ["1.2.4"], because: "a version is itself" },
    { text: ">1.2.3", takes: ["1.2.4"], not: ["1.2.3"], because: "above is not equal" },
    { text: "<=1.2.3", takes: ["1.2.3"], not: ["1.2.4"], because: "up to is" },
    { text: "~1.27", takes: ["1.27"], not: ["1.28"], because: "missing parts are zero" },
    { text: ">=1", takes: ["1.2.3-alpine"], not: [], because: "a flavour does not count" },
    {
      text: ">=1.2.3-rc.2",
      takes: ["1.2.3-rc.2", "1.2.3-rc10", "1.2.3"],
      not: ["1.2.3-rc.1", "1.3.0-rc.1"],
      because: "a named pre-release lets in those of its own version",
    },
    {
      text: ">=1.2.3-rc9",
      takes: ["1.2.3-rc.10"],
      not: ["1.2.3-rc.8"],
      because: "numbers count in the range as in tags",
    },
    {
      text: "<=1.1.1-SNAPSHOT",
      takes: ["1.1.1-snapshot", "1.1.1-SNAPSHOT", "1.1.1-alpha", "1.1.1-RC.1"],
      not: ["1.1.1-unstable"],
      because: "the case of a word says nothing, in a range too",
    },
    { text: ">2 <1", takes: [], not: ["1.5.0"], because: "nothing is in an empty range" },
  ])("$text: $because", ({ text, takes, not }) => {
    const fitting = [...takes, ...not].filter((tag) => fitsRange(range(text), version(tag), false));

    expect(fitting).toEqual(takes);
  });

  it("accepts pre-releases between its bounds if they are allowed", () => {
    const tags = ["1.0.0-rc.1", "1.5.0-rc.1", "2.0.0-rc.1"];

    expect(tags.filter((tag) => fitsRange(range("1.x"), version(tag), true))).toEqual(["1.0.0-rc.1", "1.5.0-rc.1"]);
  });
});

const small = fc.constantFrom("0", "1", "2", "10");
const npmPrerelease = fc.constantFrom("", "", "-rc.1", "-RC.2", "-rc.10", "-beta", "-Beta", "-SNAPSHOT", "-alpha.1.x");
/**
 * A version or a range as npm would have to be given it: words of pre-releases are the same in any
 * case, and npm sorts capitals first.
 */
const foldedWords = (text: string): string => text.replaceAll(/-[A-Za-z]+/g, (word) => word.toLowerCase());
const npmVersions = fc.tuple(small, small, small, npmPrerelease).map(([a, b, c, pre]) => `${a}.${b}.${c}${pre}`);
const versions = fc
  .tuple(
    fc.constantFrom("", "v"),
    fc.array(small, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(".")),
    fc.constantFrom("", "-rc1", "-rc.1", "-rc.2", "-beta", "-RC10"),
    fc.constantFrom("", "-alpine", "-slim"),
  )
  .map((parts) => parts.join(""));
