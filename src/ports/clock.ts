import type { EpochMs } from "#domain/shared/time";

/**
 * The only source of the present instant. A use case reads the clock once and passes the instant
 * on.
 */
export interface Clock {
  /** Returns the present instant. The instant may go back when the clock is set. */
  now(): EpochMs;
}
