import { formatDuration } from "#domain/shared/duration";
import { durationMs } from "#domain/shared/time";
import { mostClockDifference } from "#domain/shared/wrong-clock";
import type { Clock } from "#ports/clock";

/** The clock of the process, and what follows a jump. */
export interface ClockWatchOptions {
  readonly clock: Clock;
  /** Returns the milliseconds since any instant, by a clock that never jumps. */
  readonly steadyMs: () => number;
  readonly notice: (text: string, level: "error") => void;
  /** Sends all open work again, because its timers were computed by another clock. */
  readonly sendAllOpenWork: () => Promise<void>;
}

/**
 * Returns the task that compares the clock with a clock that never jumps. Call it every second. A jump is told once. A
 * failed sending is repeated at the next call.
 */
export function clockWatch({ clock, steadyMs, notice, sendAllOpenWork }: ClockWatchOptions): () => Promise<void> {
  const offset = (): number => clock.now() - steadyMs();
  let known = offset();
  let isToSend = false;
  return async () => {
    const present = offset();
    const jumpedMs = Math.round(present - known);
    known = present;
    if (Math.abs(jumpedMs) > mostClockDifference) {
      notice(jumpText(jumpedMs), "error");
      isToSend = true;
    }
    if (!isToSend) return;
    isToSend = false;
    await sendAllOpenWork().catch((error: unknown) => {
      isToSend = true;
      throw error;
    });
  };
}

function jumpText(jumpedMs: number): string {
  const time = formatDuration(durationMs(Math.round(Math.abs(jumpedMs) / 1_000) * 1_000));
  return jumpedMs > 0
    ? `the clock went ahead by ${time}: it was set, or the machine slept. Windows, freezes and minimum ages follow this clock`
    : `the clock went back by ${time}: it was set. Windows, freezes and minimum ages follow this clock`;
}
