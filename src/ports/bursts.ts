import type { EpochMs } from "#domain/shared/time";
import type { RepositoryName } from "./registry.ts";

/**
 * Joins the pushes of a burst to one repository: the first is evaluated at once, and once more after the last.
 *
 * The marker of a holder that died expires by itself.
 */
export interface Bursts {
  /**
   * Asks to evaluate a repository for a push.
   *
   * @param push - identity of the push event: a redelivered push that holds the marker goes on with it.
   * @returns `first`: evaluate now, then call {@link Bursts.end}. `joined`: the holder evaluates once more for this one.
   */
  begin(name: RepositoryName, push: string, now: EpochMs): Promise<"first" | "joined">;
  /** Ends the evaluation of the holder. `again`: others joined meanwhile, evaluate once more and end again. */
  end(name: RepositoryName, push: string, now: EpochMs): Promise<"again" | "done">;
}
