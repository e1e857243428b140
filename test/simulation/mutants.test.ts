import { describe, expect, it } from "vitest";
import { playHistory } from "./history.ts";
import { mutants } from "#test/model/faults/mutants";
import type { Mutant } from "#test/model/faults/mutants-gates";

const historiesAtMost = 1_000;

/** Long histories hide what is missed until someone looks again, short ones never get to what takes long. */
const lengths = [60, 200];

/** Answers how many histories it takes until the rule of a mutant is seen broken; undefined: too many. */
async function historiesUntilCaught({ tamper, caughtBy }: Mutant): Promise<number | undefined> {
  for (let seed = 1; seed <= historiesAtMost; seed += 1) {
    const { broken } = await playHistory({ seed, events: lengths[seed % lengths.length] ?? 0, tamper });
    if (broken.some((what) => what.startsWith(`${caughtBy}:`))) return seed;
  }
  return undefined;
}

describe("a simulation of a world that breaks a rule", () => {
  for (const mutant of mutants)
    it(`finds ${mutant.what} (${mutant.caughtBy})`, async () => {
      expect(await historiesUntilCaught(mutant)).toBeDefined();
    }, 120_000);
});
