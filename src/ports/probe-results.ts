import type { EpochMs } from "#domain/shared/time";

/**
 * The arrivals of synthetic pushes at evaluation, kept for at least one hour. Reads are strongly
 * consistent.
 */
export interface ProbeResults {
  /** Stores the arrival of a push. The first arrival counts. */
  put(id: string, at: EpochMs): Promise<void>;
  /**
   * Returns the instant at which a push arrived. Returns undefined before its arrival, and after
   * the stored arrival has expired.
   */
  read(id: string): Promise<EpochMs | undefined>;
}
