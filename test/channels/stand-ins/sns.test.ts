import { describe, expect, it } from "vitest";
import { requestSigner } from "#adapters/signature-v4/signer";
import { epochMs } from "#domain/shared/time";
import { readNotification } from "./amazon-q.ts";
import { type AwsKey, signatureFault } from "./aws-signature.ts";
import { post } from "./post.ts";
import { snsError, snsStandIn, type SnsStandIn } from "./sns.ts";

const formType = "application/x-www-form-urlencoded";

interface Sent {
  readonly fields?: Readonly<Record<string, string | undefined>>;
  readonly key?: AwsKey;
  readonly region?: string;
  readonly service?: string;
  readonly signedMsAgo?: number;
  readonly change?: (body: string) => string;
}

/** Publishes a message, signed by the production code unless a test says otherwise. */
async function publish(sns: SnsStandIn, { fields = {}, ...sent }: Sent = {}) {
  const {
    key = sns.key,
    region = "eu-central-1",
    service = "sns",
    signedMsAgo = 0,
    change = (text: string): string => text,
  } = sent;
  const all: Readonly<Record<string, string | undefined>> = {
    Action: "Publish",
    Version: "2010-03-31",
    TopicArn: sns.topicArn,
    Message: "a (b) ~*é",
    ...fields,
  };
  const given = Object.entries(all).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const body = new URLSearchParams(given).toString();
  const sign = requestSigner(async () => key, { region, service });
  const headers = { "content-type": formType };
  const now = epochMs(Date.now() - signedMsAgo);
  const signed = await sign({ method: "POST", url: `${sns.url}/`, headers, body }, now);
  return post(`${sns.url}/`, signed, change(body));
}

const attributes = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => index + 1).flatMap((index) => [
      [`MessageAttributes.entry.${String(index)}.Name`, `name-${String(index)}`],
      [`MessageAttributes.entry.${String(index)}.Value.DataType`, "String"],
      [`MessageAttributes.entry.${String(index)}.Value.StringValue`, "v"],
    ]),
  );

describe("SNS", () => {
  it("publishes a signed message with its subject and attributes", async () => {
    await using sns = await snsStandIn();
    const { status, body } = await publish(sns, { fields: { Subject: "s".repeat(100), ...attributes(2) } });

    expect([status, /<MessageId>([^<]+)</.exec(body)?.[1]]).toEqual([200, "00000001-0000-4000-8000-000000000000"]);
    const [{ at, ...published } = { at: undefined }] = sns.published;
    expect(at).toBe(sns.received[0]?.at);
    expect(published).toEqual({
      message: "a (b) ~*é",
      subject: "s".repeat(100),
      attributes: { "name-1": "v", "name-2": "v" },
    });
    expect(sns.warnings).toEqual([]);
  });

  it("publishes a message that is signed with a session", async () => {
    const key = { accessKeyId: "ASIA", secretAccessKey: "canary", sessionToken: "session" };
    await using sns = await snsStandIn({ key });

    expect(await publish(sns)).toMatchObject({ status: 200 });
    expect(await publish(sns, { key: { ...key, sessionToken: "other" } })).toMatchObject({ status: 403 });
  });

  it.each<{ with: string; sent: Sent; status: number; code: string }>([
    {
      with: "another secret",
      sent: { key: { accessKeyId: "AKIDSTANDIN", secretAccessKey: "x" } },
      status: 403,
      code: "SignatureDoesNotMatch",
    },
    {
      with: "another key",
      sent: { key: { accessKeyId: "AKIDOTHER", secretAccessKey: "canary" } },
      status: 403,
      code: "InvalidClientTokenId",
    },
    { with: "another region", sent: { region: "us-east-1" }, status: 403, code: "SignatureDoesNotMatch" },
    { with: "another service", sent: { service: "sqs" }, status: 403, code: "SignatureDoesNotMatch" },
    { with: "a changed body", sent: { change: (body) => `${body}%21` }, status: 403, code: "SignatureDoesNotMatch" },
    { with: "an old signature", sent: { signedMsAgo: 16 * 60_000 }, status: 403, code: "SignatureDoesNotMatch" },
    { with: "another action", sent: { fields: { Action: "Subscribe" } }, status: 400, code: "InvalidAction" },
    { with: "a wrong ARN", sent: { fields: { TopicArn: "lookout" } }, status: 400, code: "InvalidParameter" },
    {
      with: "an unknown topic",
      sent: { fields: { TopicArn: "arn:aws:sns:eu-central-1:111122223333:other" } },
      status: 404,
      code: "NotFound",
    },
    { with: "no message", sent: { fields: { Message: undefined } }, status: 400, code: "InvalidParameter" },
    {
      with: "more than 256 KB",
      sent: { fields: { Message: "é".repeat(128 * 1_024), ...attributes(1) } },
      status: 400,
      code: "InvalidParameter",
    },
    {
      with: "a subject of 101 characters",
      sent: { fields: { Subject: "a".repeat(101) } },
      status: 400,
      code: "InvalidParameter",
    },
    { with: "a subject of two lines", sent: { fields: { Subject: "a\nb" } }, status: 400, code: "InvalidParameter" },
    { with: "a subject beyond ASCII", sent: { fields: { Subject: "é" } }, status: 400, code: "InvalidParameter" },
    {
      with: "an empty attribute",
      sent: { fields: { ...attributes(1), "MessageAttributes.entry.1.Value.StringValue": "" } },
      status: 400,
      code: "InvalidParameter",
    },
    {
      with: "an attribute twice",
      sent: { fields: { ...attributes(2), "MessageAttributes.entry.2.Name": "name-1" } },
      status: 400,
      code: "InvalidParameter",
    },
    { with: "a misspelt field", sent: { fields: { Subjekt: "a" } }, status: 400, code: "InvalidParameter" },
  ])("refuses a message with $with", async ({ sent, status, code }) => {
    await using sns = await snsStandIn();
    const answer = await publish(sns, sent);

    expect([answer.status, /<Code>(\w+)</.exec(answer.body)?.[1], sns.published]).toEqual([status, code, []]);
  });

  it("refuses a message without a signature", async () => {
    await using sns = await snsStandIn();
    const { status, body } = await post(`${sns.url}/`, { "content-type": formType }, "Action=Publish");

    expect([status, /<Code>(\w+)</.exec(body)?.[1]]).toEqual([403, "MissingAuthenticationToken"]);
  });

  it("takes more than 10 attributes with a warning", async () => {
    await using sns = await snsStandIn();

    expect(await publish(sns, { fields: attributes(11) })).toMatchObject({ status: 200 });
    expect(sns.warnings).toEqual(["a raw delivery to SQS drops a message with more than 10 attributes"]);
  });

  it("gives scripted answers", async () => {
    await using sns = await snsStandIn();
    sns.answerNext(snsError("Throttled"), snsError("InternalFailure"));

    expect([(await publish(sns)).status, (await publish(sns)).status, sns.published]).toEqual([429, 500, []]);
  });
});

