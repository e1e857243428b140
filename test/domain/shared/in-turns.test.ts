import { describe, expect, it } from "vitest";
import { inTurns } from "#domain/shared/in-turns";

describe("lists that take turns", () => {
  it.each([
    { lists: [], order: "" },
    { lists: [[], []], order: "" },
    { lists: ["abc"], order: "abc" },
    { lists: ["adf", "be", "c"], order: "abcdef" },
    { lists: ["c", "", "be", "adf"], order: "cbaedf" },
    { lists: ["aa", "a"], order: "aaa" },
  ])("$lists give $order", ({ lists, order }) => {
    expect(inTurns(lists.map((list) => Array.from(list))).join("")).toBe(order);
  });
});
