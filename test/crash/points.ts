import type { Tamper } from "#test/model/world/installation";
import type { Call } from "#test/model/world/runs";
import type { Fates } from "#test/model/world/passing-time";
import { newStory, untoldStory } from "#test/model/history/story";
import { type Ending, endingOf, lackingIn } from "./ending.ts";
import type { Scenario } from "./scenarios.ts";
import { loadPatterns } from "#test/model/world/installation";
import { setStage } from "./stage.ts";

/**
 * A place in a run where its function can be killed: before a call of a port, or after the last
 * call.
 */
export interface CrashPoint {
  /** The number of the call in the play, from 0. */
  readonly index: number;
  /** The name of the function: `rollout/roll-out`. */
  readonly handler: string;
  /** The port and the method: `cluster.patch`. */
  readonly call: string;
  readonly when: "before" | "after";
}

/** The result of a play with a killed function, compared with the undisturbed play. */
export interface CrashOutcome {
  readonly point: CrashPoint;
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** Rules of the simulation that were broken. */
  readonly broken: readonly string[];
}

/** Chooses which crash points of a scenario are played. */
export type PointChoice = (points: readonly CrashPoint[]) => readonly CrashPoint[];

/** Chooses every crash point. */
export const allPoints: PointChoice = (points) => points;

/** Chooses each call of each function once, in the first scenario and the first run that make it. */
export function firstPoints(): PointChoice {
  const played = new Set<string>();
  return (points) =>
    points.filter(({ handler, call, when }) => {
      const place = `${when} ${handler} ${call}`;
      const isFirst = !played.has(place);
      played.add(place);
      return isFirst;
    });
}

/**
 * Plays a scenario undisturbed, then again for each crash point.
 *
 * The point after a call is the point before the next call of the run, and is played once.
 *
 * @param tamper - a part that breaks a rule, in all of these plays.
 * @param choose - which of the places are played.
 */
export async function* deathsIn(
  scenario: Scenario,
  tamper?: Tamper,
  choose: PointChoice = allPoints,
): AsyncGenerator<CrashOutcome> {
  const undisturbed = await playWith(undefined, scenario, tamper);
  for (const point of choose(undisturbed.points)) {
    const { ending } = await playWith(point, scenario, tamper);
    yield { point, ...comparison(undisturbed.ending, ending, scenario) };
  }
}

/** Returns the result of a scenario without a killed function. */
export async function undisturbedEnding(scenario: Scenario, tamper?: Tamper): Promise<Ending> {
  return (await playWith(undefined, scenario, tamper)).ending;
}

/** Returns whether a play has the undisturbed result. */
export function endedWell({ lost, doubled, broken }: CrashOutcome): boolean {
  return lost.length + doubled.length + broken.length === 0;
}

/** Returns the story of the run that is killed at a point, line by line. */
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
  const calls: { readonly index: number; readonly call: Call }[] = [];
  const tampers = [scenario.tamper?.(), wrong].filter((tamper) => tamper !== undefined);
  let index = -1;
  let counts = false;
  const deaths: string[] = [];
  const fates: Fates = (call) => {
    index += 1;
    if (counts) calls.push({ index, call });
    if (point?.index !== index) return { kind: "answered" };
    deaths.push(nameOf(call));
    return { kind: "dies", when: point.when };
  };
  await loadPatterns();
  const stage = setStage(
    fates,
    story,
    (ports, around) => tampers.reduce((so, tamper) => tamper(so, around), ports),
    scenario.receivers?.(),
    scenario.tiers,
  );
  await scenario.before?.(stage);
  counts = true;
  await scenario.play(stage);
  counts = false;
  await stage.rest();
  if (point !== undefined && deaths[0] !== `${point.handler} ${point.call}`)
    throw new Error(`nobody died at ${point.handler} ${point.call}`);
  return { ending: await endingOf(stage), points: pointsOf(calls, scenario) };
}

function pointsOf(
  calls: readonly { readonly index: number; readonly call: Call }[],
  { worth }: Scenario,
): readonly CrashPoint[] {
  const lastOf = new Map(calls.map(({ index, call: { run } }) => [run, index]));
  return calls.flatMap(({ index, call }) => {
    if (worth?.test(nameOf(call)) === false) return [];
    const [handler = "", named = ""] = nameOf(call).split(" ");
    const places = lastOf.get(call.run) === index ? (["before", "after"] as const) : (["before"] as const);
    return places.map((when) => ({ index, handler, call: named, when }));
  });
}

/** Returns the name of a call: `rollout/roll-out cluster.patch`. */
function nameOf({ run, port, method }: Call): string {
  return `${run.name.split(" ")[0] ?? ""} ${port}.${method}`;
}

/**
 * Returns the compared lines. If other steps are allowed, the play's own records decide the
 * required lines.
 */
function comparison(undisturbed: Ending, ending: Ending, { otherWays }: Scenario) {
  const again = lackingIn(undisturbed.shown, ending.shown);
  const wanted = [...undisturbed.state, ...(otherWays === true ? [] : undisturbed.way)];
  const found = [...ending.state, ...(otherWays === true ? [] : ending.way)];
  return {
    lost: [
      ...lackingIn(found, wanted),
      ...lackingIn(ending.shown, undisturbed.shown),
      ...lackingIn(ending.told, ending.called),
    ],
    // One message may come twice: its channel took it, and the function died before it noted that.
    doubled: [...lackingIn(wanted, found), ...again.slice(1), ...lackingIn(ending.called, ending.told)],
    broken: ending.broken,
  };
}
