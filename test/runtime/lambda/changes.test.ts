import type { DynamoDBRecord } from "aws-lambda";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { recordItem } from "#stored/records";
import type { WorkloadRecord } from "#domain/update/state/workload";
import { handler as stateChanged } from "#functions/notify/state-changed";
import { PermanentError, TransientError } from "#ports/errors";
import type { StoredVersion } from "#ports/store";
import { changesShell } from "#runtime/lambda/changes";
import { bus } from "#runtime/lambda/wiring/bus";
import { ownQueue } from "#runtime/lambda/wiring/own-queue";
import { ledger } from "#runtime/lambda/wiring/table";
import { deployment, firstRecord, nextRecord } from "../../contracts/records.ts";
import { contextOf, type LambdaStage, lambdaStage, queueUrls } from "./stage.ts";

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
const written = (sequence: string, record: WorkloadRecord): DynamoDBRecord => entry(sequence, recordItem(record));

/** A function that fails for some versions, for now or for ever, and keeps what it was handed. */
function handing({ failing = [], poison = [] }: { failing?: readonly number[]; poison?: readonly number[] } = {}) {
  const handed: (readonly StoredVersion[])[] = [];
  const handler = changesShell(
    async (changes) => {
      handed.push(changes);
      const has = (versions: readonly number[]) => changes.some(({ record }) => versions.includes(record.version));
      if (has(poison)) throw new PermanentError("the fact is too large");
      if (has(failing)) throw new TransientError("the bus is away");
    },
    stage.settings("notify/state-changed", [ownQueue]),
  );
  return { handed, handler };
}

const versionsOf = (handed: readonly (readonly StoredVersion[])[]) =>
  handed.map((changes) => changes.map(({ record }) => record.version));

describe("record writes from the table's stream", () => {
  it("are published together, in their order and as stored", async () => {
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

  it("exclude other items and deletions", async () => {
    const { handed, handler } = handing();

    const response = await handler(
      { Records: [entry("1", { pk: "FREEZE", sk: "FREEZE", version: 1 }), entry("2", undefined)] },
      contextOf(),
    );

    expect({ response, handed }).toEqual({ response: { batchItemFailures: [] }, handed: [] });
  });

  it("are delivered again from the first failure on, after earlier writes were published", async () => {
    const { handed, handler } = handing({ failing: [2] });

    const response = await handler(
      { Records: [written("1", first), written("2", second), written("3", third)] },
      contextOf(),
    );

    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "2" }] });
    expect(versionsOf(handed)).toEqual([[1, 2, 3], [1], [2]]);
    expect(stage.lines().map(({ id, level }) => [id, level])).toEqual([
      ["1", "ERROR"],
      ["2", "ERROR"],
    ]);
  });

  it("are delivered again from a record that only a newer Lookout can read", async () => {
    const { handed, handler } = handing();
    const newer = entry("2", { ...recordItem(second), form: 99 });

    const response = await handler({ Records: [written("1", first), newer] }, contextOf());

    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "2" }] });
    expect(handed.map((changes) => changes.map(({ id }) => id))).toEqual([["e1"]]);
  });

  it("are tried once when a single write fails", async () => {
    const { handed, handler } = handing({ failing: [1] });

    expect(await handler({ Records: [written("1", first)] }, contextOf())).toEqual({
      batchItemFailures: [{ itemIdentifier: "1" }],
    });
    expect(handed).toHaveLength(1);
  });
});

describe("an unpublishable write", () => {
  /** The kept messages. */
  const letters = () =>
    stage.aws.asked
      .filter(({ input }) => input["QueueUrl"] === queueUrls.kept)
      .flatMap(({ input }) => input["Entries"] as readonly { MessageBody: string }[])
      .map(({ MessageBody }) => JSON.parse(MessageBody) as { body: string; why: string })
      .map(({ body, why }) => ({ write: JSON.parse(body) as unknown, why }));
  const write = (event: string, version: number) => ({
    ...{ event, item: "WORKLOAD#prod/shop/deployment/api", version },
  });

  it("is kept at once, by its name, and later writes are published", async () => {
    const { handed, handler } = handing({ poison: [2] });

    const response = await handler(
      { Records: [written("1", first), written("2", second), written("3", third)] },
      contextOf(),
    );

    expect(response).toEqual({ batchItemFailures: [] });
    expect(versionsOf(handed)).toEqual([[1, 2, 3], [1], [2], [3]]);
    expect(letters()).toEqual([{ write: write("e2", 2), why: "the fact is too large" }]);
    expect(stage.lines().map(({ id, error }) => [id, error])).toEqual(
      ["1", "2"].map((id) => [id, { name: "PermanentError", message: "the fact is too large" }]),
    );
  });

  it("does not hide a later failure", async () => {
    const { handler } = handing({ poison: [1], failing: [2] });

    const response = await handler({ Records: [written("1", first), written("2", second)] }, contextOf());

    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "2" }] });
    expect(letters()).toEqual([{ write: write("e1", 1), why: "the fact is too large" }]);
  });

  it("is set aside even if it is the only write, or unreadable", async () => {
    const { handed, handler } = handing();
    const response = await handler({ Records: [entry("1", { ...recordItem(second), form: 0 })] }, contextOf());

    expect({ response, handed }).toEqual({ response: { batchItemFailures: [] }, handed: [] });
    expect(letters()).toEqual([{ write: write("e1", 2), why: expect.stringContaining("has no form") as string }]);
  });

  it("is set aside when it is damaged, and later writes are published", async () => {
    const { handed, handler } = handing();
    const damaged = entry("1", recordItem({ ...second, observed: "dear diary" } as unknown as WorkloadRecord));

    const response = await handler({ Records: [damaged, written("2", third)] }, contextOf());

    expect({ response, versions: versionsOf(handed) }).toEqual({
      response: { batchItemFailures: [] },
      versions: [[3]],
    });
    expect(letters()).toEqual([
      {
        write: write("e1", 2),
        why: expect.stringContaining('is damaged: its member "observed" is not as expected') as string,
      },
    ]);
  });

  it("is set aside when its fact is too large for EventBridge", async () => {
    const handler = changesShell(stateChanged, stage.settings("notify/state-changed", [bus, ownQueue, ledger]));
    const large = nextRecord(first, {
      transitions: [{ seq: 1, what: "failed", reasons: [], changes: [], detail: "x".repeat(270_000) }],
    });

    const response = await handler({ Records: [written("1", first), written("2", large)] }, contextOf());

    expect(response).toEqual({ batchItemFailures: [] });
    expect(letters()).toEqual([
      { write: write("e2", 2), why: expect.stringMatching(/^the event RolloutFailed has \d+ bytes/) as string },
    ]);
    expect(stage.aws.asked.filter(({ operation }) => operation === "PutEvents")).toHaveLength(1);
  });

  it("is delivered again when it can't be set aside", async () => {
    stage.aws.answerNext({ error: "AccessDenied" });

    const response = await handing({ poison: [1] }).handler({ Records: [written("1", first)] }, contextOf());

    expect(response).toEqual({ batchItemFailures: [{ itemIdentifier: "1" }] });
  });
});
