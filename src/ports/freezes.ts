import type { Freeze, FreezeScope } from "#domain/gates/freezes";

/** The freezes of this installation, at most one per scope. Reads are strongly consistent. */
export interface Freezes {
  /** Lists all freezes in one read, also ended ones, sorted by the text of their scope. */
  list(): Promise<readonly Freeze[]>;
  /** Stores a freeze. The new freeze replaces a freeze of the same scope. */
  put(freeze: Freeze): Promise<void>;
  /** Deletes the freeze of exactly this scope. Returns false if no freeze has this scope. */
  lift(scope: FreezeScope): Promise<boolean>;
}
