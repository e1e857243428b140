import type { EpochMs } from "#domain/shared/time";

/** When synthetic pushes arrived where pushes are evaluated. Each is kept for an hour at least, then forgotten. Reads are strongly consistent. */
export interface ProbeResults {
  /** Remembers when a push arrived; one that is remembered already stays as it is. */
  put(id: string, at: EpochMs): Promise<void>;
  /** Answers when a push arrived; undefined: it has not yet, or long ago. */
  read(id: string): Promise<EpochMs | undefined>;
}
