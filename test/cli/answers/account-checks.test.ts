import { describe, expect, it } from "vitest";
import {
  bootstrapBeforeDeploy,
  boundaryBeforeDeploy,
  concurrencyBeforeDeploy,
  identityBeforeDeploy,
  runsOfQueues,
} from "#cli/answers/account-checks";
import { refusedCheck } from "#cli/answers/deploy-check";

const region = "eu-central-1";
const identity = { kind: "identity", account: "111122223333", arn: "arn:aws:iam::111122223333:user/ana" } as const;

describe("a check that AWS does not answer", () => {
  const call = {
    check: "cluster prod",
    what: "the EKS cluster prod",
    service: "EKS",
    region,
    right: "eks:DescribeCluster",
  };

  it("is unchecked for a missing right, and names the right", () => {
    expect(refusedCheck(call, { kind: "denied", detail: "not you" })).toEqual({
      check: "cluster prod",
      verdict: "unchecked",
      detail: "AWS does not let you read the EKS cluster prod: not you",
      remedy: "You need eks:DescribeCluster. Run the command again with this right.",
    });
  });

  it("is wrong in a region without the service", () => {
    const refusal = { kind: "unreachable", detail: "getaddrinfo ENOTFOUND eks.x", isUnknownHost: true } as const;

    expect(refusedCheck(call, refusal)).toEqual({
      check: "cluster prod",
      verdict: "wrong",
      detail: "the region eu-central-1 has no EKS: getaddrinfo ENOTFOUND eks.x",
      remedy: "Deploy in a region with EKS, or check the name of the region and the DNS of this machine.",
    });
  });

  it.each(["unreachable", "failed", "expired-credentials"] as const)("is unchecked when AWS is %s", (kind) => {
    expect(refusedCheck(call, { kind, detail: "HTTP 503" })).toEqual({
      check: "cluster prod",
      verdict: "unchecked",
      detail: "the EKS cluster prod can't be read: HTTP 503",
      remedy: "Run the command again. If it fails again, check your access to EKS in eu-central-1, and the proxy.",
    });
  });

  it("shortens a long text of AWS", () => {
    const { detail } = refusedCheck(call, { kind: "failed", detail: "x".repeat(100_000) });

    expect(detail).toBe(`the EKS cluster prod can't be read: ${"x".repeat(300)}…`);
  });
});

describe("the identity", () => {
  it("names the account and region of the deployment", () => {
    expect(identityBeforeDeploy({ identity }, region)).toEqual({
      check: "identity",
      verdict: "well",
      detail: "you are arn:aws:iam::111122223333:user/ana, and deploy to the account 111122223333 in eu-central-1",
    });
  });
});

describe("the bootstrap stack", () => {
  const remedy = "To bootstrap:  npx cdk bootstrap aws://111122223333/eu-central-1";

  it.each([
    {
      because: "is new enough",
      bootstrap: { kind: "version", version: 30 },
      expected: { verdict: "well", detail: "the CDK bootstrap stack has version 30" },
    },
    {
      because: "is too old",
      bootstrap: { kind: "version", version: 5 },
      expected: { verdict: "wrong", detail: "the CDK bootstrap stack has version 5, and Lookout needs 6", remedy },
    },
    {
      because: "is missing",
      bootstrap: { kind: "not-bootstrapped" },
      expected: {
        verdict: "wrong",
        detail: "eu-central-1 has no CDK bootstrap stack with the default name",
        remedy: `${remedy} · If your app uses another qualifier, the check does not apply.`,
      },
    },
    {
      because: "can't be read",
      bootstrap: { kind: "denied", detail: "not you" },
      expected: {
        verdict: "unchecked",
        detail: "AWS does not let you read the CDK bootstrap stack: not you",
        remedy: "You need ssm:GetParameter. Run the command again with this right.",
      },
    },
  ] as const)("$because", ({ bootstrap, expected }) => {
    expect(bootstrapBeforeDeploy({ bootstrap, identity }, region)).toEqual({ check: "bootstrap", ...expected });
  });
});

