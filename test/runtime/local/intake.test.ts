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

describe("a process that has been busy", () => {
  /** Returns which of the notifications are taken that arrive one millisecond after another. */
  async function taken(count: number, busyMs: (index: number) => number): Promise<readonly number[]> {
    let index = 0;
    const intake = openIntake(
      () => 0,
      () => busyMs(index),
    );
    const indexes: number[] = [];
    for (; index < count; index += 1) {
      if (intake.admit()) indexes.push(index);
      await vi.advanceTimersByTimeAsync(1);
    }
    return indexes;
  }

  it("for at most 150 ms takes every notification", async () => {
    expect(await taken(300, () => 150)).toHaveLength(300);
  });

  it("for longer takes one notification each 5 ms", async () => {
    expect(await taken(12, () => 151)).toEqual([0, 5, 10]);
  });

  it("takes every notification again after a pause", async () => {
    expect(await taken(9, (index) => (index < 7 ? 151 : 0))).toEqual([0, 5, 7, 8]);
  });
});

describe("the time since the last pause of the event loop", () => {
  beforeEach(() => {
    vi.useRealTimers();
  });
  const work = (milliseconds: number): void => {
    for (const begun = performance.now(); performance.now() - begun < milliseconds;);
  };
  const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

  it("counts many short turns together, and a pause ends it", async () => {
    const intake = openIntake(() => 0);
    await pause();
    const before = [intake.admit(), intake.admit()];
    for (let turn = 0; turn < 8; turn += 1) {
      work(20);
      await nextTurn();
    }
    const busy = [intake.admit(), intake.admit()];
    await pause();

    expect([before, busy, [intake.admit(), intake.admit()]]).toEqual([
      [true, true],
      [true, false],
      [true, true],
    ]);
  });
});
