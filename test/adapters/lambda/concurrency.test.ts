import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { readConcurrency } from "#adapters/lambda/concurrency";
import { awsHost } from "#adapters/shared/aws-get";
import { signedGet } from "#adapters/signature-v4/signed-get";
import { type AwsEndpoint, awsEndpoint, type AwsReply, home } from "#test/adapters/aws-endpoint";
import { noHost, userOptions } from "#test/adapters/user-options";
import { isSigned } from "#test/cli/aws";

let aws: AwsEndpoint;
let reply: AwsReply;
beforeEach(async () => {
  aws = await awsEndpoint(() => reply);
});
afterEach(() => aws.close());

const get = signedGet(userOptions.credentials, { region: home.region, service: "lambda" });
const read = (url = aws.url) => readConcurrency(awsHost("lambda", home.region, { AWS_ENDPOINT_URL: url }), get);

describe("the concurrency of Lambda", () => {
  it("is read with a signed request", async () => {
    reply = { json: { AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 900 } } };

    expect(await read()).toEqual({ kind: "concurrency", all: 1_000, unreserved: 900 });
    expect(aws.arrived.map((request) => isSigned(request, `${home.region}/lambda`))).toEqual([true]);
    expect(aws.asked.map(({ operation }) => operation)).toEqual(["GET /2016-08-19/account-settings"]);
  });

  const tooLong = `<html>${"x".repeat(300_000)}</html>`;

  it.each([
    {
      because: "of a missing right",
      answer: { error: "AccessDeniedException:http://x/", status: 403 },
      kind: "denied",
      detail: "no",
    },
    {
      because: "of a fault of AWS",
      answer: { error: "ServiceException", status: 503 },
      kind: "failed",
      detail: "HTTP 503, ServiceException: no",
    },
    {
      because: "a proxy answers",
      answer: { xml: "<html>bad gateway</html>", status: 502 },
      kind: "failed",
      detail: "HTTP 502, UnknownError",
    },
    {
      because: "the answer has no limit",
      answer: { json: {} },
      kind: "failed",
      detail: "the answer has no limit of concurrent executions",
    },
    {
      because: "the answer is too long",
      answer: { xml: tooLong },
      kind: "failed",
      detail: "the answer has no limit of concurrent executions",
    },
  ] as const)("is unknown when $because", async ({ answer, kind, detail }) => {
    reply = answer;

    expect(await read()).toEqual({ kind, detail });
  });

  it("is unknown when the connection breaks, and in a region without Lambda", async () => {
    reply = "cut";

    expect(await read()).toMatchObject({ kind: "unreachable" });
    expect(await read(noHost)).toMatchObject({ kind: "unreachable", isUnknownHost: true });
  });
});

describe("a signed request", () => {
  it("ends after its time limit, which counts as unreachable", async () => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    onTestFinished(() => {
      silent.closeAllConnections();
      silent.close();
    });
    await once(silent, "listening");
    const url = `http://127.0.0.1:${String((silent.address() as AddressInfo).port)}`;
    const soon = signedGet(userOptions.credentials, { region: home.region, service: "lambda", timeoutMs: 50 });

    expect(await readConcurrency({ url, region: home.region }, soon)).toEqual({
      kind: "unreachable",
      detail: "The operation was aborted due to timeout",
    });
  });
});

describe("the host of a service", () => {
  it.each([
    ["lambda", "eu-central-1", "https://lambda.eu-central-1.amazonaws.com", "eu-central-1"],
    ["lambda", "cn-north-1", "https://lambda.cn-north-1.amazonaws.com.cn", "cn-north-1"],
    ["iam", "eu-central-1", "https://iam.amazonaws.com", "us-east-1"],
    ["iam", "cn-northwest-1", "https://iam.cn-north-1.amazonaws.com.cn", "cn-north-1"],
    ["iam", "us-gov-east-1", "https://iam.us-gov.amazonaws.com", "us-gov-west-1"],
  ] as const)("of %s in %s is %s, signed for %s", (service, region, url, signed) => {
    expect(awsHost(service, region, {})).toEqual({ url, region: signed });
  });

  it("is the one that the environment names", () => {
    const environment = { AWS_ENDPOINT_URL: "http://localhost:4566", AWS_ENDPOINT_URL_IAM: "http://localhost:1/" };

    expect(awsHost("iam", "eu-central-1", environment).url).toBe("http://localhost:1");
    expect(awsHost("lambda", "eu-central-1", environment).url).toBe("http://localhost:4566");
  });
});