describe("the permissions boundary of the role that creates the stack", () => {
  it("is named, with the key of cdk.json", () => {
    const boundary = { kind: "boundary", arn: "arn:aws:iam::111122223333:policy/teams/limits" } as const;

    expect(boundaryBeforeDeploy({ boundary }, region)).toEqual([
      {
        check: "permissions boundary",
        verdict: "doubtful",
        detail:
          "the CDK's execution role has the boundary arn:aws:iam::111122223333:policy/teams/limits, which may refuse roles without a boundary",
        remedy:
          'If the boundary asks for it, add to "context" in cdk.json:  "@aws-cdk/core:permissionsBoundary": { "name": "teams/limits" }',
      },
    ]);
  });

  it("is not checked without a role, and well without a boundary", () => {
    expect(boundaryBeforeDeploy({}, region)).toEqual([]);
    expect(boundaryBeforeDeploy({ boundary: { kind: "no-role" } }, region)).toEqual([]);
    expect(boundaryBeforeDeploy({ boundary: { kind: "none" } }, region)).toEqual([
      { check: "permissions boundary", verdict: "well", detail: "the CDK's execution role has none" },
    ]);
    expect(boundaryBeforeDeploy({ boundary: { kind: "denied", detail: "no" } }, region)[0]?.remedy).toContain(
      "iam:GetRole",
    );
  });
});

describe("the concurrency of functions", () => {
  const check = (all: number, unreserved: number, vpcs = 0) =>
    concurrencyBeforeDeploy(
      { concurrency: { kind: "concurrency", all, unreserved } },
      { region, vpcs, channels: [], checks: [] },
    );
  const { queues, runs } = runsOfQueues({ vpcs: 0, channels: [], checks: [] });
  const need = `Lookout's ${queues} queues take ${runs} when all of them have messages`;
  const late = "Throttled messages are late, and may become dead letters";
  const request =
    "To raise the quota (L-B99A9384):  aws service-quotas request-service-quota-increase --region eu-central-1 --service-code lambda --quota-code L-B99A9384 --desired-value 1000";

  it("counts a queue of each function, its copies in VPCs, and the queue of channels", () => {
    const inTwo = runsOfQueues({ vpcs: 2, channels: [], checks: [] });
    const withChannel = runsOfQueues({ vpcs: 0, channels: ["audit"], checks: [] });

    expect([queues, inTwo.queues, withChannel.queues]).toEqual([8, 16, 9]);
    expect(withChannel.runs - runs).toBe(5);
    expect(inTwo.runs).toBeGreaterThan(runs);
  });

  it("is well for the usual quota", () => {
    expect(check(1_000, 1_000)).toEqual({
      check: "concurrency",
      verdict: "well",
      detail: `the account may run 1000 functions at the same time, 1000 of them unreserved; ${need}`,
    });
  });

  it("is wrong for the quota of a new account, with the command that raises it", () => {
    expect(check(10, 10)).toEqual({
      check: "concurrency",
      verdict: "wrong",
      detail: `the account may run 10 functions at the same time, 10 of them unreserved; ${need}. ${late}`,
      remedy: request,
    });
  });

  it("is doubtful if other functions reserve most of it", () => {
    expect(check(1_000, runs - 1)).toEqual({
      check: "concurrency",
      verdict: "doubtful",
      detail: `the account may run 1000 functions at the same time, ${runs - 1} of them unreserved; ${need}. ${late}`,
      remedy: `${request} · Or reserve less for other functions.`,
    });
  });

  it("is unchecked without the right, and never well", () => {
    const concurrency = { kind: "denied", detail: "not you" } as const;

    expect(concurrencyBeforeDeploy({ concurrency }, { region, vpcs: 0, channels: [], checks: [] })).toEqual({
      check: "concurrency",
      verdict: "unchecked",
      detail: "AWS does not let you read the quota of concurrent functions: not you",
      remedy: "You need lambda:GetAccountSettings. Run the command again with this right.",
    });
  });
});
