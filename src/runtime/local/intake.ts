import type { Intake } from "../handler.ts";

/** The maximum size of all bodies in transfer. */
const mostBytes = 67_108_864;
/** The maximum number of pushes that wait for their evaluation: a few seconds of work. */
const mostWaiting = 2_000;
/**
 * The maximum number of notifications that one turn of the event loop takes: about 40 ms of work.
 */
const mostPerTurn = 128;
/** The time limit of a body's transfer. */
const bodyWithinMs = 10_000;

/**
 * Returns the limits of a process for notifications.
 *
 * A body that is too slow is cut off. If all bodies together are too large, the oldest body is cut
 * off. So slow senders can't displace fast senders.
 *
 * Each turn of the event loop takes a bounded number of notifications. So the API still answers
 * when more notifications arrive than the process can read.
 *
 * @param waiting - the number of pushes that wait for their evaluation.
 */
export function openIntake(waiting: () => number): Intake {
  const reading = new Map<() => void, number>();
  let held = 0;
  let inThisTurn = 0;
  return {
    admit() {
      if (inThisTurn === 0)
        setImmediate(() => {
          inThisTurn = 0;
        });
      inThisTurn += 1;
      return inThisTurn <= mostPerTurn;
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
