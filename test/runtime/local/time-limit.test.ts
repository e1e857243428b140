import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { withTimeLimit } from "#runtime/local/time-limit";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Runs until its signal aborts, and returns the name of the reason. */
const untilAborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const end = (): void => {
      resolve((signal.reason as Error).name);
    };
    if (signal.aborted) end();
    signal.addEventListener("abort", end);
  });

describe("a run with a time limit", () => {
  it("gets a signal at its end", async () => {
    const run = withTimeLimit(1_000, new AbortController().signal, untilAborted);
    await vi.advanceTimersByTimeAsync(1_000);

    expect(await run).toBe("TimeoutError");
  });

  it("gets a signal when the process stops, before or during the run", async () => {
    const stopping = new AbortController();
    const begun = withTimeLimit(1_000, stopping.signal, untilAborted);
    stopping.abort();

    expect([await begun, await withTimeLimit(1_000, stopping.signal, untilAborted)]).toEqual([
      "AbortError",
      "AbortError",
    ]);
  });

  it("leaves no timer behind after success or failure", async () => {
    const { signal } = new AbortController();
    await withTimeLimit(60_000, signal, () => Promise.resolve());
    await withTimeLimit(60_000, signal, () => Promise.reject(new Error("a bug"))).catch(() => undefined);

    expect(vi.getTimerCount()).toBe(0);
  });
});
