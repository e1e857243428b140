import type { EpochMs } from "#domain/shared/time";

/** The only source of the present instant. Use cases read it once and pass the instant on. */
export interface Clock {
  /** Answers the present instant. Not monotonic: it may be set back. */
  now(): EpochMs;
}
