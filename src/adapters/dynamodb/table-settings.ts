import {
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from "@aws-sdk/client-dynamodb";
import { tableShape } from "#contracts/aws/table";
import { type AwsRefusal, callOnce } from "../shared/aws-errors.ts";
import { type UserOptions, userClientOptions } from "../shared/aws.ts";

/** The settings of a table that Lookout needs. A table that was restored from a backup lacks most of them. */
export interface TableSettings {
  readonly kind: "settings";
  /** Whether the stream has the new items. */
  readonly streams: boolean;
  readonly hasDueIndex: boolean;
  /** Whether DynamoDB deletes expired items. */
  readonly expires: boolean;
  /** Whether the table has point-in-time recovery. */
  readonly recovers: boolean;
  readonly isProtected: boolean;
}

/** Reads the settings of a table. */
export async function readTableSettings(table: string, options: UserOptions): Promise<TableSettings | AwsRefusal> {
  const client = new DynamoDBClient({ ...userClientOptions, ...options });
  const named = { TableName: table };
  return callOnce(client, async () => {
    const [{ Table: described = {} }, { TimeToLiveDescription: expiry }, { ContinuousBackupsDescription: backups }] =
      await Promise.all([
        client.send(new DescribeTableCommand(named)),
        client.send(new DescribeTimeToLiveCommand(named)),
        client.send(new DescribeContinuousBackupsCommand(named)),
      ]);
    const { StreamSpecification: stream, GlobalSecondaryIndexes: indexes = [] } = described;
    return {
      kind: "settings" as const,
      streams: stream?.StreamEnabled === true && /^NEW_/.test(stream.StreamViewType ?? ""),
      hasDueIndex: indexes.some(({ IndexName: name }) => name === tableShape.dueIndex.name),
      expires: expiry?.TimeToLiveStatus === "ENABLED" && expiry.AttributeName === tableShape.expiryAttribute,
      recovers: backups?.PointInTimeRecoveryDescription?.PointInTimeRecoveryStatus === "ENABLED",
      isProtected: described.DeletionProtectionEnabled === true,
    };
  });
}
