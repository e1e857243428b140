import { describe, expect, it } from "vitest";
import { selectTag } from "#domain/policy/policy";
import { readRule, type WrittenRule } from "#domain/policy/rule-text";
import { adviseOn } from "#domain/policy/suggestion";
import { compile, read } from "./matchers.ts";
import { type TagHabit, tagHabits } from "./tag-habits.ts";

/** The rule of a row, as a user writes it. */
function ruleOf({ rule = {} }: TagHabit): WrittenRule {
  const { policy = "semver", range, allowPrerelease, suffixes, pattern, extract } = rule;
  const filter = { pattern, extract };
  if (policy !== "semver") return { policy: { kind: policy }, filter };
  return { policy: { kind: policy, range, allowPrerelease, suffixes }, filter };
}

/**
 * Running tags that stay, although a person would move them: no rule knows whether the number behind
 * a word, or a date, is a version. Lookout says why, and suggests annotations.
 */
const staying = [
  "v20231011-8b53cabe0",
  "bookworm-20241016-slim",
  "noble-20240801",
  "20240606",
  "act-22.04",
  "v20240705-131cd74733-master",
  "alpine-6.4-latest",
  "build-511",
  "20240805",
];
/** Running tags that move to another tag than a person would choose. */
const moving = [{ running: "release-2024.08.1", selected: "2024.10.0", because: "prefixes may differ" }];

const decided = tagHabits.filter(
  ({ running, expected, rule }) =>
    running === expected || rule !== undefined || ![...staying, ...moving.map((one) => one.running)].includes(running),
);

function selected(habit: TagHabit): string {
  const selection = selectTag(read(readRule(ruleOf(habit), compile)), { tag: habit.running }, habit.tags);
  return selection.kind === "none" ? habit.running : selection.tag;
}

function advice(habit: TagHabit) {
  return adviseOn(read(readRule(ruleOf(habit), compile)), { tag: habit.running }, habit.tags);
}

describe("the tags of public images", () => {
  it("are 160 or more habits of 60 or more images, and 95 % go as a person expects", () => {
    expect(tagHabits.length).toBeGreaterThanOrEqual(160);
    expect(new Set(tagHabits.map(({ image }) => image)).size).toBeGreaterThanOrEqual(60);
    expect(decided.length / tagHabits.length).toBeGreaterThanOrEqual(0.95);
  });

  it.each(decided)("$image: $running → $expected ($habit)", (habit) => {
    expect(selected(habit)).toBe(habit.expected);
  });

  it.each(tagHabits.filter(({ running, rule }) => staying.includes(running) && rule === undefined))(
    "$image: $running stays, and says why",
    (habit) => {
      if (habit.expected !== habit.running) expect(selected(habit)).toBe(habit.running);
      expect(advice(habit)?.annotations).toBeDefined();
    },
  );

  it.each(moving)("$running → $selected, because $because", ({ running, selected: tag }) => {
    const [habit] = tagHabits.filter((one) => one.running === running);

    expect(habit === undefined ? undefined : selected(habit)).toBe(tag);
  });

  const saying = tagHabits.filter(
    ({ saysWhy, rule = {} }) => saysWhy === true && (rule.policy ?? "semver") === "semver",
  );

  it.each(saying.filter(({ running }) => running !== "2022-CU14-ubuntu-22.04"))(
    "$image: $running stays, and the advice is not empty",
    (habit) => {
      expect(advice(habit)).toBeDefined();
    },
  );
});
