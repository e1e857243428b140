import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findAccessEntry, readEksCluster } from "#adapters/eks/cluster-access";
import { type AwsEndpoint, awsEndpoint, type AwsReply } from "#test/adapters/aws-endpoint";
import { noHost, userOptions } from "#test/adapters/user-options";

let aws: AwsEndpoint;
let reply: AwsReply;
beforeEach(async () => {
  aws = await awsEndpoint(() => reply);
});
afterEach(() => aws.close());

const principal = "arn:aws:iam::111122223333:role/Lookout-Access";
const refusals = [
  { answer: { error: "ResourceNotFoundException", status: 404 }, read: { kind: "missing" } },
  { answer: { error: "AccessDeniedException", status: 403 }, read: { kind: "denied", detail: "no" } },
  {
    answer: { error: "ServerException", status: 500 },
    read: { kind: "failed", detail: "HTTP 500, ServerException: no" },
  },
] as const satisfies readonly { readonly answer: AwsReply; readonly read: object }[];

describe("an EKS cluster before a deployment", () => {
  it("has a status, an authentication mode and an endpoint", async () => {
    reply = {
      json: {
        cluster: {
          status: "ACTIVE",
          accessConfig: { authenticationMode: "API" },
          resourcesVpcConfig: { endpointPublicAccess: false, publicAccessCidrs: ["10.0.0.0/8"], vpcId: "vpc-1" },
        },
      },
    };

    expect(await readEksCluster("prod", userOptions)).toEqual({
      kind: "cluster",
      status: "ACTIVE",
      authenticationMode: "API",
      hasPublicEndpoint: false,
      publicCidrs: ["10.0.0.0/8"],
      vpc: "vpc-1",
    });
    expect(aws.asked.map(({ operation }) => operation)).toEqual(["GET /clusters/prod"]);
  });

  it("that names no details is public, and has no known mode", async () => {
    reply = { json: { cluster: { status: "CREATING" } } };

    expect(await readEksCluster("prod", userOptions)).toEqual({
      kind: "cluster",
      status: "CREATING",
      hasPublicEndpoint: true,
      publicCidrs: [],
    });
  });

  it.each(refusals)("is $read.kind after $answer.error", async ({ answer, read }) => {
    reply = answer;

    expect(await readEksCluster("prod", userOptions)).toEqual(read);
    expect(await findAccessEntry({ cluster: "prod", principal }, userOptions)).toEqual(read);
  });

  it("is unreachable when each connection breaks", async () => {
    reply = "cut";

    expect(await readEksCluster("prod", userOptions)).toMatchObject({ kind: "unreachable" });
  });

  it("has an access entry for a role", async () => {
    reply = { json: { accessEntry: { principalArn: principal } } };

    expect(await findAccessEntry({ cluster: "prod", principal }, userOptions)).toEqual({ kind: "there" });
    expect(aws.asked.map(({ operation }) => decodeURIComponent(operation))).toEqual([
      `GET /clusters/prod/access-entries/${principal}`,
    ]);
  });
});

describe("a region without EKS", () => {
  it("has no host for it", async () => {
    vi.stubEnv("AWS_ENDPOINT_URL", noHost);

    expect(await readEksCluster("prod", userOptions)).toEqual({
      kind: "unreachable",
      detail: `getaddrinfo ENOTFOUND ${new URL(noHost).hostname}`,
      isUnknownHost: true,
    });
  });
});
