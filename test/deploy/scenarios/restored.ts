/** A deployment with a restored table, as docs/restore.md describes it. */
import { until } from "#test/cluster/bed/until";
import { join } from "node:path";
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { GetSecretValueCommand, ListSecretsCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { beforeAll, describe, expect, it } from "vitest";
import { readTableSettings } from "#adapters/dynamodb/table-settings";
import { tableCheck } from "#cli/answers/table-check";
import { stackOutputs } from "#contracts/aws/stack-outputs";
import { tableShape } from "#contracts/aws/table";
import type { WorkloadRecord } from "#domain/update/state/workload";
import type { AwsOptions } from "../bed/emulator.ts";
import { itemsIn, lastingItems, lostOf, scan } from "../bed/table.ts";
import { addressesIn, deployDuringPushes, faultsBeside, imageOf, type Scene } from "./scene.ts";

export const restoredTable = "lookout-restored";
const named = { TableName: restoredTable };
const key = "production/default/deployment/busy-b";

export function describeRestoredTable(scene: () => Scene): void {
  describe("a table that was restored from a backup", () => {
    const { partitionKey, sortKey, dueIndex } = tableShape;

    /** Creates a table as DynamoDB restores it: the keys, the index and the items. */
    async function restore(options: AwsOptions, from: string): Promise<void> {
      const client = new DynamoDBClient(options);
      const texts = [partitionKey, sortKey, dueIndex.partitionKey, dueIndex.sortKey];
      const keys = (hash: string, range: string) => [
        { AttributeName: hash, KeyType: "HASH" as const },
        { AttributeName: range, KeyType: "RANGE" as const },
      ];
      await client.send(
        new CreateTableCommand({
          ...named,
          BillingMode: "PAY_PER_REQUEST",
          AttributeDefinitions: texts.map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
          KeySchema: keys(partitionKey, sortKey),
          GlobalSecondaryIndexes: [
            {
              IndexName: dueIndex.name,
              KeySchema: keys(dueIndex.partitionKey, dueIndex.sortKey),
              Projection: { ProjectionType: "KEYS_ONLY" },
            },
          ],
        }),
      );
      const items = await scan(options, from);
      for (let begin = 0; begin < items.length; begin += 25) {
        const RequestItems = {
          [restoredTable]: items.slice(begin, begin + 25).map((Item) => ({ PutRequest: { Item } })),
        };
        await client.send(new BatchWriteItemCommand({ RequestItems }));
      }
    }

    /** The check of `lookout doctor --stack`. */
    async function checked({ credentials, ...options }: AwsOptions) {
      const settings = await readTableSettings(restoredTable, {
        ...options,
        credentials: () => Promise.resolve(credentials),
      });
      return tableCheck({ ...settings, name: restoredTable });
    }

    /** The commands of the page. */
    async function enable(client: DynamoDBClient): Promise<void> {
      const StreamSpecification = { StreamEnabled: true, StreamViewType: "NEW_IMAGE" } as const;
      await client.send(new UpdateTableCommand({ ...named, DeletionProtectionEnabled: true, StreamSpecification }));
      const TimeToLiveSpecification = { Enabled: true, AttributeName: "expiresAt" };
      await client.send(new UpdateTimeToLiveCommand({ ...named, TimeToLiveSpecification }));
      const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true };
      await client.send(new UpdateContinuousBackupsCommand({ ...named, PointInTimeRecoverySpecification }));
    }

    let checks: readonly Awaited<ReturnType<typeof checked>>[] = [];
    let before: Awaited<ReturnType<typeof lastingItems>> = new Map();
    let outputs: Readonly<Record<string, string>> = {};

    beforeAll(async () => {
      const { lookout } = scene();
      const { aws } = lookout.emulator;
      const client = new DynamoDBClient(aws);
      await restore(aws, lookout.outputs[stackOutputs.tableName] ?? "");
      const first = await checked(aws);
      await enable(client);
      checks = [first, await checked(aws)];
      before = await lastingItems(aws, restoredTable);
      const { Table = {} } = await client.send(new DescribeTableCommand(named));
      outputs = await deployDuringPushes(scene(), "busy-a", 6, restoredCdk(scene(), Table));
    }, 300_000);

    it("lacks what doctor names, until the commands of the page ran", () => {
      expect(checks).toMatchObject([
        {
          check: "table",
          verdict: "wrong",
          detail:
            "the table lookout-restored has no stream of new items, so no fact is published; no point-in-time recovery; " +
            "no expiry, so it grows; no protection against deletion",
          remedy: "The commands are in docs/restore.md.",
        },
        { check: "table", verdict: "well" },
      ]);
    });

    it("continues the state: an update has the next number, and addresses stay", async () => {
      const { lookout, untilRuns } = scene();
      const { aws } = lookout.emulator;
      const restored = { emulator: lookout.emulator, outputs: { [stackOutputs.tableName]: restoredTable } };
      const stored = async (): Promise<WorkloadRecord | undefined> =>
        (await itemsIn(restored, `WORKLOAD#${key}`, "WORKLOAD"))[0]?.value as WorkloadRecord | undefined;
      const seqBefore = (await stored())?.seq ?? NaN;

      const digest = await lookout.ecr.push("shop/busy-b", "6.0.0");
      await untilRuns("busy-b", imageOf(scene(), "busy-b", "6.0.0", digest));
      await until("the update has succeeded", () =>
        Promise.resolve(
          lookout.facts
            .of("busy-b")
            .find(
              ({ name, seq, workload }) =>
                name === "RolloutSucceeded" && seq === seqBefore + 1 && workload.cluster === "production",
            ),
        ),
      );

      expect(outputs[stackOutputs.tableName]).toBe(restoredTable);
      expect(addressesIn(outputs)).toEqual(addressesIn(lookout.outputs));
      expect((await stored())?.seq).toBe(seqBefore + 1);
      expect(lostOf(before, await lastingItems(aws, restoredTable))).toEqual([]);
    });

    it("takes no update under pushes for a user's revert", () => {
      expect(scene().lookout.facts.facts.filter(({ name }) => name === "RevertedByUser")).toEqual([]);
    });

    it("lets the construct's own receiver take notifications that its new secret signs", async () => {
      const { lookout } = scene();
      const secrets = new SecretsManagerClient(lookout.emulator.aws);
      const { SecretList = [] } = await secrets.send(new ListSecretsCommand({}));
      const { SecretString: secret = "" } = await secrets.send(
        new GetSecretValueCommand({ SecretId: SecretList[0]?.ARN ?? "" }),
      );
      const body = { name: `${lookout.registry.host}/shop/built`, tag: "1.1.0" };

      expect(await lookout.notify(body, secret, "added")).toBe(202);
      expect(await lookout.notify(body, `${secret}!`, "added")).toBe(401);
    });

    it("is reached by functions with rights for it", async () => {
      const { lookout } = scene();
      const old = lookout.outputs[stackOutputs.tableName] ?? "";
      expect(await faultsBeside(lookout, new RegExp(`-vpc-|:table/${old}(/|$)`))).toEqual([]);
    });
  });
}

/** Returns the commands for the app with the restored table. */
function restoredCdk({ lookout }: Scene, { TableArn = "", LatestStreamArn = "" }: TableDescription) {
  const app = join(import.meta.dirname, "../bed/restored-app.ts");
  return lookout.cdk.withApp(app, { RESTORED_TABLE: TableArn, RESTORED_STREAM: LatestStreamArn });
}
