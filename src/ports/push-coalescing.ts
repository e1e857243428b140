import type { EpochMs } from "#domain/shared/time";
import type { RepositoryName } from "./registry.ts";

/**
 * Lets pushes to one repository share evaluations.
 *
 * The first push is evaluated at once. Pushes that arrive during an evaluation share the next one.
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
