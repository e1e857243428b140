import { describe, expect, it } from "vitest";
import { chanceFrom } from "#test/model/chance";
import { untoldStory } from "#test/model/history/story";
import { newInstallation } from "#test/model/world/installation";
import { callsIn, type FaultOutcome, methodsOf, playWithFault } from "./port-faults.ts";
import { type Scenario, scenarios } from "./scenarios.ts";

const playsAll = process.env["CRASH_POINTS"] === "all";

/** The errors of the calls. An unexpected error takes the same way as the other two. */
const kinds = playsAll ? (["transient", "permanent", "unexpected"] as const) : (["unexpected"] as const);

/** A scenario, and the calls that fail in it: those that no other scenario before it makes. */
interface Plays {
  readonly scenario: Scenario;
  readonly calls: readonly string[];
}

async function playsOf(): Promise<readonly Plays[]> {
  const [begins, ...others] = scenarios.filter(({ worth }) => worth === undefined || playsAll);
  const seen = new Set<string>();
  const plays: Plays[] = [];
  for (const scenario of others) {
    const calls = (await callsIn(scenario)).filter((call) => !seen.has(call));
    for (const call of calls) seen.add(call);
    if (calls.length > 0) plays.push({ scenario, calls });
  }
  // Without a record, the evaluation of a new workload has no place for a reason of its own.
  return begins === undefined ? plays : [{ scenario: begins, calls: await callsIn(begins) }, ...plays];
}

const plays = await playsOf();

describe("a function that gets an error from a call of a port", () => {
  for (const { scenario, calls } of plays)
    it.each(kinds)(
      `shows why its workloads are behind, and recovers from %s errors, when ${scenario.what}`,
      async (kind) => {
        const outcomes: FaultOutcome[] = [];
        for (const named of calls) {
          const [handler = "", call = ""] = named.split(" ");
          outcomes.push(await playWithFault({ handler, call, kind }, scenario));
        }

        expect(outcomes.filter(({ silent, lost }) => silent.length + lost.length > 0)).toEqual([]);
      },
      600_000,
    );

  it("is tried for each method of each port", () => {
    const called = new Set(plays.flatMap(({ calls }) => calls).map((call) => call.split(" ")[1]));
    const { ports } = newInstallation(chanceFrom(1), untoldStory);

    expect(methodsOf(ports).filter((method) => !called.has(method))).toEqual([]);
  });
});
