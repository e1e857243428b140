import { expect, it } from "vitest";
import { addUse, msUntilBelow, type RecentUse, useOf } from "#domain/shares/recent-use";

it("a use counts half after 40 s, and uses add up", () => {
  const uses: RecentUse = new Map();
  addUse(uses, "a", 8, 0);
  addUse(uses, "a", 1, 40_000);

  expect([useOf(uses, "a", 40_000), useOf(uses, "a", 80_000), useOf(uses, "b", 0)]).toEqual([5, 2.5, 0]);
});

it("the time until a use is below a limit is told, and true", () => {
  const uses: RecentUse = new Map();
  addUse(uses, "a", 10, 0);
  const wait = msUntilBelow(uses, "a", 5, 0);

  expect(wait).toBe(40_001);
  expect([msUntilBelow(uses, "a", 5, wait), msUntilBelow(uses, "a", 11, 0), msUntilBelow(uses, "b", 1, 0)]).toEqual([
    0, 0, 0,
  ]);
  expect(useOf(uses, "a", wait)).toBeLessThan(5);
  expect(msUntilBelow(uses, "a", 10, 0)).toBe(1);
});

it("the namespace that has used nothing for the longest time is forgotten beyond 1,000", () => {
  const uses: RecentUse = new Map();
  addUse(uses, "first", 1, 0);
  addUse(uses, "second", 1, 0);
  addUse(uses, "first", 1, 0);
  for (let index = 0; index < 999; index += 1) addUse(uses, `n${index}`, 1, 0);

  expect([uses.size, useOf(uses, "first", 0), useOf(uses, "second", 0)]).toEqual([1_000, 2, 0]);
});
