import type { EpochMs } from "#domain/shared/time";
import type { RepositoryName } from "./registry.ts";

/**
 * Pushes to one repository share evaluations: one at the first push, and one after the last.
 *
 * The lease of a holder that died expires.
 */
export interface PushCoalescing {
  /**
   * Asks to evaluate a repository for a push.
   *
   * @param push - id of the push: the same push delivered again keeps its lease.
   * @returns `first`: evaluate now, then call {@link PushCoalescing.end}. `joined`: the holder
   * evaluates once more for this push.
   */
  begin(name: RepositoryName, push: string, now: EpochMs): Promise<"first" | "joined">;
  /** Ends the evaluation of the holder. `again`: others joined meanwhile, evaluate once more and end again. */
  end(name: RepositoryName, push: string, now: EpochMs): Promise<"again" | "done">;
}
