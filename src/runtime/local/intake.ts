import type { Intake } from "../handler.ts";

/** The maximum size of all bodies in transfer. */
const mostBytes = 67_108_864;
/** The maximum number of pushes that wait for their evaluation: a few seconds of work. */
const mostWaiting = 2_000;
/**
 * The maximum time without a pause of the event loop. A longer time means that new notifications
 * wait longer than this time.
 */
const mostBusyMs = 150;
/** The pause between notifications that a busy process still takes. */
const pauseWhileBusyMs = 5;
/** The time limit of a body's transfer. */
const bodyWithinMs = 10_000;

/** The limits of a local process. */
export interface LocalIntake extends Intake {
  /** Returns false if notifications wait too long, so that this notification has to come again. */
  admit(): boolean;
}

/**
 * Returns the limits of a process for notifications.
 *
 * A body that is too slow is cut off. If all bodies together are too large, the oldest body is cut
 * off. So slow senders can't displace fast senders.
 *
 * A process that is busy for too long refuses most notifications until it has answered all waiting
 * requests. A refusal costs little, so all senders get an answer soon. A process that is always
 * busy still takes some notifications.
 *
 * @param waiting - the number of pushes that wait for their evaluation.
 * @param busyMs - the time since the last pause of the event loop.
 */
export function openIntake(waiting: () => number, busyMs = busyTime()): LocalIntake {
  const reading = new Map<() => void, number>();
  let held = 0;
  let takenAt = -Infinity;
  return {
    admit() {
      const now = performance.now();
      if (busyMs() > mostBusyMs && now - takenAt < pauseWhileBusyMs) return false;
      takenAt = now;
      return true;
    },
    beginBody(cut) {
      const deadline = setTimeout(cut, bodyWithinMs).unref();
      reading.set(cut, 0);
      return {
        grew(bytes) {
          const before = reading.get(cut);
          if (before === undefined) return;
          reading.set(cut, before + bytes);
          held += bytes;
          if (held > mostBytes) reading.keys().next().value?.();
        },
        end() {
          clearTimeout(deadline);
          held -= reading.get(cut) ?? 0;
          reading.delete(cut);
        },
      };
    },
    isFull: () => waiting() >= mostWaiting,
  };
}

/**
 * Returns a function with the time since the last pause of the event loop, in milliseconds.
 *
 * The event loop pauses only if no request and no connection waits. So no request has waited longer
 * than this time, including the time that the kernel kept its connection.
 */
function busyTime(): () => number {
  let idleBefore = 0;
  let since = performance.now();
  return () => {
    const { idle } = performance.eventLoopUtilization();
    const now = performance.now();
    if (idle !== idleBefore) since = now;
    idleBefore = idle;
    return now - since;
  };
}
