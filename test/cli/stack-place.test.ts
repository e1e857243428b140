import { afterEach, describe, expect, it, vi } from "vitest";
import { problemOf } from "#contracts/problem";
import { useAws } from "#test/adapters/aws-endpoint";
import { errorXml, isSigned, onStack, stackXml } from "./aws.ts";
import { noRows } from "./views.ts";
import { lines, lookout, now } from "./world.ts";

const at = "2026-11-21T18:45:53.000Z";
const empty = { at, ...noRows, workloads: [], clusters: [], freezes: [], planned: [], inFlight: [], repositories: [] };
const noKeys = { AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
const html = "<html><body>Service Unavailable</body></html>";

afterEach(() => {
  vi.unstubAllEnvs();
});

const status = {
  "GET /v1/workloads?sort=state&limit=100": { body: empty },
  "GET /v1/freezes": { body: empty },
  "GET /v1/repositories": { body: empty },
};

describe("the Lookout of a stack", () => {
  it("is found in the outputs of the stack, gets signed requests, and is named in the last line of status", async () => {
    const { stdout, stderr, exitCode, aws: fake } = await onStack(["status", "--stack", "lookout"], status);
    const asked = fake.arrived.filter(({ path }) => path.startsWith("/v1/"));

    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(
      `Lookout at ${fake.url}, the stack lookout in eu-central-1, account 111122223333, named by --stack`,
    );
    expect(asked.map(({ path }) => path).toSorted()).toEqual([
      "/v1/freezes",
      "/v1/repositories",
      "/v1/workloads?sort=state&limit=100",
    ]);
    expect(asked.map((request) => isSigned(request, "eu-central-1/execute-api"))).toEqual([true, true, true]);
    expect(asked.map(({ headers }) => headers["x-amz-date"])).toEqual(Array(3).fill("20261121T184553Z"));
    expect(new Date(now).toISOString()).toBe("2026-11-21T18:45:53.000Z");
  });

  it("gets a signature over the body and over a path with encoded parts", async () => {
    const digest = `sha256:${"a".repeat(64)}`;
    const environment = { LOOKOUT_STACK: "lookout" };
    const first = await onStack(
      ["quarantine", "add", digest, "--why", "CVE-2026-1234 & others"],
      { "POST /v1/quarantine": { body: { quarantined: [] } } },
      environment,
    );
    const put = first.aws.arrived.find(({ method, path }) => method === "POST" && path === "/v1/quarantine");
    const frozen = { body: { at, freezes: [], planned: [], inFlight: [] } };
    const lifted = await onStack(
      ["unfreeze", "prod/shop", "--by", "ana"],
      { "DELETE /v1/freezes/prod/shop?by=ana": frozen },
      environment,
    );
    const taken = lifted.aws.arrived.find(({ method }) => method === "DELETE");

    expect([first.exitCode, lifted.exitCode]).toEqual([0, 0]);
    expect(isSigned(put!, "eu-central-1/execute-api")).toBe(true);
    expect(isSigned({ ...put!, body: `${put!.body} ` }, "eu-central-1/execute-api")).toBe(false);
    expect(isSigned(taken!, "eu-central-1/execute-api")).toBe(true);
  });

  it("is in the region of the flag, else of the environment", async () => {
    const { aws: fake } = await onStack(["status", "--stack", "lookout", "--region", "us-east-1"], status);

    expect(fake.arrived[0]?.headers.authorization).toMatch(/\/us-east-1\/cloudformation\/aws4_request/);
    const asked = fake.arrived.find(({ path }) => path.startsWith("/v1/workloads?"));
    expect(isSigned(asked!, "us-east-1/execute-api")).toBe(true);
  });

  it("has the name of the flag, else of the environment, and only one flag may name it", async () => {
    const byServer = await lookout(["status", "--server", "http://127.0.0.1:4040"], status, {
      environment: { LOOKOUT_STACK: "lookout" },
    });
    const both = await lookout(["status", "--server", "http://127.0.0.1:4040", "--stack", "lookout"], {});

    expect(byServer.stdout).toContain("Lookout at http://127.0.0.1:4040, named by --server\n");
    expect(both).toMatchObject({
      exitCode: 2,
      stderr: "✗ --server and --stack name two servers: remove one of them.\n",
    });
  });

  it.each([
    {
      because: "IAM keeps the caller from it",
      reply: { status: 403, body: { message: "Forbidden" } },
      says: [
        "✗ AWS does not let you use the API of the stack lookout: Forbidden",
        "  To see who you are:  aws sts get-caller-identity   (the stack is in account 111122223333, eu-central-1)",
        '  Your role or user needs a policy with:  {"Effect":"Allow","Action":"execute-api:Invoke","Resource":"arn:aws:execute-api:eu-central-1:111122223333:localhost/*"}',
      ],
    },
    {
      because: "the credentials expire meanwhile",
      reply: { status: 403, body: { message: "The security token included in the request is expired" } },
      says: [
        "✗ The AWS credentials have expired: The security token included in the request is expired",
        "  To sign in again:  aws sso login, or fetch new keys",
      ],
    },
  ])("gets no further request when $because", async ({ reply, says }) => {
    const { exitCode, stderr } = await onStack(["status", "--stack", "lookout"], {
      "GET /v1/workloads?sort=state&limit=100": reply,
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 4, stderr: lines(...says) });
  });

  it.each([
    {
      because: "its API takes no more requests",
      reply: { status: 429, body: { message: "Too Many Requests" } },
      says: [
        "✗ The stack lookout gets too many requests (HTTP 429).",
        "  The API of the stack limits the requests per second. Try again in a moment.",
      ],
    },
    {
      because: "its function fails",
      reply: { status: 503, body: { message: "Service Unavailable" } },
      says: [
        "✗ The stack lookout failed to answer (HTTP 503).",
        "  Read the log of the function api/v1. If the log is empty, the account's limit of concurrent functions is reached.",
        "  For a cluster with its own network, check that the subnets can reach AWS.",
      ],
    },
  ])("may be asked again later when $because", async ({ reply, says }) => {
    const { exitCode, stderr } = await onStack(["status", "--stack", "lookout"], {
      "GET /v1/workloads?sort=state&limit=100": reply,
    });

    expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: lines(...says) });
  });

  it("works only with the CLI of its own version", async () => {
    const outputs = { LookoutApiUrl: "https://api.example.com/", LookoutReceiverSecrets: '[{"vault":"x"}]' };
    const outcome = await onStack(["doctor", "--stack", "lookout"], { DescribeStacks: { body: stackXml(outputs) } });

    expect({ exitCode: outcome.exitCode, stderr: outcome.stderr }).toEqual({
      exitCode: 2,
      stderr:
        "✗ the stack's output LookoutReceiverSecrets can't be parsed: use the CLI version that deployed the stack\n",
    });
  });

  it.each([
    { typed: ["config"], path: "/v1/configuration", says: "✗ its settings are elsewhere\n" },
    { typed: ["watch"], path: "/v1/events", says: "✗ its settings are elsewhere\n" },
    {
      typed: ["push", "shop/api:1.3.0"],
      path: "/v1/demo/push",
      says: "✗ This Lookout is not the demo, so it has no registry.\n",
    },
  ])("has no $path, and $typed reports that", async ({ typed, path, says }) => {
    const method = typed[0] === "push" ? "POST" : "GET";
    const body = problemOf("not-here", "its settings are elsewhere");
    const outcome = await onStack([...typed, "--stack", "lookout"], { [`${method} ${path}`]: { status: 501, body } });

    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain(says);
  });
});

