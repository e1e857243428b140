import { type Vote, voterOfVote } from "#domain/approval/votes";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import type { ItemWrite } from "#ports/items";
import type { WorkloadStore } from "#ports/store";
import { counterText, workloadPartition } from "./keys.ts";
import { itemOf, type Kind, objectWith, type Storage, valuesOf } from "./kind.ts";

/** A vote on an update. */
export const kind: Kind<Vote> = {
  name: "vote",
  form: 1,
  read: objectWith({ bindingHash: "string", person: "string" }),
};

function prefixOf(seq: number): string {
  return `VOTE#${counterText(seq)}#`;
}

/** Returns the write of a record's vote. The vote replaces an older vote of the same voter. */
export function voteWrites({ workload, effects: { vote } }: WorkloadRecord): readonly ItemWrite[] {
  if (vote === undefined) return [];
  const key = { pk: workloadPartition(workloadKey(workload)), sk: `${prefixOf(vote.binding.seq)}${voterOfVote(vote)}` };
  return [{ kind: "put", item: itemOf(kind, key, vote) }];
}

/** Returns the votes, which are written with the record of their workload. */
export function storedVotes(storage: Storage): Pick<WorkloadStore, "votes"> {
  return {
    async votes(workload, seq) {
      const query = { pk: workloadPartition(workload), prefix: prefixOf(seq) };
      const found = await storage.items.query(query, `reading the votes on update ${seq} of ${workload}`);
      return valuesOf(kind, found, storage);
    },
  };
}
