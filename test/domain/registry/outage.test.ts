import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { afterSign, afterTelling, isOut, type Outage, type RegistrySign, untoldFactsOf } from "#domain/registry/outage";
import { outageCause } from "#domain/registry/outage-cause";
import { type EpochMs, epochMs, hours, minutes, plus, seconds } from "#domain/shared/time";

const noon = epochMs(Date.parse("2026-11-21T12:00:00Z"));
const detail = "registry.test could not be reached (ECONNREFUSED)";
const silence = (askedAt: EpochMs): RegistrySign => ({ kind: "no-answer", detail, askedAt });
const answer = (askedAt: EpochMs): RegistrySign => ({ kind: "answer", askedAt });

/** Returns the outage after a request at an instant, with its facts published. */
function told(outage: Outage | undefined, sign: RegistrySign, at: EpochMs): Outage | undefined {
  const next = afterSign(outage, sign, at);
  return next === undefined ? outage : afterTelling(next);
}

const begun = told(undefined, silence(noon), noon);
const later = plus(noon, minutes(4));
const ended = told(begun, answer(later), later);

describe("the outage of a registry", () => {
  it("starts with the first request without an answer", () => {
    const outage = afterSign(undefined, silence(noon), noon);

    expect(outage).toEqual({
      version: 1,
      since: noon,
      detail,
      storedAt: noon,
      untold: { names: ["RegistryUnreachable"], until: plus(noon, seconds(30)) },
    });
    expect(outage === undefined ? [] : untoldFactsOf("registry.test", outage)).toEqual([
      {
        name: "RegistryUnreachable",
        id: `registry.test/${noon}/RegistryUnreachable`,
        registry: "registry.test",
        since: noon,
        at: noon,
        detail,
      },
    ]);
  });

  it("starts with a request that took some time", () => {
    const sent = epochMs(noon - 5_000);
    expect(afterSign(undefined, silence(sent), noon)).toMatchObject({ version: 1, since: noon });
    expect(afterSign(ended, silence(later), plus(later, seconds(5)))).toMatchObject({ since: plus(later, seconds(5)) });
  });

  it("ends with the first answer", () => {
    const outage = afterSign(begun, answer(later), later);

    expect(outage).toEqual({
      version: 3,
      since: noon,
      detail,
      endedAt: later,
      storedAt: later,
      untold: { names: ["RegistryRecovered"], until: plus(later, seconds(30)) },
    });
    expect(outage === undefined ? [] : untoldFactsOf("registry.test", outage)).toMatchObject([
      { name: "RegistryRecovered", id: `registry.test/${noon}/RegistryRecovered`, since: noon, at: later },
    ]);
    expect([isOut(undefined), isOut(begun), isOut(ended)]).toEqual([false, true, false]);
  });

  it.each([
    { because: "an answer needs no outage", outage: undefined, sign: answer(noon), at: noon },
    { because: "a second failure is the same outage", outage: begun, sign: silence(later), at: later },
    { because: "a second answer ends nothing", outage: ended, sign: answer(later), at: later },
    { because: "the request was sent before the outage", outage: begun, sign: answer(epochMs(noon - 1)), at: later },
    { because: "the request was sent before its end", outage: ended, sign: silence(epochMs(later - 1)), at: later },
  ])("does not change, because $because", ({ outage, sign, at }) => {
    expect(afterSign(outage, sign, at)).toBeUndefined();
  });

  it("starts again after its end", () => {
    const again = plus(later, minutes(1));
    expect(afterSign(ended, silence(again), again)).toMatchObject({
      version: 5,
      since: again,
      untold: { names: ["RegistryUnreachable"] },
    });
    expect(afterSign(ended, silence(again), again)).not.toHaveProperty("endedAt");
  });

  it("bounds the cause", () => {
    const sign = { kind: "no-answer", detail: "x".repeat(1_000), askedAt: noon } as const;
    expect(afterSign(undefined, sign, noon)?.detail).toHaveLength(301);
  });

  it("is told by another process after half a minute, with the same ids", () => {
    const untold = afterSign(undefined, silence(noon), noon);
    const soon = plus(noon, seconds(29));
    const late = plus(noon, seconds(30));

    expect(afterSign(untold, silence(soon), soon)).toBeUndefined();
    expect(afterSign(untold, silence(late), late)).toEqual({
      ...untold,
      version: 2,
      storedAt: late,
      untold: { names: ["RegistryUnreachable"], until: plus(late, seconds(30)) },
    });
    expect(afterSign(untold, answer(late), late)?.untold?.names).toEqual(["RegistryUnreachable", "RegistryRecovered"]);
    expect(afterSign(untold, answer(soon), soon)?.untold?.names).toEqual(["RegistryRecovered"]);
  });

  it("is stored again after twelve hours, because stored outages expire", () => {
    const almost = epochMs(noon + hours(12) - 1);
    const half = plus(noon, hours(12));
    expect(afterSign(begun, silence(almost), almost)).toBeUndefined();
    expect(afterSign(begun, silence(half), half)).toEqual({ ...begun, version: 3, storedAt: half });
    expect(afterSign(ended, answer(plus(later, hours(13))), plus(later, hours(13)))).toBeUndefined();
  });

  it("starts and ends although the clock was set back", () => {
    const before = epochMs(noon - hours(2));
    expect(afterSign(begun, answer(before), before)).toMatchObject({ endedAt: before });
    expect(afterSign(ended, silence(before), before)).toMatchObject({ since: before });
    const untold = afterSign(undefined, silence(noon), noon);
    expect(afterSign(untold, silence(before), before)).toMatchObject({ untold: { names: ["RegistryUnreachable"] } });
  });

  it("has one fact for its start and one for its end, in turn, after any requests", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 50_000 }))), (requests) => {
        let outage: Outage | undefined;
        let at = noon;
        const names: string[] = [];
        for (const [answers, passed] of requests) {
          at = epochMs(at + passed);
          const next = afterSign(outage, answers ? answer(at) : silence(at), at);
          if (next === undefined) continue;
          names.push(...untoldFactsOf("registry.test", next).map(({ name }) => name));
          outage = afterTelling(next);
        }
        expect(names).toEqual(names.map((_, index) => (index % 2 === 0 ? "RegistryUnreachable" : "RegistryRecovered")));
        const last = requests.at(-1);
        if (last !== undefined) expect(isOut(outage)).toBe(!last[0]);
      }),
    );
  });
});

describe("the cause of an outage", () => {
  it.each([
    [detail, "connection refused"],
    ["registry-1.docker.io could not be reached (ENOTFOUND)", "unknown host"],
    ["registry.test could not be reached (EPROTO)", "EPROTO"],
    ["registry.test could not be reached (constructor)", "constructor"],
    ["registry.test did not answer within 10000 ms", "did not answer within 10000 ms"],
    ["mirror.test answered 503", "mirror.test answered 503"],
  ])("of %s is: %s", (text, cause) => {
    expect(outageCause("registry.test", text)).toBe(cause);
  });
});
