import { describe, expect, it } from "vitest";
import { type NewerSkipped, newerSkipped } from "#domain/policy/newer-skipped";
import { selectTag } from "#domain/policy/policy";
import { readRule, type WrittenFilter } from "#domain/policy/rule-text";
import type { SuffixRule } from "#domain/version/suffix";
import { compile, read } from "./matchers.ts";

interface Row {
  readonly runs: string;
  readonly tags: readonly string[];
  readonly range?: string;
  readonly suffixes?: SuffixRule;
  readonly allowPrerelease?: boolean;
  readonly filter?: WrittenFilter;
  readonly skips: NewerSkipped | undefined;
  readonly because: string;
}

const skips = (reason: NewerSkipped["reason"], ...tags: readonly string[]): NewerSkipped => {
  return { count: tags.length, reason, tags };
};

function holds(rows: readonly Row[]): void {
  it.each(rows)(
    "$runs, $tags: $because",
    ({ runs, tags, range, suffixes, allowPrerelease, filter, skips: expected }) => {
      const rule = read(readRule({ policy: { kind: "semver", range, suffixes, allowPrerelease }, filter }, compile));
      const listed = [runs, ...tags];
      const selection = selectTag(rule, { tag: runs }, listed);
      const selected = selection.kind === "none" ? undefined : selection.tag;

      expect(newerSkipped(rule, { tag: runs }, listed, selected)).toEqual(expected);
      expect(newerSkipped(rule, { tag: runs }, listed.toReversed(), selected)).toEqual(expected);
    },
  );
}

