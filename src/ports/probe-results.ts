import type { EpochMs } from "#domain/shared/time";

/**
 * The instants at which synthetic pushes arrived at the evaluation. Each instant is kept for at
 * least one hour. Reads are strongly consistent.
 */
export interface ProbeResults {
  /**
   * Stores the arrival of a push. A later arrival of the same push does not replace the first
   * arrival.
   */
  put(id: string, at: EpochMs): Promise<void>;
  /**
   * Returns the instant at which a push arrived. Returns undefined before its arrival, and after
   * the stored arrival has expired.
   */
  read(id: string): Promise<EpochMs | undefined>;
}
