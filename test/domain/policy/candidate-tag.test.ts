import { describe, expect, it } from "vitest";
import { type CandidateTag, compareMoves, laterOf, unusable } from "#domain/policy/candidate-tag";
import { type CurrentImage, type Ranking, selectionOf } from "#domain/policy/tag-selector";
import { attributesOf, filterTag } from "#domain/policy/tag-filter";
import { tagSelectorOf, selectTag, type SelectionRule, explainSelection } from "#domain/policy/policy";
import { filter, minute, pattern, range, tag } from "./matchers.ts";

const rankingOf = (rule: SelectionRule, current: CurrentImage | undefined, tags: readonly CandidateTag[]): Ranking =>
  tagSelectorOf(rule, current).rank(tags);

const main = (given: { readonly movedAt?: number; readonly digest?: string }): CandidateTag => ({
  name: "main",
  ...(given.digest === undefined ? {} : { digest: given.digest }),
  ...(given.movedAt === undefined ? {} : { movedAt: minute(given.movedAt) }),
});

describe("a tag that describes a digest", () => {
  const digits = "0".repeat(64);

  it.each([`sha256-${digits}`, `sha384-${digits}`, `sha512-${digits}`, `sha256-${digits}.sig`, `sha512-${digits}.att`])(
    "is not an image: %s",
    (tag) => {
      expect(unusable(tag)).toBe("describes-another-image");
    },
  );

  it.each([`v1-sha256-${digits}`, `sha256-${digits.slice(1)}`, `sha1-${digits}`, `sha256-${"F".repeat(64)}`])(
    "is not %s",
    (tag) => {
      expect(unusable(tag)).toBeUndefined();
    },
  );
});

describe("two observations of a tag", () => {
  it.each([
    { holds: main({ movedAt: 2 }), not: main({ movedAt: 1 }), because: "it is later" },
    { holds: main({ movedAt: 1 }), not: "main", because: "of the other nobody knows when" },
    { holds: main({ movedAt: 1 }), not: main({ digest: "sha256:9" }), because: "an instant says more than a digest" },
    {
      holds: main({ movedAt: 1, digest: "sha256:2" }),
      not: main({ movedAt: 1, digest: "sha256:1" }),
      because: "both are as late, and one has to hold always",
    },
    { holds: main({ digest: "sha256:2" }), not: main({ digest: "sha256:1" }), because: "so it is without instants" },
    { holds: main({ digest: "sha256:1" }), not: "main", because: "it names a digest" },
    { holds: main({ digest: "!" }), not: main({}), because: "any digest is more than none" },
  ])("give the same result in either order: $because", ({ holds, not }) => {
    expect([laterOf(holds, not), laterOf(not, holds)]).toEqual([holds, holds]);
  });

  it("give no move if no observation has one", () => {
    expect(compareMoves("main", "dev")).toBe(0);
  });

  it.each([
    { policy: { kind: "alphabetical", order: "asc" } },
    { policy: { kind: "numerical", order: "desc" } },
    { policy: { kind: "semver", allowPrerelease: false } },
    { policy: { kind: "latest" } },
  ] as const)("give the later move in either order, under the policy $policy.kind", ({ policy }) => {
    const rule: SelectionRule = { policy, allowDowngrade: false };
    const [later, earlier] = [
      { name: "7.0.0", movedAt: minute(2), digest: "sha256:2" },
      { name: "7.0.0", movedAt: minute(1), digest: "sha256:1" },
    ];
    const number = policy.kind === "numerical" ? { name: "7" } : {};
    const [one, other] = [
      { ...later, ...number },
      { ...earlier, ...number },
    ];

    expect(rankingOf(rule, undefined, [one, other]).best).toEqual(one);
    expect(rankingOf(rule, undefined, [other, one]).best).toEqual(one);
  });
});

describe("a candidate", () => {
  it.each([
    {
      order: 0,
      running: undefined,
      selection: { kind: "selected", tag: "new" },
      because: "nothing runs that could stay",
    },
    { order: 0, running: "old", selection: { kind: "unchanged", tag: "old" }, because: "what runs is as high" },
    { order: 1, running: "old", selection: { kind: "selected", tag: "new" }, because: "it is higher" },
    { order: -1, running: "old", selection: { kind: "none", reason: "would-downgrade" }, because: "it is lower" },
  ])("gives $selection.kind: $because", ({ order, running, selection }) => {
    expect(selectionOf("new", order, running, false)).toEqual(selection);
  });

  it("must match every pattern, and has no attribute tag or name of a group", () => {
    const both = { ...filter({}), patterns: [pattern("^(?P<team>a)(?P<tag>)"), pattern("(?P<name>b)$")] };

    expect(["ab", "ac", "cb"].map((tag) => filterTag(both, tag).ok)).toEqual([true, false, false]);
    expect(attributesOf(both.patterns, "ab")).toEqual({ team: "a", tag: "ab" });
  });

  it("that is rejected leaves no trace in a ranking", () => {
    const rule: SelectionRule = { policy: { kind: "semver", allowPrerelease: false }, allowDowngrade: false };

    expect(rankingOf(rule, undefined, ["main"])).toStrictEqual({});
  });
});

