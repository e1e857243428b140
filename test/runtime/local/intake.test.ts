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
    const intake = openIntake(
      () => 0,
      () => 0,
    );
    const first = Array.from({ length: 130 }, () => intake.admit());
    await vi.advanceTimersByTimeAsync(0);
    const next = Array.from({ length: 129 }, () => intake.admit());

    expect([first.filter(Boolean).length, first.slice(127)]).toEqual([128, [true, false, false]]);
    expect([next.filter(Boolean).length, next.slice(127)]).toEqual([128, [true, false]]);
  });
});

describe("a process that has been busy", () => {
  /** Returns the number of notifications that the process takes of 100 in each of the turns. */
  async function taken(busyMs: readonly number[]): Promise<readonly number[]> {
    let busy = 0;
    const intake = openIntake(
      () => 0,
      () => busy,
    );
    const counts: number[] = [];
    for (busy of busyMs) {
      counts.push(Array.from({ length: 100 }, () => intake.admit()).filter(Boolean).length);
      await vi.advanceTimersByTimeAsync(50);
    }
    return counts;
  }

  const calm = Array<number>(10).fill(0);
  const busyFor = (seconds: number) => Array<number>(seconds * 20).fill(501);
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

  it("for at most 500 ms takes every notification", async () => {
    expect(await taken([0, 500, 500, 500])).toEqual([100, 100, 100, 100]);
  });

  it("for longer takes fewer notifications each half second, down to 50 a second", async () => {
    const counts = (await taken([...calm, ...busyFor(10)])).slice(calm.length);
    const perSecond = Array.from({ length: 10 }, (_, second) => sum(counts.slice(second * 20, second * 20 + 20)));

    // It took 2,000 a second before.
    expect(perSecond[0]).toBeGreaterThan(900);
    expect(perSecond[0]).toBeLessThan(1_500);
    expect(perSecond).toEqual(perSecond.toSorted((one, other) => other - one));
    expect(perSecond.slice(-2)).toEqual([50, 50]);
  });

  it("takes every notification again after a pause of the event loop", async () => {
    const counts = await taken([...calm, ...busyFor(10), 0, 0, 501]);

    expect(counts.slice(-3, -1)).toEqual([100, 100]);
    expect(counts.at(-1)).toBeGreaterThan(16);
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

  // A busy machine may stop this process for longer than the limit, also before its own work.
  it("counts many short turns together, and a pause ends it", { retry: 3 }, async () => {
    const intake = openIntake(() => 0);
    /** Returns whether the process takes 64 notifications in each of three turns. */
    const takesAll = async (): Promise<readonly boolean[]> => {
      const turns: boolean[] = [];
      for (let turn = 0; turn < 3; turn += 1) {
        turns.push(Array.from({ length: 64 }, () => intake.admit()).every(Boolean));
        await nextTurn();
      }
      return turns;
    };
    await pause();
    const before = await takesAll();
    for (let turn = 0; turn < 26; turn += 1) {
      work(20);
      await nextTurn();
    }
    const busy = await takesAll();
    await pause();

    expect([before, busy, await takesAll()]).toEqual([
      [true, true, true],
      [false, false, false],
      [true, true, true],
    ]);
  });
});
