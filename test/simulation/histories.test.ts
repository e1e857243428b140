import { describe, expect, it } from "vitest";
import { playHistory } from "./history.ts";

const events = 150;

/** Returns consecutive seeds. */
function seeds(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

async function wrongOnes(played: readonly number[]): Promise<readonly unknown[]> {
  const wrong: unknown[] = [];
  for (const seed of played) {
    const { broken } = await playHistory({ seed, events });
    if (broken.length > 0) wrong.push({ seed, broken });
  }
  return wrong;
}

describe("a history of faults, users and pushes", () => {
  // `npm run proof:histories` plays 10,000.
  for (const first of [1, 16])
    it(`breaks no rule, with the seeds ${first} to ${first + 14}`, async () => {
      expect(await wrongOnes(seeds(first, 15))).toEqual([]);
    }, 60_000);

  it("has the same story with the same seed", async () => {
    const [once, again] = [
      await playHistory({ seed: 7, events, told: true }),
      await playHistory({ seed: 7, events, told: true }),
    ];

    expect(again).toEqual(once);
    expect(once.story.length).toBeGreaterThan(events);
  });

  it("differs with another seed", async () => {
    const [one, other] = [
      await playHistory({ seed: 7, events, told: true }),
      await playHistory({ seed: 8, events, told: true }),
    ];

    expect(other.story).not.toEqual(one.story);
  });
});
