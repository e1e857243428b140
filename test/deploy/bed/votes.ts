import { DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import type { Vote } from "#domain/approval/votes";
import type { Deployment } from "./deployment.ts";

/** A vote in the table. */
export interface StoredVote {
  readonly sk: string;
  readonly vote: Vote;
}

/** Returns all votes on a workload's updates, sorted by update, then by person. */
export async function votesOf(
  { emulator, outputs }: Pick<Deployment, "emulator" | "outputs">,
  workload: string,
): Promise<readonly StoredVote[]> {
  const query = new QueryCommand({
    TableName: outputs[stackOutputs.tableName],
    KeyConditionExpression: "pk = :workload AND begins_with(sk, :votes)",
    ExpressionAttributeValues: { ":workload": { S: `WORKLOAD#${workload}` }, ":votes": { S: "VOTE#" } },
  });
  const { Items = [] } = await new DynamoDBClient(emulator.aws).send(query);
  return Items.map((item) => {
    const { sk, vote } = unmarshall(item);
    return { sk: String(sk), vote: vote as Vote };
  });
}
