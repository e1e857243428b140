import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openIntake } from "#runtime/local/intake";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const mebibyte = 1_048_576;

describe("the limits of open bodies", () => {
  it("give a body ten seconds", async () => {
    const cut = vi.fn();
    const intake = openIntake(() => 0);
    intake.beginBody(cut);
    await vi.advanceTimersByTimeAsync(9_999);
    const before = cut.mock.calls.length;
    await vi.advanceTimersByTimeAsync(1);

    expect([before, cut.mock.calls.length]).toEqual([0, 1]);
  });

  it("do not count a body that has ended", async () => {
    const intake = openIntake(() => 0);
    const cuts = Array.from({ length: 200 }, () => vi.fn());
    for (const cut of cuts) {
      const body = intake.beginBody(cut);
      body.grew(mebibyte);
      body.end();
      body.grew(mebibyte);
    }
    await vi.advanceTimersByTimeAsync(20_000);

    expect(cuts.filter((cut) => cut.mock.calls.length > 0)).toEqual([]);
  });

  it("cut off the oldest body when all bodies together exceed 64 MiB", () => {
    const intake = openIntake(() => 0);
    const cuts = Array.from({ length: 65 }, () => vi.fn());
    for (const cut of cuts) intake.beginBody(cut).grew(mebibyte);

    expect(cuts.flatMap((cut, index) => (cut.mock.calls.length > 0 ? [index] : []))).toEqual([0]);
  });

  it.each([
    { waiting: 1_999, isFull: false },
    { waiting: 2_000, isFull: true },
  ])("are reached with $waiting waiting pushes: $isFull", ({ waiting, isFull }) => {
    expect(openIntake(() => waiting).isFull()).toBe(isFull);
  });
});

describe("the limit of notifications that arrive at once", () => {
  it("admits 128 in a turn of the event loop, and 128 in the next one", async () => {
    const intake = openIntake(() => 0);
    const first = Array.from({ length: 130 }, () => intake.admit());
    await vi.advanceTimersByTimeAsync(0);
    const next = Array.from({ length: 129 }, () => intake.admit());

    expect([first.filter(Boolean).length, first.slice(127)]).toEqual([128, [true, false, false]]);
    expect([next.filter(Boolean).length, next.slice(127)]).toEqual([128, [true, false]]);
  });
});