describe("an unusable stack", () => {
  it.each([
    {
      because: "there is none of that name",
      reply: { status: 400, body: errorXml("ValidationError", "Stack with id lookout does not exist") },
      exitCode: 3,
      says: [
        "✗ This account has no stack lookout in eu-central-1.",
        "  For another region:   --region REGION, or AWS_REGION",
        "  For another account:  AWS_PROFILE=NAME lookout …   (to see yours:  aws sts get-caller-identity)",
        "  To see all stacks:    aws cloudformation list-stacks --region eu-central-1",
      ],
    },
    {
      because: "it is another program's",
      reply: { body: stackXml({ Url: "https://example.com" }) },
      exitCode: 3,
      says: [
        "✗ The stack lookout in eu-central-1 (UPDATE_COMPLETE) is not a Lookout stack: it has no output LookoutApiUrl.",
        "  If its deployment failed, deploy it again:  LOOKOUT_STACK=lookout npx cdk deploy",
        "  To see its events:  aws cloudformation describe-stack-events --stack-name lookout --region eu-central-1",
      ],
    },
    {
      because: "the credentials have expired",
      reply: { status: 403, body: errorXml("ExpiredToken", "The security token included in the request is expired") },
      exitCode: 4,
      says: [
        "✗ The AWS credentials have expired: The security token included in the request is expired",
        "  To sign in again:  aws sso login, or fetch new keys",
      ],
    },
    {
      because: "the caller may not read it",
      reply: { status: 403, body: errorXml("AccessDenied", "User: ana is not authorized") },
      exitCode: 4,
      says: [
        "✗ AWS does not let you read the stack lookout in eu-central-1: User: ana is not authorized",
        "  You need cloudformation:DescribeStacks. To see who you are:  aws sts get-caller-identity",
      ],
    },
    ...[
      { because: "a proxy answers that it can't", status: 503, body: html, what: "HTTP 503, Unknown" },
      {
        because: "a proxy answers that it is something",
        status: 200,
        body: html,
        what: "HTTP 200, with no stack in the answer",
      },
      {
        because: "what answers can't be read",
        status: 502,
        body: "no",
        what: "HTTP 502, Error: @aws-sdk XML parse error: unexpected content.",
      },
      {
        because: "too much is asked",
        ...{ status: 400, body: errorXml("Throttling", "Rate exceeded"), what: "HTTP 400, Throttling: Rate exceeded" },
      },
    ].map(({ because, status, body, what }) => ({
      because,
      reply: { status, body },
      exitCode: 3,
      says: [
        `✗ AWS failed to answer in eu-central-1: ${what}`,
        "  Try again. If the command fails again, check the proxy and AWS_ENDPOINT_URL.",
      ],
    })),
  ])("is reported with a remedy when $because", async ({ reply, exitCode, says }) => {
    const outcome = await onStack(["status", "--stack", "lookout"], { DescribeStacks: reply });

    expect({ exitCode: outcome.exitCode, stderr: outcome.stderr }).toEqual({ exitCode, stderr: lines(...says) });
  });

  it.each([
    {
      because: "there are no credentials",
      environment: noKeys,
      exitCode: 4,
      says: "✗ No AWS credentials were found: Could not load credentials from any providers",
    },
    {
      because: "AWS_PROFILE names a profile that is not there",
      environment: { ...noKeys, AWS_PROFILE: "prodd", AWS_REGION: undefined },
      exitCode: 2,
      says: lines(
        '✗ AWS_PROFILE names "prodd", and neither /nowhere/config nor /nowhere/credentials has such a profile.',
        "  To see all profiles:  aws configure list-profiles",
        "  To create a profile:  aws configure sso --profile NAME",
      ),
    },
    {
      because: "no region is named",
      environment: { AWS_REGION: undefined },
      exitCode: 2,
      says: lines(
        "✗ The region of the stack lookout is unknown.",
        "  Set the region:  --region eu-central-1, AWS_REGION, or `region` of the profile",
      ),
    },
    {
      because: "nothing answers",
      environment: { AWS_ENDPOINT_URL: "http://127.0.0.1:1" },
      exitCode: 3,
      says: "✗ AWS can't be reached in eu-central-1: ",
    },
  ])("is reported with a remedy when $because", async ({ environment, exitCode, says }) => {
    useAws(environment);
    const outcome = await lookout(["status", "--stack", "lookout"], {}, { environment: {} });

    expect(outcome.exitCode).toBe(exitCode);
    expect(outcome.stderr).toContain(says);
  });
});
