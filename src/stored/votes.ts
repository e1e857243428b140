import { type Vote, voterOfVote } from "#domain/approval/votes";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { ItemWrite } from "#ports/items";
import type { WorkloadStore } from "#ports/store";
import { counterText, workloadPartition } from "./keys.ts";
import { itemOf, type Kind, type Storage, valuesOf } from "./kind.ts";
import { vote } from "./record-shape.ts";

/** The kind of votes. */
export const voteKind: Kind<Vote> = {
  name: "vote",
  form: 1,
  shape: vote,
  isAt: (cast, { sk }) => sk === `${prefixOf(cast.binding.seq)}${voterOfVote(cast)}`,
};

function prefixOf(seq: number): string {
  return `VOTE#${counterText(seq)}#`;
}

/** Returns the write of a record's vote. The vote replaces an older vote of the same voter. */
export function voteWrites({ workload, effects: { vote: cast } }: WorkloadRecord): readonly ItemWrite[] {
  if (cast === undefined) return [];
  const key = { pk: workloadPartition(workloadKey(workload)), sk: `${prefixOf(cast.binding.seq)}${voterOfVote(cast)}` };
  return [{ kind: "put", item: itemOf(voteKind, key, cast) }];
}

/** Returns the votes, which are written with the record of their workload. */
export function storedVotes(storage: Storage): Pick<WorkloadStore, "votes"> {
  return {
    async votes(workload, seq) {
      const query = { pk: workloadPartition(workload), prefix: prefixOf(seq) };
      const found = await storage.items.query(query, `reading the votes on update ${seq} of ${workload}`);
      return valuesOf(voteKind, found, storage);
    },
  };
}
