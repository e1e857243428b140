import fc from "fast-check";
import semver from "semver";
import { describe, expect, it } from "vitest";
import { selectTag, type Selection, type SelectionRule } from "#domain/policy/policy";
import { readRule } from "#domain/policy/rule-text";
import type { SuffixRule } from "#domain/version/suffix";
import { compareVersions, parseVersion, type Version } from "#domain/version/version";
import { rangeTakes } from "#domain/version/range";
import { compile, range, read } from "./matchers.ts";

const number = fc.constantFrom("0", "0", "1", "2", "10");
const identifier = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("0", "1", "2", "10", "main", "rc", "RC", "alpha", "r9", "x", "a-b", "-", "--"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("20240101120000", "alpine3", "abc1234", "0a", "-1", "k3s1", "1-2", "b", "X"),
  },
  { weight: 1, arbitrary: fc.constantFrom("9007199254740990", "9007199254740991", "9007199254740992") },
  { weight: 1, arbitrary: fc.nat().map(String) },
);
const suffix = fc.oneof(
  { weight: 1, arbitrary: fc.constant("") },
  {
    weight: 3,
    arbitrary: fc.array(identifier, { minLength: 1, maxLength: 3 }).map((identifiers) => `-${identifiers.join(".")}`),
  },
);
const anyVersion = fc.tuple(number, number, number, suffix).map(([a, b, c, behind]) => `${a}.${b}.${c}${behind}`);
/** Tags that npm can parse. */
const anyTag = fc.tuple(fc.constantFrom("", "", "", "v"), anyVersion).map((texts) => texts.join(""));
const anyTags = fc.array(anyTag, { minLength: 1, maxLength: 8 });

const partial = fc.array(number, { minLength: 1, maxLength: 2 }).map((numbers) => numbers.join("."));
const sign = fc.constantFrom("", "=", ">", "<", ">=", ">=", "<=", "^", "~");
const comparison = fc
  .tuple(sign, fc.oneof({ weight: 3, arbitrary: anyVersion }, partial))
  .map((texts) => texts.join(""));
const anySide = fc.oneof(
  { weight: 4, arbitrary: fc.array(comparison, { minLength: 1, maxLength: 2 }).map((each) => each.join(" ")) },
  { weight: 1, arbitrary: fc.tuple(anyVersion, anyVersion).map(([from, to]) => `${from} - ${to}`) },
  { weight: 1, arbitrary: fc.constantFrom("*", ">=1.0.0-main.5 <2", ">=1.0.0-0", ">=1.0.0-0 <2.0.0-0", "1.x") },
);
const anyRange = fc.array(anySide, { minLength: 1, maxLength: 2 }).map((sides) => sides.join(" || "));

const options = { includePrerelease: true };

function ruleOf(range: string | undefined, suffixes?: SuffixRule): SelectionRule {
  return read(readRule({ policy: { kind: "semver", range, suffixes } }, compile));
}

function versionOf(tag: string): Version {
  const version = parseVersion(tag, "semver");
  if (version === undefined) throw new Error(`${tag} is not a version`);
  return version;
}

/** The selection as npm orders the versions: the highest that fits, and never below the running tag. */
function expectedOf(running: string | undefined, tags: readonly string[], range: string | undefined): string {
  const highest = semver.maxSatisfying(tags, range ?? "*", options);
  if (highest === null) return "no-tag-fits";
  const order = running === undefined ? 1 : semver.compare(highest, running);
  if (order === 0) return "unchanged";
  return order > 0 ? `selected ${semver.parse(highest)?.version ?? ""}` : "would-downgrade";
}

function actualOf(selection: Selection): string {
  if (selection.kind === "none") return selection.reason;
  return selection.kind === "unchanged" ? "unchanged" : `selected ${semver.parse(selection.tag)?.version ?? ""}`;
}

