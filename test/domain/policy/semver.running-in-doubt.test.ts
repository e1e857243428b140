import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseDecimal } from "#domain/policy/decimal";
import { selectTag, type TagPolicy } from "#domain/policy/policy";
import { parseVersion } from "#domain/version/version";
import { select } from "./deciding.ts";
import { anyTag } from "./selections.ts";
import { range } from "./matchers.ts";

const any: TagPolicy = { kind: "semver", range: range("*"), allowPrerelease: false };

describe("if the running tag only looks like a version, the semver policy", () => {
  it.each([
    { runs: "9.1.2.3.4.5.6", because: "seven numbers" },
    { runs: "v9.1.2.3.4.5.6", because: "also behind a prefix" },
    { runs: "RELEASE-9_1", because: "a prefix in capitals" },
    { runs: "10hotfix", because: "a number, and letters that announce no release" },
    { runs: "9.x", because: "a number, and no second" },
    { runs: "release_9.1", because: "two numbers behind an unknown prefix" },
    { runs: "alpine3.19", because: "or a word" },
    { runs: "1a2b3", because: "five hexadecimal digits are few for a commit" },
    { runs: "1f3a9g", because: "g is no hexadecimal digit" },
    { runs: "1f3a9c309az", because: "nor is another letter" },
    { runs: "1f3a9c2X", because: "in any case" },
    { runs: "12345T1", because: "a date has more digits" },
    { runs: "2024-10-1.9.0", because: "a version behind a date" },
    { runs: "2024-06-15_12.1", because: "or behind a whole one" },
  ])("selects nothing: $runs ($because)", ({ runs, because }) => {
    const wins = "current-tag-not-comparable";

    expect(select({ runs, tags: ["1.0.0"], wins, because }, any)).toBe(wins);
  });

  it("selects a matching tag if a downgrade is allowed", () => {
    const one = { runs: "9.1.2.3.4.5.6", tags: ["1.0.0", "1.1.0-alpine", "2.0"], wins: "1.0.0", because: "" };

    expect(select({ ...one, allowDowngrade: true }, any)).toBe("1.0.0");
  });

  it("reports first that no tag matches", () => {
    expect(select({ runs: "9.1.2.3.4.5.6", tags: ["main"], wins: "", because: "" }, any)).toBe("no-tag-fits");
  });
});

describe("if the running tag does not look like a version, the semver policy selects from the range", () => {
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
    { runs: "20240915T101010", because: "in any form" },
    { runs: "20240115v2", because: "or a count" },
    { runs: "123456T1", because: "six digits are enough" },
    { runs: "2024-01-15", because: "a date with dashes" },
    { runs: "2024-01", because: "without a day" },
    { runs: "2024-1-5", because: "without zeros in front" },
    { runs: "11-20-2024", because: "from the month on" },
    { runs: "1-1-2024", because: "also without zeros" },
    { runs: "version-2024-01-15", because: "behind any prefix" },
    { runs: "2024-01-a1b2c3d", because: "a month and a commit" },
    { runs: "2024-01-1f3a9c2", because: "whatever the commit begins with" },
    { runs: "2024-01-1f3a9c2-amd64", because: "and with a platform behind it" },
    { runs: "v2024-01-1f3a9c2_dirty", because: "or another word, and a prefix" },
    { runs: "2024-9-1f3a9c2", because: "behind a month of one digit" },
    { runs: "2024-01-a1b2c3", because: "a short commit" },
    { runs: "2024-01-A1B2C3", because: "in capitals" },
    { runs: "2024-01-f9e0d8_dirty", because: "with a word behind it" },
    { runs: "2024-01-0facade", because: "one that begins with a digit and not with a day" },
    { runs: "2024-01-abcde0", because: "or has its only digit at the end" },
    { runs: "2024-01_a1b2c3", because: "and an underscore before it" },
    { runs: "2024-01.a1b2c3", because: "or a dot" },
    { runs: "2024-01-15T10-10", because: "with a time" },
    { runs: "15-01-2024", because: "from the day on" },
    { runs: "v2024-01-15-1f3a9c2", because: "behind a prefix, with a commit" },
  ])("$runs ($because)", ({ runs, because }) => {
    expect(select({ runs, tags: ["1.0.0"], wins: "1.0.0", because }, any)).toBe("1.0.0");
  });
});

