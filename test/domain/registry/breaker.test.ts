import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { admit, afterBreakerResume, afterAnswer, afterFailure, type Breaker } from "#domain/registry/breaker";
import { defaultBreaker } from "#domain/registry/rules";
import { epochMs, type EpochMs, hours, minutes, plus, seconds } from "#domain/shared/time";

const noon = epochMs(Date.parse("2026-11-21T12:00:00Z"));
const fails = (at: EpochMs) => ({ detail: "registry.test answered 503", at });

function afterFailures(count: number, from?: Breaker): Breaker | undefined {
  let breaker = from;
  for (let failure = 0; failure < count; failure += 1)
    breaker = afterFailure(breaker, fails(noon), defaultBreaker, false) ?? breaker;
  return breaker;
}

describe("the circuit breaker of a registry", () => {
  it("opens after five failures in a row, for one minute", () => {
    expect(afterFailures(4)).toMatchObject({ state: "closed", failures: 4 });
    expect(afterFailures(5)).toEqual({
      version: 5,
      state: "open",
      since: noon,
      until: plus(noon, minutes(1)),
      lastFailure: fails(noon),
    });
    expect(admit(afterFailures(5), defaultBreaker, noon)).toEqual({ kind: "rest", until: plus(noon, minutes(1)) });
  });

  it("counts failed answers for one repository once, and for several repositories each", () => {
    const answered = (breaker: Breaker | undefined, repository: string) =>
      afterFailure(breaker, fails(noon), defaultBreaker, false, repository);
    const one = answered(undefined, "tenant/dead");
    expect(one).toMatchObject({ state: "closed", failures: 1, repositories: ["tenant/dead"] });
    expect(answered(one, "tenant/dead")).toBeUndefined();

    const four = ["a", "b", "c"].reduce(answered, one);
    expect(four).toMatchObject({ state: "closed", failures: 4 });
    expect(answered(four, "d")).toMatchObject({ state: "open" });
  });

  it("counts from zero after an answer, and stores nothing without a failure", () => {
    expect(afterAnswer(undefined, false)).toBeUndefined();
    const answered = afterAnswer(afterFailures(4), false);
    expect(answered).toMatchObject({ state: "closed", failures: 0 });
    expect(afterAnswer(answered, false)).toBeUndefined();
    expect(afterFailures(4, answered)).toMatchObject({ state: "closed", failures: 4 });
  });

  it("lets one probe through after the pause, and waits for its answer", () => {
    const later = plus(noon, minutes(1));
    const probe = admit(afterFailures(5), defaultBreaker, later);
    if (probe.kind !== "probe") throw new Error(probe.kind);
    expect(probe.breaker).toMatchObject({ version: 6, state: "half-open", since: noon });
    expect(admit(probe.breaker, defaultBreaker, later)).toEqual({ kind: "rest", until: plus(later, seconds(30)) });
    expect(afterAnswer(probe.breaker, true)).toMatchObject({ state: "closed", failures: 0 });
    expect(afterFailure(probe.breaker, fails(later), defaultBreaker, true)).toMatchObject({
      state: "open",
      since: noon,
      until: plus(later, minutes(1)),
    });
    // The process that sent the probe has died.
    expect(admit(probe.breaker, defaultBreaker, plus(later, seconds(30)))).toMatchObject({ kind: "probe" });
  });

  it("ignores answers to requests from before it opened", () => {
    const open = afterFailures(5);
    expect(afterAnswer(open, false)).toBeUndefined();
    expect(afterFailure(open, fails(noon), defaultBreaker, false)).toBeUndefined();
  });

  it("closes on time when the clock is set back by an hour", () => {
    expect(admit(afterFailures(5), defaultBreaker, epochMs(noon - hours(1)))).toMatchObject({ kind: "probe" });
  });

  it("admits one probe at once after a user resumed it, also during a probe", () => {
    const open = afterFailures(5);
    const resumed = afterBreakerResume(open, defaultBreaker, noon);
    expect(resumed).toEqual({ ...open, version: 6, state: "open", until: noon });
    const probe = admit(resumed, defaultBreaker, noon);
    if (probe.kind !== "probe") throw new Error(probe.kind);
    expect(afterBreakerResume(probe.breaker, defaultBreaker, noon)).toMatchObject({
      version: 8,
      state: "open",
      until: noon,
    });
  });

  it("is not changed by a user while it admits requests", () => {
    const off = { ...defaultBreaker, enabled: false };
    expect(afterBreakerResume(undefined, defaultBreaker, noon)).toBeUndefined();
    expect(afterBreakerResume(afterFailures(4), defaultBreaker, noon)).toBeUndefined();
    expect(afterBreakerResume(afterFailures(5), off, noon)).toBeUndefined();
    expect(afterBreakerResume(afterFailures(5), defaultBreaker, plus(noon, minutes(1)))).toBeUndefined();
  });

  it("never opens when it is disabled", () => {
    const off = { ...defaultBreaker, enabled: false };
    expect(afterFailure(undefined, fails(noon), off, false)).toBeUndefined();
    expect(admit(afterFailures(5), off, noon)).toEqual({ kind: "ask" });
  });

  it("in any history sends at most one probe, and opens only after enough failures", () => {
    const event = fc.record({ afterMs: fc.integer({ min: 0, max: 40_000 }), isAnswered: fc.boolean() });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), fc.integer({ min: 1, max: 6 }), (events, failureThreshold) => {
        const rule = { ...defaultBreaker, failureThreshold };
        let breaker: Breaker | undefined;
        let [now, inARow] = [noon, 0];
        for (const { afterMs, isAnswered } of events) {
          now = epochMs(now + afterMs);
          const admission = admit(breaker, rule, now);
          if (admission.kind === "rest") {
            expect(inARow).toBeGreaterThanOrEqual(failureThreshold);
            expect(admission.until - now).toBeLessThanOrEqual(rule.timeout);
            continue;
          }
          const isProbe = admission.kind === "probe";
          if (isProbe) {
            breaker = admission.breaker;
            expect(admit(breaker, rule, now).kind).toBe("rest");
          } else expect(inARow).toBeLessThan(failureThreshold);
          inARow = isAnswered ? 0 : inARow + 1;
          breaker =
            (isAnswered ? afterAnswer(breaker, isProbe) : afterFailure(breaker, fails(now), rule, isProbe)) ?? breaker;
          expect(breaker?.state ?? "closed").toBe(inARow >= failureThreshold ? "open" : "closed");
        }
      }),
    );
  });
});
