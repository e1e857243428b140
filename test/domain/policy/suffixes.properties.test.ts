import fc from "fast-check";
import semver from "semver";
import { describe, expect, it } from "vitest";
import { nameOf } from "#domain/policy/candidate-tag";
import { explainSelection, type Selection, selectTag, type SelectionRule } from "#domain/policy/policy";
import { readRule } from "#domain/policy/rule-text";
import type { SuffixRule } from "#domain/version/suffix";
import {
  compareByOracle,
  compareIdentifierLists,
  compareNumberLists,
  flavourByOracle,
  formsByOracle,
  type OracleVersion,
  readByOracle,
  shapeByOracle,
} from "../version/suffix-oracle.ts";
import { anyPiecedTag } from "../version/tag-pieces.ts";
import { compile, read } from "./matchers.ts";
import { anyCurrent, anyRule, anyTag } from "./selections.ts";

interface WrittenSuffixRule {
  readonly suffixes: SuffixRule | undefined;
  readonly range: string | undefined;
  readonly allowPrerelease: boolean;
}

const ruleOf = (written: WrittenSuffixRule): SelectionRule =>
  read(readRule({ policy: { kind: "semver", ...written } }, compile));

/** Reads a tag with every suffix as a pre-release of semver. The suffix may touch the numbers, as in `1.2.3rc1`. */
function readAsSemver(tag: string): OracleVersion | undefined {
  const [, front = "", suffix = ""] = /^(\D*\d+(?:\.\d+)*)(.*)$/.exec(tag) ?? [];
  const version = readByOracle(front);
  if (version === undefined || !/^(?:[-A-Za-z][0-9A-Za-z-]*(?:\.[0-9A-Za-z-]+)*)?$/.test(suffix)) return undefined;
  if (suffix === "") return version;
  const prerelease = suffix.replace(/^-/, "").split(".");
  if (prerelease.includes("")) return undefined;
  return {
    ...version,
    suffix,
    isBare: false,
    prerelease: prerelease.map((text) => (/^\d+$/.test(text) ? BigInt(text) : text)),
  };
}

/** Reads a tag by a rule. Where nothing counts, only a pre-release touches the numbers. */
function readBy(rule: SuffixRule, tag: string): OracleVersion | undefined {
  if (rule === "semver") return readAsSemver(tag);
  const version = readByOracle(tag);
  const isAttached = version?.prerelease.length === 0 && /^[A-Za-z]/.test(version.suffix);
  return rule === "exact" && isAttached ? undefined : version;
}

/** A bound such as `>=1.0.0-0`. An upper bound excludes pre-releases, and names none. */
const namesFirst = (range: string | undefined): boolean => /(?<!<=?\s*)\b\d+\.\d+\.\d+-0(?=$|\s)/.test(range ?? "");

/** The rule that holds for a running tag. */
function effectiveRule({ suffixes, range }: WrittenSuffixRule, running: OracleVersion | undefined): SuffixRule {
  const isCounted = running !== undefined && flavourByOracle(running) === "";
  return suffixes ?? (namesFirst(range) && isCounted ? "semver" : "flavour");
}

function hasForm(rule: SuffixRule, one: OracleVersion, running: OracleVersion): boolean {
  if (one.numbers.length !== running.numbers.length || (one.isBare && !running.isBare)) return false;
  if (one.numbers.length < 3 && (one.numbers[0] ?? 0n) > 99_999n) return false; // A date or a build number.
  if (rule === "semver") return true;
  if (rule === "exact") return exactSuffix(one) === exactSuffix(running);
  if (rule === "flavour") return shapeByOracle(one) === shapeByOracle(running);
  const [short = [], long = []] = [one, running].map(formsByOracle).toSorted((a, b) => a.length - b.length);
  const isBelow = short.every((form, index) => form === long[index]);
  return isBelow && flavourByOracle(one) === flavourByOracle(running);
}

/** The text behind the pre-release, where nothing counts. */
function exactSuffix({ suffix, prerelease }: OracleVersion): string {
  if (prerelease.length === 0) return suffix.replace(/^-/, "");
  const words = prerelease.map(String);
  const first = words.shift() ?? "";
  const short = first === "alpha" ? "(?:alpha|a)" : first === "beta" ? "(?:beta|b)" : first;
  const pattern = words.map((word) => `[-_.]?${/^\d+$/.test(word) ? "0*" : ""}${word === "0" ? "" : word}`).join("");
  return suffix.replace(new RegExp(`^[-_.]?${short}${pattern}(?=[-_]|$)`, "i"), "").replace(/^-/, "");
}