describe("newer tags that a policy skipped", () => {
  holds([
    {
      runs: "1.2.3",
      tags: ["1.2.4-alpine", "1.2.2-alpine"],
      skips: skips("other-flavour", "1.2.4-alpine"),
      because: "an older tag of another flavour does not count",
    },
    {
      runs: "1.2.3",
      tags: ["1.3.0", "1.2.4-alpine"],
      skips: undefined,
      because: "nor does one below the selected tag",
    },
    {
      runs: "1.2.3",
      tags: ["1.2.3-alpine"],
      skips: undefined,
      because: "the same version of another flavour is not newer",
    },
    {
      runs: "1.2.3",
      tags: ["1.2.3-r1", "1.2.3-r9", "1.2.3-r10", "1.2.3-r2"],
      skips: { count: 4, reason: "other-flavour", tags: ["1.2.3-r10", "1.2.3-r9", "1.2.3-r2"] },
      because: "three are named, the highest revision first",
    },
    {
      runs: "1.2.3",
      tags: ["1.2.3-main.5"],
      skips: undefined,
      because: "a build of a branch may be older than the release",
    },
    {
      runs: "1.2.3",
      tags: Array.from({ length: 12 }, (_, index) => `1.2.${index + 4}-alpine`),
      skips: { count: 10, reason: "other-flavour", tags: ["1.2.15-alpine", "1.2.14-alpine", "1.2.13-alpine"] },
      because: "more than ten count as ten",
    },
    {
      runs: "1.2",
      tags: ["1.3.0", "1.4.0-alpine", "1.5.1"],
      skips: { count: 3, reason: "other-precision", tags: ["1.5.1", "1.4.0-alpine", "1.3.0"] },
      because: "the most frequent reason is named",
    },
    {
      runs: "1.2",
      tags: ["1.3.0", "1.4-alpine"],
      skips: { count: 2, reason: "other-flavour", tags: ["1.4-alpine", "1.3.0"] },
      because: "of equally frequent reasons, the same is named in each order of the tags",
    },
    {
      runs: "1.2.3-rc.1",
      tags: ["1.2.3-rc.2", "1.2.3-rc.10"],
      skips: skips("pre-release", "1.2.3-rc.10", "1.2.3-rc.2"),
      because: "a running pre-release wants newer ones",
    },
    { runs: "1.2.3", tags: ["1.3.0-rc.1"], skips: undefined, because: "a running release does not" },
    {
      runs: "1.2.3-abc1234",
      tags: ["1.2.3-def5678", "1.2.3-0a0a0a0"],
      skips: skips("other-commit", "1.2.3-def5678", "1.2.3-0a0a0a0"),
      because: "another commit of one version may be newer",
    },
    {
      runs: "1.2.3-5-gabc1234",
      tags: ["1.2.3-6-gdef5678"],
      skips: undefined,
      because: "a commit behind a higher counter is selected",
    },
    {
      runs: "1.2.3",
      tags: ["1.3.0-alpine", "1.2.9-alpine"],
      range: "<1.3",
      skips: skips("other-flavour", "1.2.9-alpine"),
      because: "a tag outside the range is not wanted",
    },
    { runs: "1.2.3", tags: ["1.3.0-1"], range: "<1.3.0", skips: undefined, because: "nor one at the range's end" },
    {
      runs: "1.2.3",
      tags: ["1.3.0-alpine", "1.2.9-alpine"],
      filter: { exclude: ["1.3*"] },
      skips: skips("other-flavour", "1.2.9-alpine"),
      because: "nor an excluded one",
    },
    {
      runs: "1.2.3-r1",
      tags: ["1.2.3-r2"],
      suffixes: "exact",
      skips: skips("other-flavour", "1.2.3-r2"),
      because: "a higher counter is newer, though the rule counts nothing",
    },
    {
      runs: "1.2.3",
      tags: Array.from({ length: 1_200 }, (_, index) => `1.3.${index}-alpine`),
      skips: { count: 10, reason: "other-flavour", tags: ["1.3.1199-alpine", "1.3.1198-alpine", "1.3.1197-alpine"] },
      because: "of more tags than are read, the highest are",
    },
    {
      runs: "1.2.3",
      tags: Array.from({ length: 1_200 }, (_, index) => `1.2.3-r${index}`),
      skips: { count: 10, reason: "other-flavour", tags: ["1.2.3-r1199", "1.2.3-r1198", "1.2.3-r1197"] },
      because: "of equal numbers, the highest revisions are",
    },
    {
      runs: "1.2.3",
      tags: [...Array.from({ length: 1_100 }, (_, index) => `1.2.3-x${index}`), "1.2.4-alpine"],
      skips: skips("other-flavour", "1.2.4-alpine"),
      because: "tags with equal numbers don't hide a higher one",
    },
    {
      runs: "alpine-1.2.3",
      tags: ["alpine-1.2.4-r1", "debian-1.2.5"],
      skips: skips("other-flavour", "alpine-1.2.4-r1"),
      because: "the words before the version are the running tag's",
    },
    {
      runs: "rel-1.2.3",
      tags: ["rel-1.2.4-alpine", "1.2.5-alpine", "rel-1.1.0-alpine"],
      filter: { pattern: "^rel-(.+)$", extract: "$1" },
      skips: skips("other-flavour", "rel-1.2.4-alpine"),
      because: "the extracted text is the version",
    },
    {
      runs: "1.2",
      tags: ["20240101", "20240101.1", "1.3-alpine"],
      skips: skips("other-flavour", "1.3-alpine"),
      because: "a date is no version",
    },
    {
      runs: "1.2.3-4-alpine",
      tags: ["1.2.3-5-alpine", "1.2.3-4-alpine-6", "1.2.3-3"],
      suffixes: "exact",
      skips: skips("other-flavour", "1.2.3-5-alpine"),
      because: "a lower counter is not newer, and neither is another flavour",
    },
    {
      runs: "2024-01-02",
      tags: ["2024-01-03"],
      skips: undefined,
      because: "a tag that is no version has no newer one",
    },
  ]);
});

describe("nothing is skipped", () => {
  const tags = ["1.2.3", "1.2.4-alpine"];

  it("by a policy that compares no versions", () => {
    for (const kind of ["pinned", "digest", "latest"] as const) {
      const rule = read(readRule({ policy: { kind } }, compile));
      expect(newerSkipped(rule, { tag: "1.2.3" }, tags, "1.2.3")).toBeUndefined();
    }
  });

  it("if no tag runs, and none is selected", () => {
    const rule = read(readRule({ policy: { kind: "semver", range: ">=1" } }, compile));
    expect([newerSkipped(rule, undefined, tags, undefined), newerSkipped(rule, {}, tags, "1.2.3")]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
