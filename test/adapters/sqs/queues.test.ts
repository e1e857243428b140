import { hash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqsClient } from "#adapters/sqs/client";
import { type Addressed, sqsQueues } from "#adapters/sqs/queues";
import { sqsSender } from "#adapters/sqs/sender";
import { durationMs, epochMs, hours, minutes, seconds } from "#domain/shared/time";
import type { Command } from "#domain/update/commands";
import { TransientError } from "#ports/errors";
import type { Queues } from "#ports/messaging";
import { type AwsEndpoint, awsEndpoint, home } from "#test/adapters/aws-endpoint";

const now = epochMs(Date.UTC(2026, 0, 2, 3, 4, 5));
const workload = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "api" } as const;
const wake: Command = { name: "Wake", workload, uid: "u", seq: 1, version: 2 };
const sync = (cluster: string): Command => ({ name: "SyncCluster", id: "1", cluster });
const sweep: Command = { name: "SweepRepository", id: "1", registry: "r.test", repository: "a", at: now };
const host = "https://sqs.eu-central-1.amazonaws.com/111122223333";

let aws: AwsEndpoint;
let kept: Addressed[];
let queues: Queues;

beforeEach(async () => {
  aws = await awsEndpoint();
  kept = [];
  queues = sqsQueues({
    send: sqsSender(sqsClient()),
    clock: { now: () => now },
    urlOf: ({ name }) => `${host}/${name}`,
    keep: async (messages) => void kept.push(...messages),
  });
});
afterEach(() => aws.close());

describe("a command that is sent to SQS", () => {
  it("is sent to the queue of its name, shared fairly by cluster or registry", async () => {
    await queues.send([{ command: wake }, { command: sync("test") }, { command: sweep }]);

    const request = (command: Command, group: string) => ({
      operation: "SendMessageBatch",
      input: {
        QueueUrl: `${host}/${command.name}`,
        Entries: [{ Id: "0", MessageBody: JSON.stringify(command), MessageGroupId: group }],
      },
      ...home,
    });
    const expected = [request(wake, "prod"), request(sync("test"), "test"), request(sweep, "r.test")];
    expect(new Set(aws.asked.map((one) => JSON.stringify(one)))).toEqual(
      new Set(expected.map((one) => JSON.stringify(one))),
    );
  });

  it("is sent with nine others", async () => {
    await queues.send(Array.from({ length: 23 }, (_, index) => ({ command: sync(`c${index}`) })));

    const sizes = aws.asked.map(({ input }) => (input.Entries as readonly unknown[]).length);
    expect(sizes.sort()).toEqual([10, 10, 3]);
  });

  it("is sent in as many requests as needed", async () => {
    const large = (cluster: string): Command => sync(cluster.repeat(600_000));
    await queues.send([large("a"), large("b"), sync("c")].map((command) => ({ command })));

    const sizes = aws.asked.map(({ input }) => (input.Entries as readonly unknown[]).length);
    expect(sizes.sort()).toEqual([1, 2]);
  });

  it("sends no request for an empty list", async () => {
    await queues.send([]);

    expect({ requests: aws.asked, kept }).toEqual({ requests: [], kept: [] });
  });

  it.each([
    { delay: seconds(1), delaySeconds: 1 },
    { delay: seconds(90.4), delaySeconds: 90 },
    { delay: seconds(90.5), delaySeconds: 91 },
    { delay: minutes(15), delaySeconds: 900 },
  ])("is delayed by its queue for $delaySeconds s, in an envelope with its time", async ({ delay, delaySeconds }) => {
    await queues.send([{ command: wake, delay }]);

    const envelope = { notBefore: now + delay, body: JSON.stringify(wake), group: "prod" };
    expect(aws.asked[0]?.input.Entries).toEqual([
      { Id: "0", MessageBody: JSON.stringify(envelope), MessageGroupId: "prod", DelaySeconds: delaySeconds },
    ]);
  });

  it("is sent at once when it is due within half a second", async () => {
    await queues.send([{ command: wake, delay: durationMs(500) }]);

    expect(aws.asked[0]?.input.Entries).toEqual([
      { Id: "0", MessageBody: JSON.stringify(wake), MessageGroupId: "prod" },
    ]);
  });

  it.each([durationMs(900_001), hours(6)])("is stored elsewhere for %i ms, longer than a queue can", async (delay) => {
    await queues.send([{ command: wake, delay }]);

    const envelope = { notBefore: now + delay, body: JSON.stringify(wake), group: "prod" };
    expect({ requests: aws.asked, kept }).toEqual({ requests: [], kept: [{ queue: `${host}/Wake`, envelope }] });
  });

  it("fails as transient when SQS accepts only some of a batch", async () => {
    const taken = { Id: "0", MessageId: "m", MD5OfMessageBody: hash("md5", JSON.stringify(sync("a"))) };
    const refused = { Id: "1", Code: "InternalError", SenderFault: false };
    aws.answerNext({ json: { Successful: [taken], Failed: [refused] } });

    const sent = queues.send([{ command: sync("a") }, { command: sync("b") }]);

    await expect(sent).rejects.toEqual(
      new TransientError("SQS failed while sending 2 messages to SyncCluster: it rejected a message (InternalError)"),
    );
  });

  it.each(["AccessDenied", "AWS.SimpleQueueService.NonExistentQueue", "SomethingNew"])(
    "fails as transient after %s, because a user can mend it",
    async (error) => {
      aws.answerNext({ error });

      await expect(queues.send([{ command: wake }])).rejects.toBeInstanceOf(TransientError);
    },
  );

  it("gets a valid message group from any name", async () => {
    await queues.send([{ command: sync(`ü ${"x".repeat(200)}`) }]);

    const [entry] = aws.asked[0]?.input.Entries as readonly { readonly MessageGroupId: string }[];
    expect(entry?.MessageGroupId).toBe(`__${"x".repeat(126)}`);
  });
});
