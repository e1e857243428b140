import type { Tamper } from "#test/simulation/installation";
import type { Call } from "#test/simulation/runs";
import type { Fates } from "#test/simulation/rest";
import { newStory, untoldStory } from "#test/simulation/story";
import { type Ending, endingOf, lackingIn } from "./ending.ts";
import type { Scenario } from "./scenarios.ts";
import { setStage } from "./stage.ts";

/** A call of a port at which a function can be killed. */
export interface CrashPoint {
  /** Which call of the play it is, from 0. */
  readonly index: number;
  /** As `rollout/roll-out`. */
  readonly handler: string;
  /** As `cluster.patch`. */
  readonly call: string;
  readonly when: "before" | "after";
}

/** What a play with a death in it came to, beside the same play without one. */
export interface CrashOutcome {
  readonly point: CrashPoint;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Rules of the simulation that were broken. */
  readonly broken: readonly string[];
}

/**
 * Plays a scenario undisturbed, then once more for each call before and after which its function can be killed.
 *
 * @param tamper - a part that breaks a rule, in all of these plays.
 */
export async function killEverywhere(scenario: Scenario, tamper?: Tamper): Promise<readonly CrashOutcome[]> {
  const undisturbed = await playWith(undefined, scenario, tamper);
  const outcomes: CrashOutcome[] = [];
  for (const point of undisturbed.points) {
    const { ending } = await playWith(point, scenario, tamper);
    outcomes.push({ point, ...comparison(undisturbed.ending, ending, scenario) });
  }
  return outcomes;
}

/** Tells line by line what happens around the death of a function at a point. */
export async function storyOf(point: CrashPoint, scenario: Scenario): Promise<readonly string[]> {
  const story = newStory();
  await playWith(point, scenario, undefined, story);
  const death = story.lines.findIndex((line) => line.includes(", and dies"));
  return story.lines.slice(Math.max(0, death - 20), death + 100);
}

interface Play {
  readonly ending: Ending;
  readonly points: readonly CrashPoint[];
}

async function playWith(
  point: CrashPoint | undefined,
  scenario: Scenario,
  wrong: Tamper | undefined,
  story = untoldStory,
): Promise<Play> {
  const points: CrashPoint[] = [];
  const tampers = [scenario.tamper?.(), wrong].filter((tamper) => tamper !== undefined);
  let index = -1;
  let counts = false;
  const fates: Fates = (call) => {
    index += 1;
    if (counts) points.push(...pointsAt(index, call, scenario));
    return point?.index === index ? { kind: "dies", when: point.when } : { kind: "answered" };
  };
  const stage = setStage(fates, story, (ports, around) => tampers.reduce((so, tamper) => tamper(so, around), ports));
  await scenario.before?.(stage);
  counts = true;
  await scenario.play(stage);
  counts = false;
  await stage.rest();
  return { ending: await endingOf(stage), points };
}

function pointsAt(index: number, { run, port, method }: Call, { worth }: Scenario): readonly CrashPoint[] {
  const [handler = ""] = run.name.split(" ");
  if (worth?.test(`${handler} ${port}.${method}`) === false) return [];
  return (["before", "after"] as const).map((when) => ({ index, handler, call: `${port}.${method}`, when }));
}

/** Where the way may be another, the play's own records say what has to be there. */
function comparison(undisturbed: Ending, ending: Ending, { otherWays }: Scenario) {
  const wanted = [...undisturbed.state, ...(otherWays === true ? [] : undisturbed.way)];
  const found = [...ending.state, ...(otherWays === true ? [] : ending.way)];
  return {
    lost: [...lackingIn(found, wanted), ...lackingIn(ending.told, ending.called)],
    doubled: [...lackingIn(wanted, found), ...lackingIn(ending.called, ending.told)],
    broken: ending.broken,
  };
}
