import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findSecret } from "#adapters/secrets-manager/secret-presence";
import { type AwsEndpoint, awsEndpoint, type AwsReply } from "#test/adapters/aws-endpoint";
import { userOptions } from "#test/adapters/user-options";

let aws: AwsEndpoint;
let reply: AwsReply;
beforeEach(async () => {
  aws = await awsEndpoint(() => reply);
});
afterEach(() => aws.close());

const ownKey = "arn:aws:kms:eu-central-1:111122223333:key/1234";

describe("a secret before a deployment", () => {
  it.each([
    { because: "AWS's key encrypts it", key: undefined, expected: { kind: "there" } },
    { because: "the alias of AWS's key is named", key: "alias/aws/secretsmanager", expected: { kind: "there" } },
    { because: "the user's key encrypts it", key: ownKey, expected: { kind: "there", key: ownKey } },
  ])("has a key of its own only when $because", async ({ key, expected }) => {
    reply = { json: { Name: "builds", ...(key === undefined ? {} : { KmsKeyId: key }) } };

    expect(await findSecret("builds", userOptions)).toEqual(expected);
  });

  it("is missing while it is being deleted", async () => {
    reply = { json: { Name: "builds", DeletedDate: 1_700_000_000 } };

    expect(await findSecret("builds", userOptions)).toEqual({ kind: "missing" });
  });
});
