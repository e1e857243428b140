import type { Vote } from "#domain/approval/votes";
import type { Deployment } from "./deployment.ts";
import { itemsIn } from "./table.ts";

/** A vote in the table. */
export interface StoredVote {
  readonly sk: string;
  readonly vote: Vote;
}

/** Returns all votes on a workload's updates, sorted by update, then by person. */
export async function votesOf(
  lookout: Pick<Deployment, "emulator" | "outputs">,
  workload: string,
): Promise<readonly StoredVote[]> {
  const items = await itemsIn(lookout, `WORKLOAD#${workload}`, "VOTE#");
  return items.map(({ sk, value }) => ({ sk, vote: value as Vote }));
}