describe("with suffixes as semver reads them, Lookout agrees with npm", () => {
  it("on the order of two tags", () => {
    fc.assert(
      fc.property(anyTag, anyTag, (one, other) => {
        const [own, second] = [one, other].map(versionOf).map((version) => ({ ...version, text: "" }));
        if (own === undefined || second === undefined) return;

        expect(Math.sign(compareVersions(own, second))).toBe(semver.compare(one, other));
      }),
    );
  });

  it("on the tags that a range takes", () => {
    fc.assert(
      fc.property(anyRange, anyTag, (text, tag) => {
        const version = versionOf(tag);
        const [major = 0, minor = 0, patch = 0] = version.parts;
        const reading = { suffixes: "semver", allowPrerelease: false } as const;

        expect({ text, tag, fits: rangeTakes(range(text), { major, minor, patch }, version, reading) }).toEqual({
          text,
          tag,
          fits: semver.satisfies(tag, text, options),
        });
      }),
    );
  });

  it("on the highest tag, with and without a range", () => {
    const anyRunning = fc.option(anyTag, { nil: undefined });

    fc.assert(
      fc.property(anyRunning, anyTags, fc.option(anyRange, { nil: undefined }), (running, tags, range) => {
        const current = running === undefined ? undefined : { tag: running };
        const selection = selectTag(ruleOf(range, "semver"), current, tags);

        expect({ running, tags, range, result: actualOf(selection) }).toEqual({
          running,
          tags,
          range,
          result: expectedOf(running, tags, range),
        });
        if (selection.kind === "selected") expect(tags).toContain(selection.tag);
      }),
    );
  });
});

const anyCounted = fc.constantFrom(
  "",
  "",
  "-1",
  "-12",
  "-r2",
  "-main.5",
  "-main-5",
  "-20240101",
  "-k3s1",
  "-rc.1",
  "-1.2",
);
const anyFlavoured = fc.constantFrom(
  "-alpine",
  "-alpine-r2",
  "-debian-12",
  "-1-slim",
  "-abc1234",
  "-main",
  "-rc.1-alpine",
);
const anyFirst = fc.constantFrom(
  ">=1.0.0-0",
  ">=1.0.0-0 <3.0.0-0",
  "^1.0.0-0",
  "~1.0.0-0",
  ">1.0.0-0",
  "1.0.0-0 - 3.0.0",
);
const anyThree = fc.tuple(number, number, number).map((numbers) => numbers.join("."));
const anyOfSuffixes = (suffixes: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(anyThree, suffixes).map((texts) => texts.join(""));

describe("-0 in a lower bound", () => {
  it("reads suffixes as semver does where the running tag has none, or only counters", () => {
    const anyAll = fc.array(fc.oneof(anyTag, anyOfSuffixes(anyFlavoured)), { minLength: 1, maxLength: 8 });

    fc.assert(
      fc.property(anyFirst, anyOfSuffixes(anyCounted), anyAll, (range, running, tags) => {
        const selection = selectTag(ruleOf(range), { tag: running }, tags);

        expect(selection).toEqual(selectTag(ruleOf(range, "semver"), { tag: running }, tags));
        expect(actualOf(selection)).toBe(expectedOf(running, tags, range));
      }),
    );
  });

  it("keeps the flavour of a running tag that has one", () => {
    const anyAll = fc.array(anyOfSuffixes(fc.oneof(anyCounted, anyFlavoured)), { minLength: 1, maxLength: 8 });

    fc.assert(
      fc.property(anyFirst, anyOfSuffixes(anyFlavoured), anyAll, (range, running, tags) => {
        const selection = selectTag(ruleOf(range), { tag: running }, tags);

        expect(selection).toEqual(selectTag(ruleOf(range, "flavour"), { tag: running }, tags));
        if (selection.kind !== "selected") return;
        expect(parseVersion(selection.tag)?.flavour).toBe(parseVersion(running)?.flavour);
      }),
    );
  });

  it("in an upper bound alone says nothing of suffixes", () => {
    const anyAll = fc.array(anyOfSuffixes(fc.oneof(anyCounted, anyFlavoured)), { minLength: 1, maxLength: 8 });
    const anyUpper = fc.constantFrom("<2.0.0-0", ">=1.0.0 <2.0.0-0", "<=2.0.0-0", "1.0.0 - 2.0.0-0", "< 2.0.0-0");

    fc.assert(
      fc.property(anyUpper, anyOfSuffixes(anyCounted), anyAll, (range, running, tags) => {
        expect(selectTag(ruleOf(range), { tag: running }, tags)).toEqual(
          selectTag(ruleOf(range, "flavour"), { tag: running }, tags),
        );
      }),
    );
  });
});
