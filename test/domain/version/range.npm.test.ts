import fc from "fast-check";
import semver from "semver";
import { describe, expect, it } from "vitest";
import { parseVersion, type Version } from "#domain/version/version";
import { mayTake, parseRange } from "#domain/version/range";
import { fitsRange, range } from "../policy/matchers.ts";

const number = fc.constantFrom("0", "0", "1", "2", "10");
const suffix = fc.constantFrom(
  "",
  "",
  "",
  "-rc.1",
  "-RC.2",
  "-rc.10",
  "-beta",
  "-Beta",
  "-SNAPSHOT",
  "-alpha.1.x",
  "-0",
);
const anyX = fc.constantFrom("x", "X", "*");

const whole = fc.tuple(number, number, number, suffix).map(([a, b, c, behind]) => `${a}.${b}.${c}${behind}`);
/** Numbers, and then nothing, or an x in place of each of the others. */
const partial = fc
  .tuple(fc.array(number, { maxLength: 2 }), fc.array(anyX, { maxLength: 3 }))
  .filter(([numbers, rest]) => numbers.length + rest.length > 0)
  .map(([numbers, rest]) => [...numbers, ...rest].slice(0, 3).join("."));
const version = fc.tuple(fc.constantFrom("", "", "v"), fc.oneof(whole, partial)).map((texts) => texts.join(""));

const sign = fc.constantFrom("", "", "=", ">", "<", ">=", "<=", "^", "~", "~>", "~=", "^=", ">= ", "< ", "^ ", "~ ");
const comparison = fc.tuple(sign, version).map((texts) => texts.join(""));
const side = fc.oneof(
  { weight: 3, arbitrary: fc.array(comparison, { minLength: 1, maxLength: 3 }).map((each) => each.join(" ")) },
  { weight: 1, arbitrary: fc.tuple(version, version).map(([from, to]) => `${from} - ${to}`) },
);
const anyRange = fc.array(side, { minLength: 1, maxLength: 3 }).map((sides) => sides.join(" || "));
const anyVersion = fc
  .tuple(
    number,
    number,
    number,
    suffix.filter((text) => text !== "-0"),
  )
  .map(([a, b, c, behind]) => `${a}.${b}.${c}${behind}`);

/**
 * A version or a range as npm would have to be given it: words of pre-releases are the same in any case, and npm sorts capitals first. It
 * also takes `>=v0` for another range than `>=0` where another side names a pre-release.
 */
const forNpm = (text: string): string =>
  text.replaceAll(/-[A-Za-z]+/g, (word) => word.toLowerCase()).replaceAll("v", "");

/** What stands in ranges, in any order. */
const anyText = fc
  .array(
    fc.oneof(
      comparison,
      version,
      fc.constantFrom("<", ">", "=", "~", "^", "-", " - ", " ", ".", "01", "-rc..1", "-rc.01", "-", "+b.1", "+", "foo"),
      fc.constantFrom("9007199254740992", "99999999999999999999", "v", "x", "||"),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((texts) => texts.join(""));

function versionOf(tag: string): Version {
  const parsed = parseVersion(tag);
  if (parsed === undefined) throw new Error(`${tag} is not a version`);
  return parsed;
}

describe("a range of npm", () => {
  it("accepts the same versions as npm, with and without pre-releases", () => {
    fc.assert(
      fc.property(anyRange, anyVersion, fc.boolean(), (text, tag, includePrerelease) => {
        const expected = semver.satisfies(forNpm(tag), forNpm(text), { includePrerelease });

        expect(fitsRange(range(text), versionOf(tag), includePrerelease)).toBe(expected);
      }),
    );
  });

  it("is rejected as npm does, except for a comparator in a hyphen range", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        fc.pre(!/=.* - | - .*=/.test(text));
        const isRead = parseRange(text).ok;

        // Lookout reads zero-padded numbers, and npm rejects them.
        const plain = text
          .replaceAll("=<", "<=")
          .replaceAll("=>", ">=")
          .replaceAll(/(?<![0-9A-UW-Za-uw-z])0+(?=\d)/g, "");
        if (isRead) expect(semver.validRange(plain)).not.toBeNull();
      }),
    );
  });

  it("may accept the numbers of each accepted version", () => {
    fc.assert(
      fc.property(anyRange, anyVersion, fc.boolean(), (text, tag, allowPrerelease) => {
        const [read, version] = [range(text), versionOf(tag)];
        const [major = 0, minor = 0, patch = 0] = version.parts;

        if (fitsRange(read, version, allowPrerelease))
          expect(mayTake(read, { major, minor, patch }, allowPrerelease)).toBe(true);
      }),
    );
  });
});

describe("a mistake that npm ignores in a range", () => {
  it.each([
    { text: "~1.x.3", why: "character 6", because: "a number behind an x limits nothing" },
    { text: "^*.2", why: "character 4", because: "a number behind a star limits nothing" },
    { text: "1.x.3 - 2", why: "character 5", because: "also between dashes" },
    { text: "> =1.2", why: "character 3", because: "it may be meant to be above 1.2, or from it on" },
    { text: "+b", why: "character 1", because: "build metadata by itself limits nothing" },
    { text: ">=1.2 || +b", why: "character 10", because: "nor on one side" },
    { text: "1.2-alpine", why: "character 4: a suffix needs three numbers before it", because: "as npm does" },
    { text: "1.2+b", why: "character 4: a suffix needs three numbers before it", because: "so does build metadata" },
    { text: "==1.2", why: "character 2", because: "npm does not take it of three numbers either" },
    { text: ">=1 - 2", why: "character 5", because: "a sign is at odds with a span" },
    { text: "1 - <2", why: "character 3", because: "at either end" },
    { text: "1 - 2 3", why: "character 3", because: "a span stands by itself" },
    { text: "- 1 2", why: "character 1", because: "its dash stands between" },
    { text: "1.2.3-", why: "character 6", because: "a suffix is not empty" },
    { text: "1.2.3+b+c", why: "character 8", because: "there is one plus at most" },
  ])("$text is rejected: $because", ({ text, why }) => {
    expect(parseRange(text)).toEqual({
      ok: false,
      problem: { code: "range-invalid", message: `"${text}": not a range (${why})` },
    });
  });
});
