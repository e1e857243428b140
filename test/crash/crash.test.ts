import { afterAll, describe, expect, it } from "vitest";
import { functionName, routes } from "#contracts/routes";
import { allPoints, type CrashOutcome, deathsIn, endedWell, firstPoints, type PointChoice, storyOf } from "./points.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { figuresOf } from "./figures.ts";
import { isProof } from "#test/proof";

const all: CrashOutcome[] = [];

/** The later runs of a function and the later scenarios make the same calls again: the proof has those killed too. */
const usual = isProof ? allPoints : firstPoints();

/** What a delivery does depends on what it did before, so that the same call counts more than once. */
const some: PointChoice = (points) =>
  points.filter(({ handler }, index) => handler === "notify/deliver" && index % 16 === 0);

function pointsOf({ receivers }: Scenario): PointChoice {
  return receivers === undefined || isProof ? usual : (points) => [...new Set([...usual(points), ...some(points)])];
}

afterAll(() => {
  if (!isProof) process.stdout.write("crash points: each call once; all: npm run proof\n");
  process.stdout.write(`${figuresOf(all).join("\n")}\n`);
});

describe("a function that is killed at any call, and whose message is delivered again", () => {
  for (const scenario of scenarios)
    it(`has the same result as an undisturbed run when ${scenario.what}`, async () => {
      const outcomes = await Array.fromAsync(deathsIn(scenario, undefined, pointsOf(scenario)));
      all.push(...outcomes);

      const wrong = outcomes.filter((outcome) => !endedWell(outcome));
      const [first] = wrong;
      const story = first === undefined ? [] : await storyOf(first.point, scenario);

      expect({ wrong, story }).toEqual({ wrong: [], story: [] });
      expect(isProof && outcomes.length === 0, "a scenario that reaches no call").toBe(false);
    }, 600_000);

  it("covers every function", () => {
    expect([...new Set(all.map(({ point }) => point.handler))].sort()).toEqual(routes.map(functionName).sort());
  });
});
