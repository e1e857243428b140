import type { EpochMs } from "#domain/shared/time";

/**
 * The arrivals of synthetic pushes at evaluation, kept for at least one hour. Reads are strongly
 * consistent.
 */
export interface ProbeResults {
  /** Stores the arrival of a push. The first arrival counts. */
  put(id: string, at: EpochMs): Promise<void>;
  /**
   * Returns when a push arrived; undefined: the push has not arrived, or its arrival has expired.
   */
  read(id: string): Promise<EpochMs | undefined>;
}
