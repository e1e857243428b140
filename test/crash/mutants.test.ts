import { describe, expect, it } from "vitest";
import type { CrashMutant } from "#test/model/faults/mutant";
import { crashMutants } from "#test/model/faults/mutants-crash";
import { type CrashOutcome, deathsIn, endedWell, undisturbedEnding } from "./points.ts";
import { type Scenario, scenarios } from "./scenarios.ts";

function scenarioOf({ shownBy }: CrashMutant): Scenario {
  const found = scenarios.find(({ what }) => what === shownBy);
  if (found === undefined) throw new Error(`there is no scenario "${shownBy}"`);
  return found;
}

async function firstWrong(scenario: Scenario, { tamper }: CrashMutant): Promise<CrashOutcome | undefined> {
  for await (const outcome of deathsIn(scenario, tamper)) if (!endedWell(outcome)) return outcome;
  return undefined;
}

describe("a faulty part", () => {
  for (const mutant of crashMutants)
    it(`shows only when a function is killed: ${mutant.what}`, async () => {
      const scenario = scenarioOf(mutant);

      expect(await undisturbedEnding(scenario, mutant.tamper)).toEqual(await undisturbedEnding(scenario));
      expect(await firstWrong(scenario, mutant)).toBeDefined();
    }, 60_000);
});
