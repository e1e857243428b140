import type { DynamoDBRecord } from "aws-lambda";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { toItem } from "#adapters/dynamodb/record-item";
import type { WorkloadRecord } from "#domain/update";
import { TransientError } from "#ports/errors";
import type { Change } from "#ports/store";
import { changesShell } from "#runtime/lambda/changes";
import { deployment, firstRecord, nextRecord } from "../../contracts/records.ts";
import { contextOf, type LambdaStage, lambdaStage } from "./stage.ts";

let stage: LambdaStage;
beforeEach(async () => {
  stage = await lambdaStage();
});
afterEach(() => stage.close());

const first = firstRecord(deployment("api"));
const second = nextRecord(first);
const third = nextRecord(second);

/** An entry of the stream as Lambda gets it. */
const entry = (sequence: string, image: object | undefined): DynamoDBRecord => ({
  eventID: `e${sequence}`,
  eventName: image === undefined ? "REMOVE" : "MODIFY",
  eventSource: "aws:dynamodb",
  eventVersion: "1.1",
  awsRegion: "eu-central-1",
  dynamodb: {
    Keys: {},
    SequenceNumber: sequence,
    StreamViewType: "NEW_IMAGE",
    ...(image === undefined ? {} : { NewImage: marshall(image, { removeUndefinedValues: true }) }),
  } as NonNullable<DynamoDBRecord["dynamodb"]>,
});
const written = (sequence: string, record: WorkloadRecord): DynamoDBRecord => entry(sequence, toItem(record));

/** A function that fails for some versions, and keeps what it was handed. */
function handing(failing: readonly number[] = []) {
  const handed: (readonly Change[])[] = [];
  const handler = changesShell(async (changes) => {
    handed.push(changes);
    if (changes.some(({ record }) => failing.includes(record.version))) throw new TransientError("the bus is away");
  }, stage.settings("notify/state-changed"));
  return { handed, handler };
}

describe("the writes of records, from the table's stream", () => {
  it("are handed on together, in their order and as they were stored", async () => {
    const { handed, handler } = handing();

    const response = await handler({ Records: [written("1", first), written("2", second)] }, contextOf());

    expect(response).toEqual({ batchItemFailures: [] });
    expect(handed).toEqual([
      [
        { id: "e1", record: first },
        { id: "e2", record: second },
      ],
    ]);
  });

  it("do not include other items, nor what was deleted", async () => {
    const { handed, handler } = handing();

    const response = await handler(
      { Records: [entry("1", { pk: "FREEZE", sk: "FREEZE", version: 1 }), entry("2", undefined)] },
      contextOf(),
    );

    expect({ response, handed }).toEqual({ response: { batchItemFailures: [] }, handed: [] });
  });

  it("come again from the first that fails: those before it are told one by one", async () => {
    const { handed, handler } = handing([2]);

    const response = await handler(
      { Records: [written("1", first), written("2", second), written("3", third)] },
      contextOf(),
    );

    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "2" }] });
    expect(handed.map((changes) => changes.map(({ record }) => record.version))).toEqual([[1, 2, 3], [1], [2]]);
    expect(stage.lines().map(({ id, level }) => [id, level])).toEqual([
      ["1", "ERROR"],
      ["2", "ERROR"],
    ]);
  });

  it("come again from a record that only a newer Lookout can read", async () => {
    const { handed, handler } = handing();
    const newer = { ...second, schemaVersion: 99 } as unknown as WorkloadRecord;

    const response = await handler({ Records: [written("1", first), written("2", newer)] }, contextOf());

    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "2" }] });
    expect(handed.map((changes) => changes.map(({ id }) => id))).toEqual([["e1"]]);
  });

  it("fail as a whole when the one there is fails, and are tried once", async () => {
    const { handed, handler } = handing([1]);

    expect(await handler({ Records: [written("1", first)] }, contextOf())).toEqual({
      batchItemFailures: [{ itemIdentifier: "1" }],
    });
    expect(handed).toHaveLength(1);
  });
});
