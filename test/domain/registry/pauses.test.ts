import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admitAfterPause,
  afterLimit,
  afterProbe,
  afterRegistryAnswer,
  afterResume,
  longestPause,
  mostRepositories,
  noRequestsLeft,
  pauseCause,
  pauseFor,
  type Pauses,
  type RegistryAnswer,
  runningPauses,
} from "#domain/registry/pauses";
import { type DurationMs, durationMs, epochMs, type EpochMs, hours, minutes, plus, seconds } from "#domain/shared/time";

const noon = epochMs(Date.parse("2026-11-21T12:00:00Z"));
const at = (d: DurationMs): EpochMs => plus(noon, d);
const detail = "registry.test answered 429: too many requests";

/** The pauses after a limit of one repository. */
function limited(
  pauses: Pauses | undefined,
  repository: string,
  pauseMs: number,
  {
    now = noon,
    isProbe = false,
    itself,
  }: { now?: EpochMs; isProbe?: boolean; itself?: RegistryAnswer["kind"] | undefined } = {},
): Pauses {
  return afterLimit(pauses, { repository, pauseMs, detail, isProbe }, itself, now) ?? pauses!;
}

const kindOf = (pauses: Pauses | undefined, repository: string, now: EpochMs) =>
  admitAfterPause(pauses, repository, now).kind;

describe("a limit of one repository", () => {
  it("pauses this repository until its end, and no other", () => {
    const pauses = limited(undefined, "a/x", 30_000);

    const pause = { repository: "a/x", since: noon, until: at(seconds(30)), detail };
    expect(pauses).toEqual({ version: 1, repositories: [pause] });
    expect(admitAfterPause(pauses, "a/x", at(seconds(29)))).toEqual({ kind: "rest", pause });
    expect(kindOf(pauses, "b/y", noon)).toBe("ask");
    expect(kindOf(pauses, "a/x", at(seconds(30)))).toBe("probe");
  });

  it.each([
    { asked: "an hour", pauseMs: hours(1), rests: minutes(5), askedUntil: at(hours(1)) },
    { asked: "a year", pauseMs: hours(24 * 365), rests: minutes(5), askedUntil: at(hours(24)) },
    { asked: "no end", pauseMs: Infinity, rests: minutes(5), askedUntil: at(hours(24)) },
    { asked: "five minutes", pauseMs: minutes(5), rests: minutes(5), askedUntil: undefined },
    { asked: "a fraction", pauseMs: 1_500.4, rests: durationMs(1_500), askedUntil: undefined },
    { asked: "no time", pauseMs: 0, rests: seconds(1), askedUntil: undefined },
    { asked: "a negative time", pauseMs: -5_000, rests: seconds(1), askedUntil: undefined },
  ])("that asks for $asked pauses it at most five minutes", ({ pauseMs, rests, askedUntil }) => {
    const [pause] = limited(undefined, "a/x", pauseMs).repositories;

    expect([pause?.until, pause?.askedUntil]).toEqual([at(rests), askedUntil]);
  });

  it("does not shorten a longer pause that runs, and lengthens a shorter pause", () => {
    const pauses = limited(undefined, "a/x", 30_000);
    const after = (pauseMs: number) =>
      afterLimit(pauses, { repository: "a/x", pauseMs, detail, isProbe: false }, "answers", noon);

    expect(after(30_000)).toBeUndefined();
    expect(after(10_000)).toBeUndefined();
    expect(after(60_000)).toMatchObject({ version: 2, repositories: [{ until: at(minutes(1)) }] });
  });

  it("replaces the pause, if the probe met it", () => {
    const probed = admitAfterPause(limited(undefined, "a/x", 30_000), "a/x", at(seconds(30)));
    if (probed.kind !== "probe") throw new Error("no probe");
    const again = limited(probed.pauses, "a/x", 2_000, { now: at(seconds(31)), isProbe: true });

    expect(again.repositories).toMatchObject([{ since: at(seconds(31)), until: at(seconds(33)) }]);
  });

  it("keeps a short text of its answer", () => {
    const long = { repository: "a/x", pauseMs: 1_000, detail: "x".repeat(1_000), isProbe: false };

    expect(afterLimit(undefined, long, undefined, noon)?.repositories[0]?.detail).toBe(`${"x".repeat(120)}…`);
  });
});

