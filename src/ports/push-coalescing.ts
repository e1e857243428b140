import type { EpochMs } from "#domain/shared/time";
import type { RepositoryName } from "./registry.ts";

/**
 * Lets pushes to one repository share evaluations.
 *
 * The first push is evaluated immediately. Pushes that arrive during an evaluation share the next
 * evaluation. If a holder dies, its lease expires.
 */
export interface PushCoalescing {
  /**
   * Begins or joins the evaluation of a repository for a push.
   *
   * @param push - the id of the push. The same push delivered again keeps its lease.
   * @returns `first`: evaluate now, then call {@link PushCoalescing.end}. `joined`: the holder
   *   evaluates the repository again for this push.
   */
  begin(name: RepositoryName, push: string, now: EpochMs): Promise<"first" | "joined">;
  /**
   * Ends the evaluation of the holder. `again`: other pushes have joined, so evaluate and end
   * again.
   */
  end(name: RepositoryName, push: string, now: EpochMs): Promise<"again" | "done">;
}
