import type { Intake } from "../handler.ts";

/** How much all bodies may hold that are still being read. */
const mostBytes = 67_108_864;
/** How many pushes may wait for their evaluation: a few seconds of work. */
const mostWaiting = 2_000;
/** How long a body may take. Senders send theirs in one piece. */
const bodyWithinMs = 10_000;

/**
 * Returns the limits of the notifications that a process holds.
 *
 * A body that is too slow is cut off. When all bodies together are too large, the oldest is
 * dropped. So a sender that keeps bodies open can't push out bodies that arrive at once.
 *
 * @param waiting - the number of pushes that wait for their evaluation.
 */
export function openIntake(waiting: () => number): Intake {
  const reading = new Map<() => void, number>();
  let held = 0;
  return {
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