describe("the limits of two repositories of one registry", () => {
  it.each([
    { itself: "answers", all: false },
    { itself: "limited", all: false },
    { itself: undefined, all: false },
    { itself: "no-answer", all: true },
  ] as const)("pause the whole registry only if it gives no answer about itself ($itself)", ({ itself, all }) => {
    const one = limited(undefined, "a/x", hours(1), { itself: "no-answer" });
    const two = limited(one, "a/y", hours(1), { itself });

    expect(kindOf(one, "b/z", noon)).toBe("ask");
    expect(kindOf(two, "b/z", noon)).toBe(all ? "rest" : "ask");
    expect(kindOf(two, "b/z", at(minutes(5)))).toBe(all ? "probe" : "ask");
  });

  it("do not pause the registry if the same repository is limited twice, or the first limit has ended", () => {
    const one = limited(undefined, "a/x", 30_000, { itself: "no-answer" });

    expect(limited(one, "a/x", 60_000, { itself: "no-answer" })).not.toHaveProperty("registry");
    const late = { now: at(seconds(30)), itself: "no-answer" } as const;
    expect(limited(one, "a/y", 30_000, late)).not.toHaveProperty("registry");
  });

  it("pause the registry also if the second repository rests as long already", () => {
    const both = limited(limited(undefined, "a/x", 30_000), "a/y", 30_000);

    expect(limited(both, "a/y", 10_000, { itself: "no-answer" })).toMatchObject({
      version: 3,
      registry: { until: at(seconds(10)) },
      repositories: [{ repository: "a/x" }, { repository: "a/y", until: at(seconds(30)) }],
    });
  });
});

describe("the registry's answer about itself", () => {
  const answer = { kind: "limited", detail, pauseMs: hours(2) } as const;

  it("with a limit pauses all repositories, for five minutes at most", () => {
    const pauses = afterRegistryAnswer(limited(undefined, "a/x", 1_000), answer, noon);

    const pause = { since: noon, until: at(minutes(5)), detail, askedUntil: at(hours(2)) };
    expect(pauses).toEqual({
      version: 2,
      registry: pause,
      repositories: [{ repository: "a/x", since: noon, until: at(seconds(1)), detail }],
    });
    expect(admitAfterPause(pauses, "b/y", noon)).toEqual({ kind: "rest", pause });
    expect(pauseFor(pauses, "a/x", noon)).toEqual(pause);
    expect(kindOf(pauses, "b/y", at(minutes(5)))).toBe("probe");
  });

  it("without a limit ends the pause of the registry, and no pause of a repository", () => {
    const pauses = afterRegistryAnswer(limited(undefined, "a/x", hours(1)), answer, noon);
    const ended = afterRegistryAnswer(pauses, { kind: "answers" }, noon);

    expect(ended).toEqual({ ...limited(undefined, "a/x", hours(1)), version: 3 });
    expect(afterRegistryAnswer(ended, { kind: "answers" }, noon)).toBeUndefined();
    expect(afterRegistryAnswer(undefined, { kind: "answers" }, noon)).toBeUndefined();
  });

  it("that does not come changes nothing", () => {
    const pauses = afterRegistryAnswer(undefined, answer, noon);
    expect(afterRegistryAnswer(pauses, { kind: "no-answer" }, noon)).toBeUndefined();
  });

  it("without a pause of a repository is kept by a further limit", () => {
    const pauses = afterRegistryAnswer(undefined, answer, noon);
    expect(pauses).toMatchObject({ version: 1, repositories: [] });
    expect(limited(pauses, "a/x", 1_000).registry).toEqual(pauses?.registry);
  });
});

describe("the end of a pause", () => {
  const until = at(seconds(30));
  const paused = limited(undefined, "a/x", 30_000);

  it("allows one probe, and another after ten seconds without an answer", () => {
    const probe = admitAfterPause(paused, "a/x", until);
    if (probe.kind !== "probe") throw new Error("no probe");

    expect(probe.pauses).toMatchObject({
      version: 2,
      repositories: [{ since: noon, until: plus(until, seconds(10)) }],
    });
    expect(kindOf(probe.pauses, "a/x", until)).toBe("rest");
    expect(kindOf(probe.pauses, "a/x", plus(until, seconds(10)))).toBe("probe");
  });

  it("of a registry allows one probe for all repositories", () => {
    const pauses = afterRegistryAnswer(paused, { kind: "limited", detail, pauseMs: 30_000 }, noon);
    const probe = admitAfterPause(pauses, "b/y", until);
    if (probe.kind !== "probe") throw new Error("no probe");

    expect(kindOf(probe.pauses, "c/z", until)).toBe("rest");
    expect(probe.pauses.repositories).toEqual(paused.repositories);
    expect(afterProbe(probe.pauses, "b/y", until)).toEqual({ version: 4, repositories: paused.repositories });
  });

  it("is stored after the probe's answer", () => {
    const other = limited(paused, "b/y", hours(1));

    expect(afterProbe(other, "a/x", until)).toEqual({ version: 3, repositories: other.repositories.slice(1) });
    expect(afterProbe(other, "c/z", until)).toBeUndefined();
    expect(afterProbe(undefined, "a/x", until)).toBeUndefined();
  });

  it("needs no probe after five and a half more minutes, and is not kept", () => {
    const edge = plus(until, durationMs(longestPause + seconds(30)));
    expect(kindOf(paused, "a/x", edge)).toBe("probe");
    expect(kindOf(paused, "a/x", plus(edge, durationMs(1)))).toBe("ask");
    expect(limited(paused, "b/y", 1_000, { now: edge }).repositories).toHaveLength(2);
    expect(limited(paused, "b/y", 1_000, { now: plus(edge, durationMs(1)) }).repositories).toHaveLength(1);
  });

  it("comes with a clock that was set back, but not with another process whose clock is behind", () => {
    const whole = afterRegistryAnswer(paused, { kind: "limited", detail, pauseMs: hours(1) }, noon);
    const before = at(durationMs(-30_001));

    expect(kindOf(whole, "a/x", noon)).toBe("rest");
    expect(kindOf(whole, "b/y", at(seconds(-30)))).toBe("rest");
    expect([kindOf(whole, "b/y", before), kindOf(whole, "b/y", at(hours(-48)))]).toEqual(["ask", "ask"]);
    expect(runningPauses(whole, at(hours(-48)))).toEqual([]);
  });
});

