import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findQueue } from "#adapters/sqs/queue-presence";
import { type AwsEndpoint, awsEndpoint, type AwsReply } from "#test/adapters/aws-endpoint";
import { userOptions } from "#test/adapters/user-options";

let aws: AwsEndpoint;
let reply: AwsReply;
beforeEach(async () => {
  aws = await awsEndpoint(() => reply);
});
afterEach(() => aws.close());

describe("a queue before a deployment", () => {
  it.each([
    { answer: { json: { QueueUrl: "https://sqs/1/q" } }, expected: { kind: "there", url: "https://sqs/1/q" } },
    { answer: { error: "QueueDoesNotExist" }, expected: { kind: "missing" } },
    { answer: { error: "AccessDenied", status: 403 }, expected: { kind: "denied", detail: "no" } },
  ])("is $expected.kind", async ({ answer, expected }) => {
    reply = answer;

    expect(await findQueue("q", userOptions)).toEqual(expected);
  });
});
