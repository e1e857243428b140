import { type Vote, voterOfVote } from "#domain/approval/votes";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { workloadKey } from "#domain/workload/workload";
import { PermanentError } from "#ports/errors";
import type { DynamoTable, TransactionPart } from "./client.ts";
import { counterText, type ItemKey, workloadPartition } from "./keys.ts";
import { queryPartition } from "./reads.ts";

function votePrefix(seq: number): string {
  return `VOTE#${counterText(seq)}#`;
}

/** Returns the key of a vote on an update, in the partition of the workload's record. */
export function voteKey(workload: string, seq: number, vote: Pick<Vote, "person" | "proof">): ItemKey {
  return { pk: workloadPartition(workload), sk: `${votePrefix(seq)}${voterOfVote(vote)}` };
}

/** Returns the write of a record's vote. The vote replaces an older vote of the same voter. */
export function voteParts(
  { table }: DynamoTable,
  { workload, effects: { vote } }: Pick<WorkloadRecord, "workload" | "effects">,
): readonly TransactionPart[] {
  if (vote === undefined) return [];
  const key = voteKey(workloadKey(workload), vote.binding.seq, vote);
  return [{ Put: { TableName: table, Item: { ...key, vote } } }];
}

/** Lists the votes on an update, sorted by voter. */
export async function votesOn(where: DynamoTable, workload: string, seq: number): Promise<readonly Vote[]> {
  const query = { pk: workloadPartition(workload), prefix: votePrefix(seq) };
  const items = await queryPartition(where, query, `reading the votes on update ${seq} of ${workload}`);
  return items.map(({ sk, vote }) => voteIn(vote, `${workload}, ${String(sk)}`));
}

/** @throws PermanentError for a vote that this version of Lookout can't read. */
function voteIn(vote: unknown, where: string): Vote {
  if (typeof vote === "object" && vote !== null && "bindingHash" in vote && "person" in vote) return vote as Vote;
  throw new PermanentError(
    `the vote at ${where} has a format that this version of Lookout can't read: delete the vote`,
  );
}