describe("a resume by a user", () => {
  it("ends all pauses", () => {
    const pauses = afterRegistryAnswer(limited(undefined, "a/x", 1_000), { kind: "limited", detail, pauseMs: 1 }, noon);

    expect(afterResume(pauses)).toEqual({ version: 3, repositories: [] });
    expect(afterResume(limited(undefined, "a/x", 1_000))).toEqual({ version: 2, repositories: [] });
    expect(afterResume(afterRegistryAnswer(undefined, { kind: "limited", detail, pauseMs: 1 }, noon))).toEqual({
      version: 2,
      repositories: [],
    });
    expect(afterResume(afterResume(pauses))).toBeUndefined();
    expect(afterResume(undefined)).toBeUndefined();
  });
});

describe("the stored pauses", () => {
  it("are those of a hundred repositories at most: the earliest ends are dropped", () => {
    let pauses: Pauses | undefined;
    for (let index = 0; index < 300; index += 1) pauses = limited(pauses, `evil/${index}`, 60_000 + (index % 2));

    expect(pauses?.repositories).toHaveLength(mostRepositories);
    expect(new Set(pauses?.repositories.map(({ until }) => until))).toEqual(new Set([at(durationMs(60_001))]));
    expect(kindOf(pauses, "evil/299", noon)).toBe("rest");
    expect(kindOf(pauses, "evil/0", noon)).toBe("ask");
    expect(JSON.stringify(pauses).length).toBeLessThan(20_000);
  });

  it("show the registry's own pause first, then the repositories by their ends", () => {
    const two = limited(limited(undefined, "a/x", 60_000), "b/y", 30_000);
    const pauses = afterRegistryAnswer(two, { kind: "limited", detail, pauseMs: 45_000 }, noon);
    const names = (now: EpochMs) =>
      runningPauses(pauses, now).map((pause) => ("repository" in pause ? pause.repository : "registry"));

    expect(names(noon)).toEqual(["registry", "b/y", "a/x"]);
    expect(names(at(seconds(45)))).toEqual(["a/x"]);
    expect(runningPauses(undefined, noon)).toEqual([]);
    // The later end counts: the repository's own, or that of the registry.
    expect(pauseFor(pauses, "a/x", noon)?.until).toBe(at(minutes(1)));
    expect(pauseFor(pauses, "b/y", noon)?.until).toBe(at(seconds(45)));
  });

  it("never keep a repository that no limit names from being asked, in any order of answers", () => {
    const answer = fc.record({
      repository: fc.constantFrom("evil/1", "evil/2", "evil/3"),
      pauseMs: fc.double({ min: -1e15, max: 1e15, noNaN: true }),
      passes: fc.integer({ min: -600_000, max: 600_000 }),
      isProbe: fc.boolean(),
      isLimit: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(answer, { maxLength: 40 }), (answers) => {
        let [now, pauses] = [noon, undefined as Pauses | undefined];
        for (const { repository, pauseMs, passes, isProbe, isLimit } of answers) {
          now = epochMs(now + passes);
          pauses = isLimit
            ? limited(pauses, repository, pauseMs, { now, isProbe, itself: "answers" })
            : (afterProbe(pauses, repository, now) ?? pauses);
          expect(kindOf(pauses, "shop/api", now)).toBe("ask");
          expect(pauseFor(pauses, repository, plus(now, minutes(6)))).toBeUndefined();
        }
      }),
    );
  });
});

describe("the cause of a pause", () => {
  it("says what the registry answered, and how long it asked to wait", () => {
    const [short] = limited(undefined, "a/x", 1_000).repositories;
    const [long] = limited(undefined, "a/x", hours(1)).repositories;

    expect(short && pauseCause(short)).toBe(detail);
    expect(long && pauseCause(long)).toBe(`${detail}, and asked for a pause until 2026-11-21T13:00:00.000Z`);
    expect(noRequestsLeft("registry.test")).toBe(
      "registry.test states that no requests are left (ratelimit-remaining: 0)",
    );
  });
});
