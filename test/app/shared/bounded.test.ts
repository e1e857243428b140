import { setTimeout as pause } from "node:timers/promises";
import { expect, it } from "vitest";
import { mapBounded } from "#app/shared/bounded";

it("bounded work keeps the order of the items, and its limit", async () => {
  let inWork = 0;
  let most = 0;
  const doubled = await mapBounded([5, 1, 4, 2, 3], 2, async (item) => {
    most = Math.max(most, (inWork += 1));
    await pause(item);
    inWork -= 1;
    return item * 2;
  });

  expect({ doubled, most, inWork }).toEqual({ doubled: [10, 2, 8, 4, 6], most: 2, inWork: 0 });
});

it("bounded work runs all items, then throws the first failure in their order", async () => {
  const run: number[] = [];
  const all = mapBounded([1, 2, 3, 4], 2, async (item) => {
    run.push(item);
    if (item % 2 === 0) throw new Error(`item ${item}`);
  });

  await expect(all).rejects.toThrow("item 2");
  expect(run).toEqual([1, 2, 3, 4]);
});

it("bounded work without items returns an empty list", async () => {
  expect(await mapBounded([], 3, async () => "never")).toEqual([]);
});
