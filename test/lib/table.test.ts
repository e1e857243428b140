import { describe, expect, it } from "vitest";
import { deploy } from "./deployed.ts";

const stack = deploy();
const [mapping] = [...stack.resources("AWS::Lambda::EventSourceMapping").values()].filter(({ EventSourceArn }) =>
  stack.text(EventSourceArn).includes("StreamArn"),
);

describe("the table", () => {
  it("has its keys, its index, its stream, its expiry, backups to the second, and protection against deletion", () => {
    const [properties] = stack.resources("AWS::DynamoDB::GlobalTable").values();
    const key = (partition: string, sort: string) => [
      { AttributeName: partition, KeyType: "HASH" },
      { AttributeName: sort, KeyType: "RANGE" },
    ];

    expect(properties).toMatchObject({
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: key("pk", "sk"),
      GlobalSecondaryIndexes: [
        { IndexName: "due", KeySchema: key("duePk", "dueSk"), Projection: { ProjectionType: "KEYS_ONLY" } },
      ],
      StreamSpecification: { StreamViewType: "NEW_IMAGE" },
      TimeToLiveSpecification: { AttributeName: "expiresAt", Enabled: true },
      Replicas: [
        {
          Region: { Ref: "AWS::Region" },
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          DeletionProtectionEnabled: true,
        },
      ],
    });
  });

  it("stays when the stack is removed, or when a change would replace it", () => {
    expect(Object.values(stack.template.findResources("AWS::DynamoDB::GlobalTable"))).toEqual([
      expect.objectContaining({ DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain" }),
    ]);
  });

  it("is the only thing that stays", () => {
    const { Resources } = stack.template.toJSON() as {
      Resources: Record<string, { Type: string; DeletionPolicy?: string }>;
    };
    const kept = Object.values(Resources).filter(({ DeletionPolicy }) => DeletionPolicy === "Retain");

    expect(kept.map(({ Type }) => Type)).toEqual(["AWS::DynamoDB::GlobalTable"]);
  });
});

describe("the writes of records", () => {
  it("reach notify/state-changed, unlike all other writes", () => {
    expect(mapping).toMatchObject({
      FunctionName: { Ref: expect.stringContaining("notifystatechangedFunction") as string },
      FilterCriteria: { Filters: [{ Pattern: JSON.stringify({ dynamodb: { Keys: { sk: { S: ["WORKLOAD"] } } } }) }] },
      StartingPosition: "TRIM_HORIZON",
    });
  });

  it("are collected for a second, so that quick steps are published together", () => {
    expect(mapping).toMatchObject({ MaximumBatchingWindowInSeconds: 1 });
  });

  it("are retried one by one for half the time that the stream keeps them if a batch fails, and then kept", () => {
    expect(mapping).toMatchObject({
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      MaximumRecordAgeInSeconds: 43200,
      DestinationConfig: {
        OnFailure: {
          Destination: {
            "Fn::GetAtt": [expect.stringContaining("LookoutKept") as string, "Arn"],
          },
        },
      },
    });
  });
});