describe("a signature of AWS", () => {
  const key = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY" };
  const at = epochMs(Date.parse("2015-08-30T12:36:00Z"));
  const common = { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" };
  const credential = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request";

  it.each([
    {
      of: "get-vanilla",
      ...{ method: "GET", body: "", headers: common, signed: "host;x-amz-date" },
      signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    },
    {
      of: "post-x-www-form-urlencoded",
      ...{ method: "POST", body: "Param1=value1", signed: "content-type;host;x-amz-date" },
      headers: { ...common, "content-type": formType },
      signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
    },
  ])("is valid as AWS documents it: $of", ({ method, body, headers, signed, signature }) => {
    const authorization = `${credential}, SignedHeaders=${signed}, Signature=${signature}`;
    const request = { method, path: "/", body, headers: { ...headers, authorization }, at };
    const expected = { region: "us-east-1", service: "service" };

    expect(signatureFault(request, key, expected)).toBeUndefined();
    expect(signatureFault({ ...request, body: `${body}!` }, key, expected)?.code).toBe("SignatureDoesNotMatch");
    const bare = { ...request, headers: { ...request.headers, "x-amz-target": "a" } };
    expect(signatureFault(bare, key, expected)?.message).toBe("not signed: x-amz-target");
  });
});

describe("Amazon Q", () => {
  const right = {
    version: "1.0",
    source: "custom",
    content: {
      textType: "client-markdown",
      title: "shop/api",
      description: "rolled back",
      nextSteps: ["a"],
      keywords: ["b"],
    },
    metadata: {
      threadId: "uid",
      summary: "s",
      eventType: "e",
      relatedResources: ["r"],
      additionalContext: { a: "b" },
      enableCustomActions: false,
    },
  };

  it("shows a notification, from SNS too", async () => {
    const shown = { title: "shop/api", description: "rolled back", nextSteps: ["a"], keywords: ["b"], threadId: "uid" };
    await using sns = await snsStandIn();
    await publish(sns, { fields: { Message: JSON.stringify(right) } });
    await publish(sns, { fields: { Message: "{}" } });

    expect(readNotification(JSON.stringify(right))).toEqual({ shown });
    expect(sns.amazonQ()).toEqual({ shown: [shown], dropped: ["needs version"] });
  });

  it.each([
    { message: "text", dropped: "is no JSON" },
    { message: [], dropped: "must be an object" },
    { message: { ...right, version: 1 }, dropped: 'version must be "1.0"' },
    { message: { ...right, source: "lookout" }, dropped: 'source must be "custom"' },
    { message: { ...right, content: { title: "a" } }, dropped: "content needs description" },
    { message: { ...right, content: { description: "" } }, dropped: "content description must be a text" },
    {
      message: { ...right, content: { description: "a", nextSteps: "b" } },
      dropped: "content nextSteps must be a list of texts",
    },
    {
      message: { ...right, metadata: { additionalContext: { a: 1 } } },
      dropped: "metadata additionalContext must be a map of texts",
    },
    { message: { ...right, metadata: { thread: "a" } }, dropped: "metadata thread is unknown" },
    { message: { ...right, detail: {} }, dropped: "detail is unknown" },
  ])("drops a message that $dropped", ({ message, dropped }) => {
    expect(readNotification(typeof message === "string" ? message : JSON.stringify(message))).toEqual({ dropped });
  });
});
