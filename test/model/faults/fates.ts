import type { Chance } from "#test/model/chance";
import type { Call, Run } from "#test/model/world/runs";

/** The fate of a call of a port. */
export type Fate =
  | { readonly kind: "answered" }
  /** The call has no effect, and the caller gets an error. */
  | { readonly kind: "fails" }
  /** The call has its effect, but the caller gets an error. */
  | { readonly kind: "answer-lost" }
  /** The run ends at this call without a result. */
  | { readonly kind: "dies"; readonly when: "before" | "after" }
  | { readonly kind: "freezes"; readonly when: "before" | "after"; readonly ms: number }
  /** The cluster gives this answer, and the call has no effect. */
  | {
      readonly kind: "refused";
      readonly answer: { readonly kind: string; readonly detail?: string; readonly why?: string };
      /** True: the call has its effect nevertheless. */
      readonly lands?: true;
    }
  /** The patch lands now or later, and the caller gets no answer. */
  | { readonly kind: "patch-unanswered"; readonly landsAfterMs: number | undefined }
  /** The caller gets a 5xx, although the patch has landed. */
  | { readonly kind: "patch-lands-and-fails" };

/** The probabilities of faults in one history. 0: never. */
export interface Weather {
  readonly fails: number;
  readonly dies: number;
  readonly freezes: number;
  readonly refused: number;
  readonly duplicated: number;
  readonly delayed: number;
  readonly lost: number;
  /** The probability that a webhook is lost. */
  readonly untold: number;
  /** The probability that a function's clock is minutes off. */
  readonly skewed: number;
  /** The probability that an index shows an earlier state. */
  readonly stale: number;
  /** The probability that the cluster is away for minutes or hours. */
  readonly away: number;
  /** The probability that a function does not know the cluster yet. */
  readonly unaware: number;
}

/** The weather without faults. */
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

/** Returns the faults of a history: one kind of fault, or several. */
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

/** Returns the condition of a new run. Its clock is at most five minutes off, and usually right. */
export function conditionOf(weather: Weather, chance: Chance): Pick<Run, "skewMs" | "knowsCluster"> {
  return {
    skewMs: chance.happens(weather.skewed) ? chance.below(600_000) - 300_000 : 0,
    knowsCluster: !chance.happens(weather.unaware),
  };
}

/**
 * Returns the lateness of a message in milliseconds. A negative value means early, as a timer may
 * be.
 */
export function lateBy(delay: number, chance: Chance): number {
  return chance.weigh([
    [6, chance.below(5_000)],
    [3, chance.below(300_000)],
    [2, -chance.below(delay)],
    [1, chance.below(86_400_000)],
    [0.3, chance.below(14 * 86_400_000)],
  ]);
}

/** Returns the fate of a call. `away`: no cluster answers now. */
export function fateOf(call: Call, weather: Weather, away: boolean, chance: Chance): Fate {
  if (away && call.port === "cluster")
    return { kind: "refused", answer: { kind: "unreachable", detail: "simulated outage" } };
  if (chance.happens(weather.fails) && call.port !== "cluster") {
    if (!chance.happens(0.5)) return { kind: "answer-lost" };
    // No method of a sender throws.
    return call.port === "sender"
      ? { kind: "refused", answer: { kind: "later", why: "simulated 503" } }
      : { kind: "fails" };
  }
  const when = chance.happens(0.5) ? "before" : "after";
  if (chance.happens(weather.dies)) return { kind: "dies", when };
  // A frozen run does most harm between the last evaluation of the gates and the patch.
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
      [2, { kind: "refused", answer: { kind: "failed", detail: "simulated 503" } }],
      [1, { kind: "patch-lands-and-fails" }],
      [1, { kind: "refused", answer: denied }],
      [1, { kind: "refused", answer: { kind: "denied-by-admission", detail: "simulated policy" } }],
      [1, { kind: "refused", answer: { kind: "invalid", detail: "spec.simulated" } }],
      [2, { kind: "patch-unanswered", landsAfterMs: undefined }],
      [3, { kind: "patch-unanswered", landsAfterMs: 0 }],
      [2, { kind: "patch-unanswered", landsAfterMs: chance.below(10_000) }],
    ]);
  if (method === "patchStatus")
    return chance.weigh<Fate>([
      [2, { kind: "refused", answer: { kind: "changed" } }],
      [2, { kind: "refused", answer: away }],
      [2, { kind: "refused", answer: away, lands: true }],
      [1, { kind: "refused", answer: denied }],
      [1, { kind: "refused", answer: { kind: "invalid", detail: "simulated" } }],
    ]);
  return { kind: "refused", answer: chance.happens(0.75) ? away : denied };
}