function fits(written: WrittenSuffixRule, rule: SuffixRule, { numbers, prerelease }: OracleVersion): boolean {
  const isAllowed = written.allowPrerelease || rule === "semver";
  if (written.range === undefined) return isAllowed || prerelease.length === 0;
  const [major = 0n, minor = 0n, patch = 0n] = numbers;
  const identifiers = prerelease.length === 0 ? "" : `-${prerelease.join(".")}`;
  return semver.satisfies(`${major}.${minor}.${patch}${identifiers}`, written.range, { includePrerelease: isAllowed });
}

function compareBy(rule: SuffixRule, one: OracleVersion, other: OracleVersion): number {
  if (rule === "semver" || rule === "exact")
    return compareNumberLists(one.numbers, other.numbers) || compareIdentifierLists(one.prerelease, other.prerelease);
  return compareByOracle(one, other);
}

interface Expected {
  readonly result: "unchanged" | "selected" | "no-tag-fits" | "would-downgrade";
  /** The tags of the highest value. */
  readonly highest: readonly string[];
}

/** Selects by the rule's text: reads all, keeps what fits, and sorts. */
function expectedOf(written: WrittenSuffixRule, running: string, tags: readonly string[]): Expected | undefined {
  const rule = effectiveRule(written, readByOracle(running));
  const own = readBy(rule, running);
  if (own === undefined) return undefined;
  const candidates = tags.flatMap((tag) => {
    const version = readBy(rule, tag);
    return version !== undefined && hasForm(rule, version, own) && fits(written, rule, version)
      ? [{ tag, version }]
      : [];
  });
  const sorted = candidates.toSorted((one, other) => compareBy(rule, other.version, one.version));
  const [best] = sorted;
  if (best === undefined) return { result: "no-tag-fits", highest: [] };
  const highest = candidates
    .filter(({ version }) => compareBy(rule, version, best.version) === 0)
    .map(({ tag }) => tag);
  const order = compareBy(rule, best.version, own);
  return { result: order === 0 ? "unchanged" : order > 0 ? "selected" : "would-downgrade", highest };
}

function resultOf(selection: Selection): string {
  return selection.kind === "none" ? selection.reason : selection.kind;
}

const anyWritten: fc.Arbitrary<WrittenSuffixRule> = fc.record({
  suffixes: fc.constantFrom(undefined, undefined, "flavour", "exact", "revision", "semver"),
  range: fc.constantFrom(
    ...[undefined, undefined, undefined, "*", ">=1", "^1", "~1.2", "<2 || 3.x", ">=1.0.0-0", ">=1.0.0-0 <2.0.0-0"],
    ...[">=1.0.0 <2.0.0-0", "1.0.0-0 - 2.0.0", "^1.0.0-0", ">=1.1.0-rc.1"],
  ),
  allowPrerelease: fc.boolean(),
});

/** Suffixes of few words, so that equal flavours with other counters meet. */
const anyMeetingSuffix = fc
  .tuple(
    fc.constantFrom("", "", "", "", "-rc.1", "-rc.2", "-RC2", "rc1", "b1", "-dev", "-beta-1"),
    fc.array(
      fc.constantFrom(
        ...["-1", "-2", "-r1", "-r2", "-r10", "_7", "_8", "-main.1", "-main.12", "-main-3", "-main-4", "-20240101"],
        ...["-20240102", "-abc1234", "-0abc123", "-alpine", "-alpine", "-slim", "-alpine3.19", "-alpine3.20", "p1"],
        ...["p2", "-0ubuntu1", "-0ubuntu2", "-k3s1", "-k3s2", "-12", "-017", "-x", "-1.2", "-0"],
      ),
      { maxLength: 2 },
    ),
  )
  .map(([prerelease, pieces]) => prerelease + pieces.join(""));
const anyMeetingNumbers = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("1.2.3", "1.2.4", "1.02.3", "1.10.0", "1.0.0", "2.0.0", "0.9.0") },
  { weight: 2, arbitrary: fc.constantFrom("1.2.3.1", "1.2.3.2", "1.2.3.04", "1.2", "1.3", "1.03", "1", "2") },
);
const anyMeetingTag = (suffix: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom("", "", "v", "V", "release-"), anyMeetingNumbers, suffix).map((texts) => texts.join(""));

/** A running tag and 2 to 8 tags, most with one of two suffixes or their neighbours. */
const anyScene = fc.tuple(anyMeetingSuffix, anyMeetingSuffix).chain(([one, other]) => {
  const bumped = one.replaceAll(/\d+$/g, (digits) => String(Number(digits) + 1));
  const suffix = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(one, one, other, bumped) },
    { weight: 1, arbitrary: anyMeetingSuffix },
  );
  const anyTagHere = fc.oneof({ weight: 9, arbitrary: anyMeetingTag(suffix) }, { weight: 1, arbitrary: anyPiecedTag });
  return fc.record({
    running: anyMeetingTag(fc.constantFrom(one, other)),
    tags: fc.array(anyTagHere, { minLength: 2, maxLength: 8 }),
  });
});