describe("a ranking", () => {
  const latest: SelectionRule = { policy: { kind: "latest" }, allowDowngrade: false };
  const [a, b] = [
    { name: "a", movedAt: minute(2) },
    { name: "b", movedAt: minute(1) },
  ];

  it("notes the running tag", () => {
    expect(rankingOf(latest, { tag: "a" }, [b])).toStrictEqual({ best: b });
    expect(rankingOf(latest, { tag: "a" }, [b, a])).toStrictEqual({ best: a, running: a });
    expect(rankingOf(latest, undefined, [b, a])).toStrictEqual({ best: a });
  });

  it.each([
    { tags: ["a@5", "b@3", "c@4"], selection: { kind: "none", reason: "would-downgrade" } },
    { tags: ["a@5", "b@3", "c@6"], selection: { kind: "selected", tag: "c" } },
    { tags: ["a@5", "a@7", "c@6"], selection: { kind: "none", reason: "would-downgrade" } },
    { tags: ["a@5", "a@1", "c@4"], selection: { kind: "none", reason: "would-downgrade" } },
  ])("knows when the running tag a moved, also if it is excluded: $tags", ({ tags, selection }) => {
    const rule: SelectionRule = { ...latest, filter: filter({ exclude: ["a"] }) };

    expect(selectTag(rule, { tag: "a" }, tags.map(tag))).toEqual(selection);
  });

  it("reports that the followed tag is gone, if there are others", () => {
    const follow: SelectionRule = { policy: { kind: "digest" }, allowDowngrade: false };

    expect(rankingOf(follow, { tag: "a" }, ["b"])).toStrictEqual({ gone: true });
    expect(selectTag(follow, { tag: "a" }, ["b"])).toEqual({ kind: "none", reason: "no-tag-fits" });
  });

  it("may select an older tag under a pattern, if that is allowed", () => {
    const rule: SelectionRule = { policy: { kind: "regex", pattern: pattern("b") }, allowDowngrade: true };

    expect(selectTag(rule, { tag: "a" }, [a, b])).toEqual({ kind: "selected", tag: "b" });
    expect(selectTag({ ...rule, allowDowngrade: false }, { tag: "a" }, [a, b])).toEqual({
      kind: "none",
      reason: "would-downgrade",
    });
  });
});

describe("a date at the beginning", () => {
  const rule: SelectionRule = { policy: { kind: "semver", allowPrerelease: false }, allowDowngrade: false };

  it.each([
    {
      runs: "1.27",
      tags: ["1.28", "20240101.3"],
      wins: "1.28",
      because: "a date is no version, with a number behind it neither",
    },
    { runs: "1.27", tags: ["99999.1", "100000.1"], wins: "99999.1", because: "a first number has five digits at most" },
    {
      runs: "20240101.3",
      tags: ["20240102.1", "20240101.4"],
      wins: "20240102.1",
      because: "unless that of what runs has more",
    },
  ])("$runs → $wins: $because", ({ runs, tags, wins }) => {
    expect(selectTag(rule, { tag: runs }, tags)).toEqual({ kind: "selected", tag: wins });
  });

  it("is no version unless such a tag runs", () => {
    expect(explainSelection(rule, { tag: "1.2" }, ["20240101.2"]).rejected).toEqual([
      { tag: "20240101.2", reason: "not-a-version" },
    ]);
  });
});

describe("a number alone", () => {
  const rule: SelectionRule = {
    policy: { kind: "semver", range: range("*"), allowPrerelease: false },
    allowDowngrade: false,
  };

  it.each([
    { runs: "12", wins: "14" },
    { runs: "v12", wins: "v14" },
  ])("is a candidate if such a tag runs: $runs → $wins", ({ runs, wins }) => {
    expect(selectTag(rule, { tag: runs }, ["14", "v14"])).toEqual({ kind: "selected", tag: wins });
  });

  it("is rejected as no version if a version of three parts runs", () => {
    expect(explainSelection(rule, { tag: "1.0.0" }, ["7"]).rejected).toEqual([{ tag: "7", reason: "not-a-version" }]);
  });

  it("may be long if it is one of three parts", () => {
    expect(selectTag(rule, { tag: "1.0.0" }, ["100000.0.0"])).toEqual({ kind: "selected", tag: "100000.0.0" });
  });
});
