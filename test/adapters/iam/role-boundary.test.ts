import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readBoundary } from "#adapters/iam/role-boundary";
import { signedGet } from "#adapters/signature-v4/signed-get";
import { type AwsEndpoint, awsEndpoint, type AwsReply } from "#test/adapters/aws-endpoint";
import { userOptions } from "#test/adapters/user-options";
import { errorXml, roleXml } from "#test/cli/aws";

let aws: AwsEndpoint;
let reply: AwsReply;
beforeEach(async () => {
  aws = await awsEndpoint(() => reply);
});
afterEach(() => aws.close());

const get = signedGet(userOptions.credentials, { region: "us-east-1", service: "iam" });
const read = () => readBoundary("cdk-role", { url: aws.url, region: "us-east-1" }, get);

describe("the permissions boundary of a role", () => {
  it.each([
    {
      because: "the role has one",
      answer: { xml: roleXml("arn:aws:iam::111122223333:policy/limits") },
      expected: { kind: "boundary", arn: "arn:aws:iam::111122223333:policy/limits" },
    },
    { because: "the role has none", answer: { xml: roleXml() }, expected: { kind: "none" } },
    {
      because: "there is no role",
      answer: { xml: errorXml("NoSuchEntity", "no role"), status: 404 },
      expected: { kind: "no-role" },
    },
    {
      because: "a right is missing",
      answer: { xml: errorXml("AccessDenied", "not you"), status: 403 },
      expected: { kind: "denied", detail: "not you" },
    },
    {
      because: "AWS fails",
      answer: { xml: errorXml("ServiceFailure", "later"), status: 500 },
      expected: { kind: "failed", detail: "HTTP 500, ServiceFailure: later" },
    },
    {
      because: "another server answers",
      answer: { xml: "<html></html>" },
      expected: { kind: "failed", detail: "the answer has no role" },
    },
  ])("is $expected.kind when $because", async ({ answer, expected }) => {
    reply = answer;

    expect(await read()).toEqual(expected);
    expect(aws.asked.map(({ operation, region }) => [operation, region])).toEqual([
      ["GET /?Action=GetRole&RoleName=cdk-role&Version=2010-05-08", "us-east-1"],
    ]);
  });
});