describe("the tag that a version policy selects", () => {
  it("is the one that the rule's text selects, by each way to read suffixes", () => {
    fc.assert(
      fc.property(anyWritten, anyScene, (written, { running, tags }) => {
        const expected = expectedOf(written, running, tags);
        fc.pre(expected !== undefined);
        const selection = selectTag(ruleOf(written), { tag: running }, tags);

        expect({ running, tags, result: resultOf(selection) }).toEqual({ running, tags, result: expected.result });
        if (selection.kind === "selected") expect(expected.highest).toContain(selection.tag);
        if (selection.kind === "unchanged") expect(selection.tag).toBe(running);
      }),
    );
  });

  it("has the running tag's prefix and spelling, if an equal tag has them", () => {
    fc.assert(
      fc.property(anyWritten, anyScene, (written, { running, tags }) => {
        const expected = expectedOf(written, running, tags);
        fc.pre(expected?.result === "selected");
        const selection = selectTag(ruleOf(written), { tag: running }, tags);
        fc.pre(selection.kind === "selected");
        const prefixOf = (tag: string): string => readByOracle(tag)?.prefix ?? readAsSemver(tag)?.prefix ?? "";
        const likePrefix = expected.highest.filter((tag) => prefixOf(tag) === prefixOf(running));
        const best = likePrefix.length > 0 ? likePrefix : expected.highest;
        const spelling = (tag: string): string => tag.slice(prefixOf(tag).length).replaceAll(/\d+/g, "#");
        const likeSpelling = best.filter((tag) => spelling(tag) === spelling(running));

        expect(likeSpelling.length > 0 ? likeSpelling : best).toContain(selection.tag);
      }),
    );
  });

  it("is a listed tag or the running tag as it is written, under any policy and filter", () => {
    const anyTags = fc.array(fc.oneof(anyTag, anyPiecedTag), { maxLength: 10 });

    fc.assert(
      fc.property(anyRule, anyCurrent, anyTags, (rule, current, tags) => {
        const { selection } = explainSelection(rule, current, tags);
        if (selection.kind === "none") return;

        expect(selection.kind === "unchanged" ? [current?.tag] : tags.map(nameOf)).toContain(selection.tag);
      }),
    );
  });

  it("has its zeros where its numbers are padded, and they compare as numbers", () => {
    const anyPadded = fc.array(fc.tuple(fc.nat({ max: 120 }), fc.nat({ max: 3 })), { minLength: 3, maxLength: 3 });
    const textOf = (parts: readonly (readonly [number, number])[]): string =>
      parts.map(([number, zeros]) => "0".repeat(zeros) + String(number)).join(".");

    fc.assert(
      fc.property(fc.array(anyPadded, { minLength: 2, maxLength: 8 }), anyPadded, (listed, runs) => {
        const valueOf = (parts: readonly (readonly [number, number])[]): readonly bigint[] =>
          parts.map(([number]) => BigInt(number));
        const highest = listed.toSorted((one, other) => compareNumberLists(valueOf(other), valueOf(one)))[0] ?? runs;
        const order = compareNumberLists(valueOf(highest), valueOf(runs));
        const selection = selectTag(ruleOf(plain), { tag: textOf(runs) }, listed.map(textOf));

        expect(resultOf(selection)).toBe(order > 0 ? "selected" : order === 0 ? "unchanged" : "would-downgrade");
        if (selection.kind !== "selected") return;
        expect(listed.map(textOf)).toContain(selection.tag);
        expect(selection.tag.split(".").map(BigInt)).toEqual(valueOf(highest));
      }),
    );
  });

  it("does not depend on the order or repetition of the tags", () => {
    fc.assert(
      fc.property(anyWritten, anyScene, fc.nat(), (written, { running, tags }, turn) => {
        const rule = ruleOf(written);
        const middle = turn % tags.length;
        const turned = [...tags.slice(middle), ...tags.slice(0, middle)].reverse();

        expect(selectTag(rule, { tag: running }, [...turned, ...turned])).toEqual(
          selectTag(rule, { tag: running }, tags),
        );
      }),
    );
  });

  it("does not depend on any tag that is explained as rejected", () => {
    fc.assert(
      fc.property(anyWritten, anyScene, (written, { running, tags }) => {
        const rule = ruleOf(written);
        const { selection, rejected } = explainSelection(rule, { tag: running }, tags);
        const isRejected = new Set(
          rejected.filter(({ reason }) => reason !== "older-than-current").map(({ tag }) => tag),
        );

        expect(
          selectTag(
            rule,
            { tag: running },
            tags.filter((tag) => !isRejected.has(tag)),
          ),
        ).toEqual(selection);
      }),
    );
  });
});

const plain: WrittenSuffixRule = { suffixes: undefined, range: undefined, allowPrerelease: false };