describe("if the running tag looks like a year with a flavour, the semver policy keeps the flavour", () => {
  it.each([
    { runs: "2024-01-155", because: "no day has three digits" },
    { runs: "15-01-20245", because: "no year has five digits" },
    { runs: "2024-v01-15", because: "a prefix stands in front" },
    { runs: "2024-01-alpine", because: "a month and a word" },
    { runs: "2024-01-facade", because: "a commit has a digit" },
    { runs: "2024-01-a1b2c", because: "and six digits at least" },
    { runs: "2024-01-a1b2cg", because: "and no other letter" },
    { runs: "2024-01-a1b2c309az", because: "nor behind six" },
    { runs: "2024-01-a1b2c34Z", because: "in any case" },
    { runs: "2024-01a1b2c3", because: "and something before it" },
  ])("$runs ($because)", ({ runs, because }) => {
    expect(select({ runs, tags: ["1.0.0"], wins: "no-tag-fits", because }, any)).toBe("no-tag-fits");
  });
});

describe("a date with dashes", () => {
  const upTo = (last: number, first = 0) => Array.from({ length: last - first + 1 }, (_, index) => `${first + index}`);
  const written = ["001", ...upTo(9).map((digit) => `0${digit}`), ...upTo(99)];
  const from1To = (last: number) =>
    written.filter((number) => number.length < 3 && Number(number) >= 1 && Number(number) <= last);
  const [months, days] = [from1To(12), from1To(31)];
  const [years, yearsOfDates] = [[...upTo(2199, 1800), "20240", "20249"], upTo(2099, 1900)];

  it.each([
    { what: "a month", form: "2024-?-15", numbers: written, fit: months },
    { what: "a month at its end", form: "2024-?", numbers: written, fit: months },
    { what: "a month before a commit", form: "2024-?-a1b2c3d", numbers: written, fit: months },
    { what: "a day at its end", form: "2024-01-?", numbers: written, fit: days },
    { what: "a day or a month in front", form: "?-01-2024", numbers: written, fit: days },
    { what: "a day or a month before the year", form: "01-?-2024", numbers: written, fit: days },
    { what: "a year of two centuries", form: "?-01-15", numbers: years, fit: yearsOfDates },
    { what: "such a year before a month", form: "?-01", numbers: years, fit: yearsOfDates },
    { what: "such a year at its end", form: "15-01-?", numbers: years, fit: yearsOfDates },
  ])("$what: $form", ({ form, numbers, fit }) => {
    const isDate = (runs: string): boolean => select({ runs, tags: ["1.0.0"], wins: "", because: "" }, any) === "1.0.0";

    expect(numbers.filter((number) => isDate(form.replace("?", number)))).toEqual(fit);
  });
});

/** Texts that begin as versions do, with whatever tags may have behind that. */
const anyNumbered = fc
  .tuple(fc.constantFrom("", "v"), fc.nat({ max: 12 }), fc.stringMatching(/^[.\-_a-z0-9]{0,5}$/))
  .map(([prefix, number, rest]) => `${prefix}${number}${rest}`)
  .filter((text) => !/^v?[0-9a-f]{6}/.test(text));

describe("a running tag that begins with a number", () => {
  it("is replaced by a version only if it is a version", () => {
    fc.assert(
      fc.property(anyNumbered, fc.array(anyTag), (tag, tags) => {
        const selection = selectTag({ policy: any, allowDowngrade: false }, { tag }, tags);
        if (selection.kind !== "none") expect(parseVersion(tag)).toBeDefined();
      }),
    );
  });

  it("is replaced by a number only if it is a number", () => {
    fc.assert(
      fc.property(anyNumbered, fc.array(anyTag), fc.constantFrom("asc", "desc"), (tag, tags, order) => {
        const selection = selectTag({ policy: { kind: "numerical", order }, allowDowngrade: false }, { tag }, tags);
        if (selection.kind !== "none") expect(parseDecimal(tag)).toBeDefined();
      }),
    );
  });
});
