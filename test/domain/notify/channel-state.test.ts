import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admissionOf,
  afterFailure,
  afterSuccess,
  afterUntold,
  type ChannelState,
  isProbe,
  probing,
  turnedOff,
} from "#domain/notify/channel-state";
import { hours, minutes, plus, seconds, since } from "#domain/shared/time";
import { noon } from "../builders.ts";

const stamp = "stamp-1";
const why = "the server answered 500";
const send = { kind: "send" };

/** Returns the state after a number of failures in a row, each as soon as the channel is asked again. */
function failed(times: number): { readonly state: ChannelState; readonly pauses: readonly number[] } {
  let state: ChannelState | undefined;
  let now = noon;
  const pauses: number[] = [];
  for (let count = 0; count < times; count += 1) {
    if (isProbe(state, now)) state = probing(state!, now);
    state = afterFailure(state, "audit", { why }, now);
    const until = state.openUntil ?? now;
    pauses.push(since(now, until) / 60_000);
    now = until;
  }
  return { state: state!, pauses };
}

describe("a channel", () => {
  it("is asked as long as nothing is known of it", () => {
    expect(admissionOf(undefined, stamp, noon)).toEqual(send);
  });

  it("is asked after four failures, and gets a pause after five, which doubles up to an hour", () => {
    expect(failed(13).pauses).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it("is not asked during its pause, and is asked at its end", () => {
    const { state } = failed(5);
    const until = plus(noon, minutes(1));

    expect(state).toEqual({
      ...{ channel: "audit", version: 5, failures: 5, openUntil: until, why, failingSince: noon, untold: 0 },
    });
    expect(admissionOf(state, stamp, plus(noon, seconds(59)))).toEqual({ kind: "later", until, why });
    expect(admissionOf(state, stamp, until)).toEqual(send);
  });

  it("is asked by one run after its pause: the others wait for a minute", () => {
    const { state } = failed(5);
    const until = state.openUntil!;
    expect([isProbe(undefined, noon), isProbe(state, noon), isProbe(state, until)]).toEqual([false, false, true]);
    const probed = probing(state, until);

    expect(probed).toEqual({ ...state, version: 6, openUntil: plus(until, minutes(1)) });
    expect(isProbe(probed, until)).toBe(false);
    expect(admissionOf(probed, stamp, until)).toEqual({ kind: "later", until: plus(until, minutes(1)), why });
    expect(admissionOf(probed, stamp, plus(until, minutes(1)))).toEqual(send);
  });

  it.each([
    { failures: 1, asked: seconds(90), pause: 1.5, reason: "its server asks for a pause" },
    { failures: 5, asked: seconds(10), pause: 1, reason: "its own pause is longer" },
    { failures: 5, asked: hours(24), pause: 1_440, reason: "the pause that its server asks for is longer" },
  ])("pauses for $pause min after $failures failures: $reason", ({ failures, asked, pause }) => {
    const before = failures === 1 ? undefined : failed(failures - 1).state;
    const { openUntil } = afterFailure(before, "audit", { why, asked }, noon);

    expect(openUntil).toBe(plus(noon, minutes(pause)));
  });

  it("has no pause and no failures after a success", () => {
    const now = plus(noon, hours(1));

    expect(afterSuccess(failed(7).state, "audit", now)).toEqual({
      ...{ channel: "audit", version: 10, failures: 0, untold: 0, toldAt: now },
    });
  });

  it("stores a success at first, and again after an hour", () => {
    const first = afterSuccess(undefined, "audit", noon)!;

    expect(first).toEqual({ channel: "audit", version: 1, failures: 0, untold: 0, toldAt: noon });
    expect(afterSuccess(first, "audit", plus(noon, minutes(59)))).toBeUndefined();
    expect(afterSuccess(first, "audit", plus(noon, hours(1)))).toMatchObject({ version: 2 });
  });

  it("that is off stays so until its entry or its secret changes, however long that takes", () => {
    const off = turnedOff(failed(2).state, "audit", { why: "the server answered 410", stamp }, plus(noon, minutes(1)));

    expect(off).toEqual({
      ...{ channel: "audit", version: 3, failures: 3, why: "the server answered 410", offWith: stamp },
      ...{ failingSince: noon, untold: 1 },
    });
    expect(admissionOf(off, stamp, plus(noon, hours(10_000)))).toEqual({ kind: "off", why: "the server answered 410" });
    expect(admissionOf(off, "stamp-2", noon)).toEqual(send);
    expect(afterSuccess(off, "audit", noon)).toEqual({
      ...{ channel: "audit", version: 4, failures: 0, untold: 0, toldAt: noon },
    });
  });

  it("that fails after its entry changed is no longer off by the old one", () => {
    const off = turnedOff(undefined, "audit", { why: "401", stamp }, noon);
    const state = afterFailure(off, "audit", { why }, noon);

    expect(admissionOf(state, stamp, noon)).toEqual(send);
  });

  it("counts what it could not tell, until it tells something", () => {
    const one = afterUntold(undefined, "audit");
    const two = afterUntold(one, "audit");

    expect([one, two]).toEqual([
      { channel: "audit", version: 1, failures: 0, untold: 1 },
      { channel: "audit", version: 2, failures: 0, untold: 2 },
    ]);
    expect(afterFailure(two, "audit", { why }, noon).untold).toBe(2);
    expect(afterSuccess(two, "audit", noon)?.untold).toBe(0);
  });

  it("remembers its last success while it fails", () => {
    const told = afterSuccess(undefined, "audit", noon);
    const states = [
      afterFailure(told, "audit", { why }, noon),
      turnedOff(told, "audit", { why, stamp }, noon),
      afterUntold(told, "audit"),
    ];

    expect(states.map(({ toldAt }) => toldAt)).toEqual([noon, noon, noon]);
  });

  it("never skips a version, never pauses for more than an hour by itself, and works after any success", () => {
    const step = fc.constantFrom("fails", "off", "told", "untold", "probe");
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat({ max: 7_200 })), { maxLength: 40 }), (steps) => {
        let state: ChannelState | undefined;
        let now = noon;
        for (const [what, wait] of steps) {
          now = plus(now, seconds(wait));
          const next =
            what === "fails"
              ? afterFailure(state, "audit", { why }, now)
              : what === "off"
                ? turnedOff(state, "audit", { why, stamp }, now)
                : what === "untold"
                  ? afterUntold(state, "audit")
                  : what === "probe"
                    ? state && probing(state, now)
                    : afterSuccess(state, "audit", now);
          if (next !== undefined) expect(next.version).toBe((state?.version ?? 0) + 1);
          state = next ?? state;
          if (what === "told") expect(admissionOf(state, stamp, now)).toEqual(send);
          const admission = admissionOf(state, "another", now);
          if (admission.kind === "later") expect(since(now, admission.until)).toBeLessThanOrEqual(hours(1));
        }
      }),
    );
  });
});
