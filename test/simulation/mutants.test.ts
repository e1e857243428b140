import { describe, expect, it } from "vitest";
import { playHistory } from "./history.ts";
import { type Mutant, mutants } from "./mutants.ts";

const historiesAtMost = 250;

/** Answers the rules that the first history broke which one of the expected rules catches; empty: none did. */
async function caught({ tamper, caughtBy }: Mutant): Promise<readonly string[]> {
  for (let seed = 1; seed <= historiesAtMost; seed += 1) {
    const { broken } = await playHistory({ seed, events: 200, tamper });
    const rules = broken.map((what) => what.split(":")[0] ?? "");
    if (rules.some((rule) => caughtBy.includes(rule))) return rules;
  }
  return [];
}

describe("a simulation of a world that breaks a rule", () => {
  for (const mutant of mutants)
    it(`finds ${mutant.what}`, async () => {
      expect(await caught(mutant)).not.toEqual([]);
    }, 60_000);
});
