import type { Freeze, FreezeScope } from "#domain/gates/freeze";

/** The freezes of this installation, one per scope at most. Reads are strongly consistent. */
export interface Freezes {
  /** Lists all freezes in one read, those whose end has come too, sorted by the text of their scope. */
  list(): Promise<readonly Freeze[]>;
  /** Freezes a scope; a freeze of the same scope is replaced. */
  put(freeze: Freeze): Promise<void>;
  /** Lifts the freeze of exactly this scope; false when there is none. */
  lift(scope: FreezeScope): Promise<boolean>;
}
