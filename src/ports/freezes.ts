import type { Freeze, FreezeScope } from "#domain/gates/freezes";

/** The freezes of this installation, one per scope at most. Reads are strongly consistent. */
export interface Freezes {
  /** Lists all freezes in one read, also ended ones, sorted by the text of their scope. */
  list(): Promise<readonly Freeze[]>;
  /** Stores a freeze. It replaces a freeze of the same scope. */
  put(freeze: Freeze): Promise<void>;
  /** Deletes the freeze of exactly this scope; false when there is none. */
  lift(scope: FreezeScope): Promise<boolean>;
}
