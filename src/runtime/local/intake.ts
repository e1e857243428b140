import type { Intake } from "../handler.ts";

/** The maximum size of all bodies in transfer. */
const mostBytes = 67_108_864;
/** The maximum number of pushes that wait for their evaluation: a few seconds of work. */
const mostWaiting = 2_000;
/**
 * The maximum number of notifications that one turn of the event loop takes: about 40 ms of work.
 */
const mostPerTurn = 128;
/**
 * The maximum time without a pause of the event loop. All notifications that wait longer are
 * refused. The rest of a second is for these refusals.
 */
const mostBusyMs = 500;
/** A busy process takes this part of the notifications that it took before. */
const partWhileBusy = 0.7;
/** The notifications of a second that a process takes however busy it is. */
const fewestPerSecond = 50;
/** A busy process takes the notifications of this time at once, and always so many. */
const burstMs = 100;
const burst = 16;
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
 * Each turn of the event loop takes a bounded number of notifications. So the API still answers
 * when more notifications arrive than the process can read.
 *
 * A process that is busy for too long takes fewer notifications each half second, until it has
 * answered all waiting requests. A refusal costs little, so all senders get an answer soon.
 *
 * @param waiting - the number of pushes that wait for their evaluation.
 * @param busyMs - the time since the last pause of the event loop.
 */
export function openIntake(waiting: () => number, busyMs = busyTime()): LocalIntake {
  const reading = new Map<() => void, number>();
  let held = 0;
  let inThisTurn = 0;
  const mayTake = paceOf(busyMs);
  return {
    admit() {
      if (inThisTurn === mostPerTurn || !mayTake()) return false;
      if (inThisTurn === 0)
        setImmediate(() => {
          inThisTurn = 0;
        });
      inThisTurn += 1;
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
 * Returns a function that says whether a busy process takes one more notification, and counts it.
 *
 * Each half second without a pause of the event loop slows the pace down. A pause shows that nothing
 * waits, and ends all limits.
 */
function paceOf(busyMs: () => number): () => boolean {
  let perSecond = Infinity;
  let takesFrom = 0;
  let window = { since: performance.now(), taken: 0, takenBefore: 0 };
  return () => {
    const now = performance.now();
    const isBusy = busyMs() > mostBusyMs;
    const windowMs = Math.max(mostBusyMs, now - window.since);
    const isOver = now - window.since >= mostBusyMs;
    const taken = (Math.max(window.taken, isOver ? 0 : window.takenBefore) * 1_000) / windowMs;
    if (!isBusy) perSecond = Infinity;
    else if (isOver || perSecond === Infinity)
      perSecond = Math.max(fewestPerSecond, partWhileBusy * Math.min(perSecond, taken));
    if (isOver) window = { since: now, taken: 0, takenBefore: window.taken };
    if (perSecond !== Infinity) {
      if (takesFrom > now) return false;
      const atOnceMs = Math.max(burstMs, (burst * 1_000) / perSecond);
      takesFrom = Math.max(takesFrom, now - atOnceMs) + 1_000 / perSecond;
    }
    window.taken += 1;
    return true;
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
