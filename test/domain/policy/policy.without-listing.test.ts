import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { laterOf, movedAtOf, nameOf } from "#domain/policy/candidate-tag";
import { asksWhenMoved, cannotWin, type CurrentImage, type SelectionRule, selectTag } from "#domain/policy/policy";
import { anyCurrent, anyRule, anyTag } from "./selections.ts";
import { minute, pattern, range } from "./matchers.ts";

/** The tag that replaces what runs; undefined: none does. */
const selectedOf = (...asked: Parameters<typeof selectTag>): string | undefined => {
  const selection = selectTag(...asked);
  return selection.kind === "selected" ? selection.tag : undefined;
};

describe("a tag that can't win", () => {
  it("lets no other tag be selected, whatever the repository has", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, fc.array(anyTag, { maxLength: 6 }), anyTag, (rule, current, tags, pushed) => {
        fc.pre(cannotWin(rule, current, pushed));
        const listed = tags.filter((tag) => nameOf(tag) !== nameOf(pushed));
        expect(selectedOf(rule, current, [...listed, pushed])).toBe(selectedOf(rule, current, listed));
      }),
    );
  });

  const rules = {
    semver: { policy: { kind: "semver", range: range("^1"), allowPrerelease: false }, allowDowngrade: false },
    regex: { policy: { kind: "regex", pattern: pattern("^1") }, allowDowngrade: false },
    digest: { policy: { kind: "digest" }, allowDowngrade: false },
  } as const satisfies Record<string, SelectionRule>;

  it.each([
    { policy: "semver", tag: "main", cannot: true, because: "it is no version" },
    { policy: "semver", tag: "1.1.0", cannot: true, because: "it is lower than what runs" },
    { policy: "semver", tag: "2.0.0", cannot: true, because: "it is outside the range" },
    { policy: "semver", tag: "1.2.0", cannot: false, because: "what runs may name another digest now" },
    { policy: "semver", tag: "1.3.0", cannot: false, because: "it is higher" },
    { policy: "regex", tag: "main", cannot: true, because: "the pattern does not match" },
    { policy: "regex", tag: "1.0.0", cannot: false, because: "it moved" },
    { policy: "digest", tag: "1.3.0", cannot: true, because: "it is not what runs" },
  ] as const)("is $tag under $policy beside 1.2.0: $cannot, because $because", ({ policy, tag, cannot }) => {
    expect(cannotWin(rules[policy], { tag: "1.2.0" }, { name: tag, movedAt: minute(1) })).toBe(cannot);
  });
});

describe("a policy that compares moves", () => {
  it("selects the same from the seen moves and the running tag as from all tags", () => {
    fc.assert(
      fc.property(anyRule, anyCurrent, fc.array(anyTag, { maxLength: 8 }), (rule, current, tags) => {
        fc.pre(asksWhenMoved(rule.policy));
        const listed = [...tags, ...runningIn(current)];
        const last = new Map<string, (typeof listed)[number]>();
        for (const tag of listed) last.set(nameOf(tag), laterOf(tag, last.get(nameOf(tag)) ?? tag));
        const moved = [...last.values()].filter((tag) => movedAtOf(tag) !== undefined);
        expect(selectedOf(rule, current, [...moved, ...runningIn(current)])).toBe(selectedOf(rule, current, listed));
      }),
    );
  });
});

function runningIn(current: CurrentImage | undefined): readonly string[] {
  return current?.tag === undefined ? [] : [current.tag];
}
