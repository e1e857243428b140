import { describe, expect, it } from "vitest";
import { playHistory } from "./history.ts";
import type { HistoryMutant } from "#test/model/faults/mutant";
import { historyMutants } from "#test/model/faults/mutants";

const historiesAtMost = 1_000;

/**
 * The lengths of histories. Long histories hide a missed event behind later checks, and short
 * histories miss slow events.
 */
const lengths = [60, 200];

/** Returns the number of histories that detect a mutant; undefined for too many. */
async function historiesUntilCaught({
  tamper,
  caughtBy,
  firstSeed = 1,
  peopleControl = false,
  channels = false,
  tiers = false,
  definitions = false,
}: HistoryMutant): Promise<number | undefined> {
  for (let seed = firstSeed; seed < firstSeed + historiesAtMost; seed += 1) {
    // Channels change the choices of a seed. A jump of the clock may hide a fault, so that many more histories would be played.
    const events = lengths[seed % lengths.length] ?? 0;
    const has = { peopleControl, channels, tiers, definitions };
    const { broken } = await playHistory({ seed, events, tamper, clockJumps: false, ...has });
    if (broken.some((what) => what.startsWith(`${caughtBy}:`))) return seed - firstSeed + 1;
  }
  return undefined;
}

describe("a simulation of a world with a broken rule", () => {
  for (const mutant of historyMutants)
    it(`finds ${mutant.what} (${mutant.caughtBy})`, async () => {
      expect(await historiesUntilCaught(mutant)).toBeDefined();
    }, 600_000);
});
