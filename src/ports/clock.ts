import type { EpochMs } from "#domain/shared/time";

/** The only source of the present instant. Use cases read it once and pass the instant on. */
export interface Clock {
  /** Returns the present instant. It may go back when the clock is set. */
  now(): EpochMs;
}
