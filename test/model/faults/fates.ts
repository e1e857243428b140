import type { Chance } from "#test/model/chance";
import type { Call, Run } from "#test/model/world/runs";

/** What becomes of a call of a port. */
export type Fate =
  | { readonly kind: "answered" }
  /** Nothing was done, and the caller is told that it failed. */
  | { readonly kind: "fails" }
  /** It was done, and the caller is told that it failed. */
  | { readonly kind: "answer-lost" }
  /** The run ends here, and never says so. */
  | { readonly kind: "dies"; readonly when: "before" | "after" }
  | { readonly kind: "freezes"; readonly when: "before" | "after"; readonly ms: number }
  /** The cluster answers this without doing anything. */
  | { readonly kind: "refused"; readonly answer: { readonly kind: string; readonly detail?: string } }
  /** The patch is written, now or a little later, and nobody hears of it. */
  | { readonly kind: "patch-unanswered"; readonly landsAfterMs: number | undefined };

/** How often each thing goes wrong in one history; 0: never. */
export interface Weather {
  readonly fails: number;
  readonly dies: number;
  readonly freezes: number;
  readonly refused: number;
  readonly duplicated: number;
  readonly delayed: number;
  readonly lost: number;
  /** Pushes whose webhook never comes. */
  readonly untold: number;
  /** How often the clock of a function is minutes off. */
  readonly skewed: number;
  /** How often an index shows what it showed before. */
  readonly stale: number;
  /** How often the cluster goes away, for minutes or hours. */
  readonly away: number;
  /** How often a function does not know the cluster, as one that was deployed before it was added. */
  readonly unaware: number;
}

/** Nothing goes wrong. */
export const calm: Weather = {
  fails: 0,
  dies: 0,
  freezes: 0,
  refused: 0,
  duplicated: 0,
  delayed: 0,
  lost: 0,
  untold: 0,
  skewed: 0,
  stale: 0,
  away: 0,
  unaware: 0,
};

/** Picks how rough a history is: some have one fault only, some have all. */
export function weatherOf(chance: Chance): Weather {
  const rough = (most: number): number => (chance.happens(0.6) ? chance.next() * most : 0);
  return {
    fails: rough(0.04),
    dies: rough(0.02),
    freezes: rough(0.02),
    refused: rough(0.15),
    duplicated: rough(0.15),
    delayed: rough(0.15),
    lost: rough(0.2),
    untold: chance.happens(0.4) ? chance.next() : 0,
    skewed: chance.happens(0.2) ? chance.next() : 0,
    stale: rough(0.5),
    away: chance.happens(0.3) ? 0.1 : 0,
    unaware: chance.happens(0.3) ? chance.next() * 0.5 : 0,
  };
}

/** What a function is like that starts now: its clock is at most five minutes off either way, and mostly not at all. */
export function conditionOf(weather: Weather, chance: Chance): Pick<Run, "skewMs" | "knowsCluster"> {
  return {
    skewMs: chance.happens(weather.skewed) ? chance.below(600_000) - 300_000 : 0,
    knowsCluster: !chance.happens(weather.unaware),
  };
}

/** How late a message comes, as to the instant that its sender named; below 0: early, as a timer may be. */
export function lateBy(delay: number, chance: Chance): number {
  return chance.weigh([
    [6, chance.below(5_000)],
    [3, chance.below(300_000)],
    [2, -chance.below(delay)],
    [1, chance.below(86_400_000)],
    [0.3, chance.below(14 * 86_400_000)],
  ]);
}

/** Decides the fate of a call. `away`: no cluster answers at present. */
export function fateOf(call: Call, weather: Weather, away: boolean, chance: Chance): Fate {
  if (away && call.port === "cluster")
    return { kind: "refused", answer: { kind: "unreachable", detail: "simulated outage" } };
  if (chance.happens(weather.fails) && call.port !== "cluster")
    return { kind: chance.happens(0.5) ? "fails" : "answer-lost" };
  const when = chance.happens(0.5) ? "before" : "after";
  if (chance.happens(weather.dies)) return { kind: "dies", when };
  // Between the last look at the gates and the patch is where a run that freezes does most harm.
  const oftener = call.method === "patch" ? 10 : 1;
  if (chance.happens(weather.freezes * oftener)) return { kind: "freezes", when, ms: freezeOf(chance) };
  if (call.port === "cluster" && chance.happens(weather.refused)) return findBlocked(call, chance);
  if (call.port === "registry" && chance.happens(weather.refused / 3))
    return { kind: "refused", answer: { kind: chance.pick(["unreachable", "denied"]), detail: "simulated" } };
  return { kind: "answered" };
}

function freezeOf(chance: Chance): number {
  return chance.weigh([
    [3, 1_000 + chance.below(30_000)],
    [2, 60_000 + chance.below(600_000)],
  ]);
}

function findBlocked({ method }: Call, chance: Chance): Fate {
  const away = { kind: "unreachable", detail: "simulated 503" } as const;
  const denied = { kind: "denied", detail: "simulated 403" } as const;
  if (method === "patch")
    return chance.weigh<Fate>([
      [3, { kind: "refused", answer: { kind: "read-again" } }],
      [3, { kind: "refused", answer: away }],
      [1, { kind: "refused", answer: denied }],
      [1, { kind: "refused", answer: { kind: "denied-by-admission", detail: "simulated policy" } }],
      [1, { kind: "refused", answer: { kind: "invalid", detail: "spec.simulated" } }],
      [2, { kind: "patch-unanswered", landsAfterMs: undefined }],
      [3, { kind: "patch-unanswered", landsAfterMs: 0 }],
      [2, { kind: "patch-unanswered", landsAfterMs: chance.below(10_000) }],
    ]);
  return { kind: "refused", answer: chance.happens(0.75) ? away : denied };
}
