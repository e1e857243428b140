import { describe, expect, it } from "vitest";
import { selectTag } from "#domain/policy/policy";
import { readRule, type WrittenRule } from "#domain/policy/rule-text";
import { compile, read } from "./matchers.ts";
import { type TagHabit, tagHabits } from "./tag-habits.ts";

/** The rule of a row, as a user writes it. */
function ruleOf({ rule = {} }: TagHabit): WrittenRule {
  const { policy = "semver", range, allowPrerelease, suffixes, pattern, extract } = rule;
  const filter = { pattern, extract };
  return policy === "semver" ? { policy: { kind: policy, range, allowPrerelease, suffixes }, filter } : { policy: { kind: policy }, filter };
}

describe("the tags of public images", () => {
  it.each(tagHabits)("$image: $running → $expected ($habit)", (habit) => {
    const selection = selectTag(read(readRule(ruleOf(habit), compile)), { tag: habit.running }, habit.tags);

    expect(selection.kind === "none" ? habit.running : selection.tag).toBe(habit.expected);
  });
});
