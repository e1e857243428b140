import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { environment as names } from "#contracts/aws/environment";
import { openEnvelope } from "#contracts/messages/envelope-schema";
import { sealEnvelope } from "#contracts/messages/envelope";
import { parseJson } from "#domain/shared/json";
import { epochMs, hours, minutes } from "#domain/shared/time";
import { TransientError } from "#ports/errors";
import { letterBody } from "#runtime/dead-letter";
import { onDeadLetter } from "#runtime/handler";
import { queueShell } from "#runtime/lambda/queue";
import type { LambdaHandler } from "#runtime/lambda/shell";
import { ownQueue } from "#runtime/lambda/wiring/own-queue";
import { queues } from "#runtime/lambda/wiring/queues";
import { table } from "#runtime/lambda/wiring/table";
import { type AwsMessaging, awsMessaging } from "./aws-messaging.ts";
import { batch, contextOf, type LambdaStage, lambdaStage, queueUrls } from "./stage.ts";

let aws: AwsMessaging;
let stage: LambdaStage;
/** The instants of all tries. */
let tries: number[];
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 2, 3, 4, 5) });
  aws = awsMessaging();
  stage = await lambdaStage(aws.answer);
  tries = [];
});
afterEach(async () => {
  vi.useRealTimers();
  await stage.close();
});

const wake = JSON.stringify({
  ...{ name: "Wake", uid: "u", seq: 1, version: 1 },
  workload: { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" },
});
const letter = letterBody({ body: wake, why: "a bug" });
const done: SQSBatchResponse = { batchItemFailures: [] };
const again = (...ids: readonly string[]): SQSBatchResponse => ({
  batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })),
});

/** Returns the function of dead letters, while the table is away. */
function failing(): LambdaHandler<SQSEvent, SQSBatchResponse> {
  const fail = onDeadLetter(() => {
    tries.push(Date.now());
    return Promise.reject(new TransientError("the table is away"));
  });
  return queueShell(fail, stage.settings("gate/dead-letter", [ownQueue, queues, table]));
}

/** A batch of letters, each with the number of its deliveries. */
function received(...letters: readonly (readonly [body: string, receives: number])[]): SQSEvent {
  const { Records } = batch(...letters.map(([body]) => body));
  return {
    Records: Records.map((one, index) => ({
      ...one,
      eventSourceARN: "arn:aws:sqs:eu-central-1:111122223333:dead-letter",
      attributes: { ...one.attributes, ApproximateReceiveCount: String(letters[index]?.[1]) },
    })),
  };
}

const asked = (): readonly unknown[] =>
  stage.aws.asked.map(({ operation, input }) => [operation, input["QueueUrl"], input["Entries"]]);
const sentAgain = (timesFailed: number, pauseMs: number): string =>
  sealEnvelope({
    notBefore: epochMs(Date.now() + pauseMs),
    body: JSON.stringify({ body: wake, why: "a bug", timesFailed }),
    group: "",
  });

