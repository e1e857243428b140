import { afterEach, expect, it } from "vitest";
import { httpPost } from "#adapters/http-post/post";
import { signedPost } from "#adapters/signature-v4/signed-post";
import { snsStandIn, type SnsStandIn } from "#test/channels/stand-ins/sns";
import type { PostAnswer, PostRequest } from "#ports/post";

let sns: SnsStandIn | undefined;
afterEach(() => sns?.[Symbol.asyncDispose]());

const key = { accessKeyId: "AKIDSTANDIN", secretAccessKey: "canary", sessionToken: "session" };
const headers = { "content-type": "application/x-www-form-urlencoded; charset=utf-8" };
const form = (topicArn: string) =>
  new URLSearchParams([
    ["Action", "Publish"],
    ["Version", "2010-03-31"],
    ["TopicArn", topicArn],
    ["Message", "grüße (a+b)*"],
  ]).toString();

it("is accepted by a service that checks its signature and its session", async () => {
  sns = await snsStandIn({ key });
  const local = httpPost({ isServerless: false });
  const post = (request: PostRequest) => local({ ...request, allowNetworks: ["127.0.0.0/8"] });
  const send = signedPost(() => Promise.resolve(key), post, sns.url);
  const request = { service: "sns", region: "eu-central-1", headers, body: form(sns.topicArn) };

  expect(await send(request)).toMatchObject({ kind: "answered", status: 200 });
  expect(await send({ ...request, region: "us-east-1" })).toMatchObject({ kind: "answered", status: 403 });
  expect(sns.published.map(({ message }) => message)).toEqual(["grüße (a+b)*"]);
});

it.each([
  ["eu-central-1", "https://sns.eu-central-1.amazonaws.com/"],
  ["us-gov-west-1", "https://sns.us-gov-west-1.amazonaws.com/"],
  ["cn-north-1", "https://sns.cn-north-1.amazonaws.com.cn/"],
  ["eusc-de-east-1", "https://sns.eusc-de-east-1.amazonaws.eu/"],
])("of the region %s goes to %s", async (region, url) => {
  const sent: string[] = [];
  const answer: PostAnswer = { kind: "answered", status: 200, headers: {}, body: "" };
  const post = async (request: PostRequest) => {
    sent.push(request.url);
    return answer;
  };

  expect(await signedPost(() => Promise.resolve(key), post)({ service: "sns", region, headers, body: "" })).toEqual(
    answer,
  );
  expect(sent).toEqual([url]);
});

it("is not sent without credentials, and says so without any secret", async () => {
  const send = signedPost(
    () => Promise.reject(Object.assign(new Error("canary"), { name: "CredentialsProviderError" })),
    () => Promise.reject(new Error("was sent")),
  );

  expect(await send({ service: "sns", region: "eu-central-1", headers, body: "" })).toEqual({
    kind: "unanswered",
    why: "the request to sns can't be signed: CredentialsProviderError",
  });
});
