import { epochMs } from "#domain/shared/time";
import type { Clock } from "#ports/clock";

/** A clock for what asks for none: it stands still. */
export const stoppedClock: Clock = { now: () => epochMs(0) };