describe("a dead letter whose handling fails", () => {
  it("is tried again after a pause that doubles up to six hours, and is then kept for a user", async () => {
    const handler = failing();
    const queued = { queue: "dead-letter", body: letter, at: Date.now() };
    let last: typeof queued | undefined = queued;
    while (last?.queue === "dead-letter") {
      vi.setSystemTime(last.at);
      let response = again("m0");
      for (let receives = 1; receives <= 5 && response.batchItemFailures.length > 0; receives++)
        response = await handler(received([last.body, receives]), contextOf());
      expect(response).toEqual(done);
      last = aws.next(Infinity);
    }

    const bursts = [...Map.groupBy(tries, (at) => at)];
    expect(bursts.map(([, { length }]) => length)).toEqual(Array.from({ length: 11 }, () => 5));
    expect(bursts.slice(1).map(([at], index) => at - (bursts[index]?.[0] ?? 0))).toEqual(
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 360].map(minutes),
    );
    expect({ queue: last?.queue, body: parseJson(last?.body ?? ""), next: aws.next(Infinity) }).toEqual({
      queue: "kept",
      body: { body: wake, why: "a bug" },
      next: undefined,
    });
    expect(stage.lines()).toContainEqual(
      expect.objectContaining({
        ...{ level: "ERROR", id: "m0" },
        error: {
          name: "PermanentError",
          message: "Lookout does not retry Wake of prod/shop/deployment/api: a bug",
        },
      }),
    );
  });

  it("comes again soon after the first deliveries, and the log says when after the last", async () => {
    const handler = failing();

    expect(await handler(received([letter, 1], [letter, 4], [letter, 5]), contextOf())).toEqual(again("m0", "m1"));
    expect(asked().toSorted()).toEqual([
      [
        "ChangeMessageVisibilityBatch",
        queueUrls.deadLetter,
        [
          { Id: "0", ReceiptHandle: "handle-m0", VisibilityTimeout: 1 },
          { Id: "1", ReceiptHandle: "handle-m1", VisibilityTimeout: 120 },
        ],
      ],
      [
        "SendMessageBatch",
        queueUrls.deadLetter,
        [{ Id: "0", MessageBody: sentAgain(1, minutes(1)), DelaySeconds: 60 }],
      ],
    ]);
    expect(stage.lines()).toContainEqual(
      expect.objectContaining({ id: "m2", outcome: { kind: "tried-again", at: "2026-01-02T03:05:05.000Z" } }),
    );
  });

  it("is tried again also when the function can't start", async () => {
    stage.environment[names.table] = undefined;

    expect(await failing()(received([letter, 1], [letter, 5]), contextOf())).toEqual(again("m0"));
    expect(aws.next(Infinity)).toEqual({
      queue: "dead-letter",
      body: sentAgain(1, minutes(1)),
      at: Date.now() + minutes(1),
    });
    expect(tries).toEqual([]);
  });

  it("stays on its queue when it can't be sent, and is sent after the next delivery", async () => {
    const handler = failing();
    // The client tries three times.
    stage.aws.answerNext(...Array.from({ length: 3 }, () => ({ error: "InternalError", status: 500 })));

    const first = await handler(received([letter, 5]), contextOf());
    const second = await handler(received([letter, 6]), contextOf());

    expect([first, second]).toEqual([again("m0"), done]);
    expect(openEnvelope(aws.next(Infinity)?.body ?? "")).toEqual(openEnvelope(sentAgain(1, minutes(1))));
  });

  it("stays on its queue when its run takes all of its time", async () => {
    expect(await failing()(received([letter, 5]), contextOf(150))).toEqual(again("m0"));
    expect(asked()).toEqual([]);
  });

  it("is tried again when only a newer version of Lookout can read it", async () => {
    const ofNewer = JSON.stringify({ name: "ImagePushed", schemaVersion: 99 });

    expect(await failing()(received([ofNewer, 5]), contextOf())).toEqual(done);
    expect(parseJson(openEnvelope(aws.next(Infinity)?.body ?? "")?.body ?? "")).toEqual({
      body: ofNewer,
      why: "every delivery failed; the log has the errors",
      timesFailed: 1,
    });
  });
});

describe("a dead letter before its next try", () => {
  const waiting = (): string => sentAgain(8, hours(2));

  it("is sent on with the longest delay of SQS, and is not handled", async () => {
    const body = waiting();

    expect(await failing()(received([body, 1]), contextOf())).toEqual(done);
    expect(aws.next(Infinity)).toEqual({ queue: "dead-letter", body, at: Date.now() + minutes(15) });
    expect(tries).toEqual([]);
  });

  it("keeps its time and its number of tries when it could not be sent on", async () => {
    const body = waiting();
    stage.environment[names.table] = undefined;

    expect(await failing()(received([body, 5]), contextOf())).toEqual(done);
    expect(aws.next(Infinity)).toEqual({ queue: "dead-letter", body, at: Date.now() + minutes(15) });
  });
});
