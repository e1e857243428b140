import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findParameter } from "#adapters/ssm/parameter-presence";
import { type AwsEndpoint, awsEndpoint, type AwsReply } from "#test/adapters/aws-endpoint";
import { userOptions } from "#test/adapters/user-options";

let aws: AwsEndpoint;
let reply: AwsReply;
beforeEach(async () => {
  aws = await awsEndpoint(() => reply);
});
afterEach(() => aws.close());

const ownKey = "arn:aws:kms:eu-central-1:111122223333:key/1234";

describe("a secret in a parameter, before a deployment", () => {
  it.each([
    { because: "AWS's key encrypts it", key: "alias/aws/ssm", expected: { kind: "there" } },
    { because: "the user's key encrypts it", key: ownKey, expected: { kind: "there", key: ownKey } },
  ])("has a key of its own only when $because", async ({ key, expected }) => {
    reply = { json: { Parameters: [{ Name: "/lookout/builds", KeyId: key }] } };

    expect(await findParameter("/lookout/builds", userOptions)).toEqual(expected);
  });
});
