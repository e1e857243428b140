import { describe, expect, it } from "vitest";
import { epochMs, hours, minutes, plus, seconds } from "#domain/shared/time";
import { clockWatch } from "#runtime/local/clock-watch";

function watched(failures = 0) {
  let now = epochMs(Date.parse("2026-11-21T12:00:00Z"));
  let steadyMs = 0;
  let left = failures;
  const notices: string[] = [];
  const sent: number[] = [];
  const watch = clockWatch({
    clock: { now: () => now },
    steadyMs: () => steadyMs,
    notice: (text, level) => void notices.push(`${level}: ${text}`),
    sendAllOpenWork: async () => {
      sent.push(steadyMs);
      left -= 1;
      if (left >= 0) throw new Error("the state is busy");
    },
  });
  /** A second passes, and the clock jumps meanwhile. */
  const tick = (jump = seconds(0)) => {
    steadyMs += 1_000;
    now = plus(plus(now, seconds(1)), jump);
    return watch();
  };
  return { tick, notices, sent };
}

const ahead =
  "error: the clock went ahead by 500d: it was set, or the machine slept. Windows, freezes and minimum ages follow this clock";
const back = "error: the clock went back by 500d: it was set. Windows, freezes and minimum ages follow this clock";

describe("the clock of the local process", () => {
  it("is told once when it jumps ahead, and once when it jumps back, and all open work is sent again", async () => {
    const { tick, notices, sent } = watched();
    for (const jump of [hours(0), hours(12_000), hours(0), hours(-12_000), hours(0)]) await tick(jump);

    expect(notices).toEqual([ahead, back]);
    expect(sent).toEqual([2_000, 4_000]);
  });

  it("is not told while it is corrected by minutes", async () => {
    const { tick, notices, sent } = watched();
    for (const jump of [minutes(5), minutes(-5), minutes(5), minutes(5)]) await tick(jump);

    expect([notices, sent]).toEqual([[], []]);
  });

  it("has the open work sent again until that succeeds", async () => {
    const { tick, notices, sent } = watched(1);
    await expect(tick(hours(12_000))).rejects.toThrow("the state is busy");
    await tick();
    await tick();

    expect(notices).toEqual([ahead]);
    expect(sent).toEqual([1_000, 2_000]);
  });
});
