import { describe, expect, it } from "vitest";
import { playHistory } from "./history.ts";
import type { HistoryMutant } from "#test/model/faults/mutant";
import { historyMutants } from "#test/model/faults/mutants";

const historiesAtMost = 1_000;

/** Long histories hide what is missed until someone looks again, short ones never get to what takes long. */
const lengths = [60, 200];

/** Answers how many histories it takes until the rule of a mutant is seen broken; undefined: too many. */
async function historiesUntilCaught({ tamper, caughtBy, firstSeed = 1 }: HistoryMutant): Promise<number | undefined> {
  for (let seed = firstSeed; seed < firstSeed + historiesAtMost; seed += 1) {
    const { broken } = await playHistory({ seed, events: lengths[seed % lengths.length] ?? 0, tamper });
    if (broken.some((what) => what.startsWith(`${caughtBy}:`))) return seed - firstSeed + 1;
  }
  return undefined;
}

describe("a simulation of a world with a broken rule", () => {
  for (const mutant of historyMutants)
    it(`finds ${mutant.what} (${mutant.caughtBy})`, async () => {
      expect(await historiesUntilCaught(mutant)).toBeDefined();
    }, 120_000);
});
