import type { EpochMs } from "#domain/shared/time";

/** The files that a local Lookout reads again when they change. */
export interface Reloads {
  /** Returns the outcome of the last read of each part, in a fixed order. */
  readonly list: () => readonly Reload[];
}

/** The outcome of the last read of a part. */
export interface Reload {
  readonly part: "configuration" | "certificate";
  readonly file: string;
  /** The instant at which the content in force was read. */
  readonly loadedAt: EpochMs;
  /** Why the newer content is not in force. `at`: the instant of the first failed read. */
  readonly failure?: { readonly at: EpochMs; readonly detail: string };
  /** The changed keys that need a restart. Absent if there are none. */
  readonly needsRestart?: readonly string[];
  /** A problem of the content in force. */
  readonly doubt?: string;
  /** The end of a certificate. */
  readonly expiresAt?: EpochMs;
}
