import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDecimal } from "#domain/policy/decimal";
import { electTag, type TagPolicy } from "#domain/tag-policy";
import { parseVersion } from "#domain/version";
import { elect } from "./deciding.ts";
import { anyTag } from "./elections.ts";
import { range } from "./matchers.ts";

const any: TagPolicy = { kind: "semver", range: range("*"), allowPrerelease: false };

describe("where what runs looks like a version and is none, the semver policy", () => {
  it.each([
    { runs: "9.1.2.3", because: "four numbers" },
    { runs: "v9.1.2.3", because: "also behind a prefix" },
    { runs: "version-9.1.2.3", because: "of any kind" },
    { runs: "v9_1", because: "one number behind a prefix" },
    { runs: "version-9_1", because: "of any kind" },
    { runs: "RELEASE-9_1", because: "in any case" },
    { runs: "9_1", because: "a number, and what is in no version" },
    { runs: "10hotfix", because: "a number, and letters that announce no release" },
    { runs: "9.x", because: "a number, and no second" },
    { runs: "24.04", because: "a zero in front" },
    { runs: "1.2.3-rc.01", because: "also in the pre-release" },
    { runs: "release_9.1.2", because: "numbers behind an unknown prefix" },
    { runs: "alpine3.19", because: "or a word" },
    { runs: "20240101.03", because: "a date with a number that has a zero in front" },
    { runs: "1a2b3", because: "five hexadecimal digits are few for a commit" },
    { runs: "1f3a9c2x", because: "x is no hexadecimal digit" },
    { runs: "2024-1_5", because: "a month by itself has two digits" },
    { runs: "2024-10-1.9.0", because: "a version behind a date" },
    { runs: "2024-06-15_12.1", because: "or behind a whole one" },
  ])("takes nothing: $runs ($because)", ({ runs, because }) => {
    const wins = "current-tag-not-comparable";

    expect(elect({ runs, tags: ["1.0.0"], wins, because }, any)).toBe(wins);
  });

  it("takes what fits if a downgrade is allowed", () => {
    const one = { runs: "9.1.2.3", tags: ["1.0.0", "1.1.0-alpine", "2.0"], wins: "1.0.0", because: "" };

    expect(elect({ ...one, allowDowngrade: true }, any)).toBe("1.0.0");
  });

  it("says first that no tag fits", () => {
    expect(elect({ runs: "9.1.2.3", tags: ["main"], wins: "", because: "" }, any)).toBe("no-tag-fits");
  });
});

describe("where what runs looks like no version, the semver policy takes what fits the range", () => {
  it.each([
    { runs: "latest", because: "a word" },
    { runs: "main-7", because: "a branch with a number" },
    { runs: "latest-amd64", because: "a word with a number in it" },
    { runs: "1f3a9c2", because: "a commit" },
    { runs: "1F3A9C2", because: "in capitals" },
    { runs: "1f3a9c", because: "a short one" },
    { runs: "0123456", because: "one of digits alone" },
    { runs: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", because: "a whole one" },
    { runs: "1f3a9c2-amd64", because: "one with a platform" },
    { runs: "1f3a9c2_dirty", because: "or another word behind it" },
    { runs: "sha-1f3a9c2", because: "or in front" },
    { runs: "v1f3a9c2", because: "or a letter" },
    { runs: "20240101", because: "a date" },
    { runs: "20240101-1f3a9c2", because: "with a commit" },
    { runs: "20240101_1200", because: "or a time" },
    { runs: "20240115T101010", because: "in any form" },
    { runs: "20240115v2", because: "or a count" },
    { runs: "2024-01-15", because: "a date with dashes" },
    { runs: "2024-01", because: "without a day" },
    { runs: "2024-1-5", because: "without zeros in front" },
    { runs: "11-20-2024", because: "from the month on" },
    { runs: "1-1-2024", because: "also without zeros" },
    { runs: "version-2024-01-15", because: "behind any prefix" },
    { runs: "2024-01-a1b2c3d", because: "a month and a commit" },
    { runs: "2024-01-1f3a9c2", because: "whatever the commit begins with" },
    { runs: "2024-01-15T10-10", because: "with a time" },
    { runs: "15-01-2024", because: "from the day on" },
    { runs: "v2024-01-15-1f3a9c2", because: "behind a prefix, with a commit" },
  ])("$runs ($because)", ({ runs, because }) => {
    expect(elect({ runs, tags: ["1.0.0"], wins: "1.0.0", because }, any)).toBe("1.0.0");
  });
});

/** Texts that begin as versions do, with whatever tags may have behind that. */
const anyNumbered = fc
  .tuple(fc.constantFrom("", "v"), fc.nat({ max: 12 }), fc.stringMatching(/^[.\-_a-z0-9]{0,5}$/))
  .map(([prefix, number, rest]) => `${prefix}${number}${rest}`)
  .filter((text) => !/^v?[0-9a-f]{6}/.test(text));

describe("whatever runs with a number in front,", () => {
  it("a version takes its place only where it is a version itself", () => {
    fc.assert(
      fc.property(anyNumbered, fc.array(anyTag), (tag, tags) => {
        const election = electTag({ policy: any, allowDowngrade: false }, { tag }, tags);
        if (election.kind !== "none") expect(parseVersion(tag)).toBeDefined();
      }),
    );
  });

  it("a number takes its place only where it is a number itself", () => {
    fc.assert(
      fc.property(anyNumbered, fc.array(anyTag), fc.constantFrom("asc", "desc"), (tag, tags, order) => {
        const election = electTag({ policy: { kind: "numerical", order }, allowDowngrade: false }, { tag }, tags);
        if (election.kind !== "none") expect(parseDecimal(tag)).toBeDefined();
      }),
    );
  });
});
