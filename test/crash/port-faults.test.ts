import { describe, expect, it } from "vitest";
import { chanceFrom } from "#test/model/chance";
import { untoldStory } from "#test/model/history/story";
import { newInstallation } from "#test/model/world/installation";
import { callsIn, type FaultOutcome, playWithFault, portsOf } from "./port-faults.ts";
import { isProof } from "#test/proof";
import { type Scenario, scenarios } from "./scenarios.ts";

/** The errors of the calls. An unexpected error takes the same way as the other two. */
const kinds = isProof ? (["transient", "permanent", "unexpected"] as const) : (["unexpected"] as const);

/** The scenarios that reach most calls. The proof plays all of them. */
const usual = /first time|undoes an update|missed push|its stuck pod freed|told of an update|checks allow an update/;

/** A scenario, and the calls that fail in it: those that no other scenario before it makes. */
interface Plays {
  readonly scenario: Scenario;
  readonly calls: readonly string[];
}

async function playsOf(): Promise<readonly Plays[]> {
  const seen = new Set<string>();
  const plays: Plays[] = [];
  for (const scenario of scenarios.filter(({ what }) => isProof || usual.test(what))) {
    const calls = (await callsIn(scenario)).filter((call) => !seen.has(call));
    if (calls.length > 0) plays.push({ scenario, calls });
    // The first evaluation of a workload has no record for a reason, so later evaluations fail too.
    const isFirst = plays.length === 1;
    for (const call of calls) if (!isFirst || !call.startsWith("evaluate/evaluate-workload ")) seen.add(call);
  }
  return plays;
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

  it("is tried for each port that the functions of the scenarios use", () => {
    const called = new Set(plays.flatMap(({ calls }) => calls).map((call) => call.split(/[ .]/)[1]));
    const { ports } = newInstallation(chanceFrom(1), untoldStory);
    // Probes, registrations, tokens, patterns and imports are part of no scenario, and spending asks no other system.
    // Definitions count only where lookout.yaml says so. Channels are read from the configuration, and the simulated queues store no messages.
    const elsewhere = [
      "probeResults",
      "channels",
      "messages",
      "registrations",
      "patterns",
      "forms",
      "definitions",
      "spending",
      "storedItems",
      "tokens",
      "unreadableItems",
    ];
    const others = isProof ? elsewhere : [...elsewhere, "tagHistory", "sightings", "tierMembers"];

    expect(
      portsOf(ports)
        .filter((port) => !called.has(port))
        .toSorted(),
    ).toEqual(others.toSorted());
  });
});
