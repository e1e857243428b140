import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { kindForms } from "#stored/kinds";
import type { AwsEndpoint } from "#test/adapters/aws-endpoint";
import { noHost } from "#test/adapters/user-options";
import { awsAndApi, errorXml, identityXml, type Reply, resourcesXml, roleXml, stackXml } from "#test/cli/aws";
import { lines, lookout, type Outcome } from "#test/cli/world";

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "lookout-doctor-"));
  writeFileSync(
    join(cwd, "lookout.yaml"),
    lines(
      "clusters:",
      "  - name: prod",
      "    eks: {name: prod-1}",
      "  - name: inside",
      "    eks: {name: prod-2}",
      "    network: {vpc: vpc-0a1b2c3d4e5f60718, subnets: [subnet-0a1b2c3d4e5f60718]}",
      "receivers:",
      "  - {name: builds, kind: generic, registry: registry.example.com, secretId: teams/builds}",
    ),
  );
  writeFileSync(join(cwd, "broken.yaml"), "clusters: 7\n");
});
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

const accessRole = "arn:aws:iam::111122223333:role/Lookout-Access";
const cluster = (more: object = {}, network: object = {}): Reply => ({
  body: {
    cluster: {
      status: "ACTIVE",
      accessConfig: { authenticationMode: "API" },
      resourcesVpcConfig: { endpointPublicAccess: true, publicAccessCidrs: ["0.0.0.0/0"], ...network },
      ...more,
    },
  },
});
const denied = (operation: string): Reply => ({
  status: 403,
  body: { __type: "AccessDeniedException", message: `not authorized to perform ${operation}` },
});
const noStack: Reply = { status: 400, body: errorXml("ValidationError", "Stack with id lookout does not exist") };
const account: Readonly<Record<string, Reply>> = {
  DescribeStacks: noStack,
  GetCallerIdentity: { body: identityXml("111122223333") },
  GetParameter: { body: { Parameter: { Name: "x", Type: "String", Value: "30" } } },
  GetQueueUrl: { status: 400, body: { __type: "QueueDoesNotExist", message: "no" } },
  DescribeSecret: { body: { Name: "teams/builds" } },
  ListStackResources: { body: resourcesXml() },
  "GET /2016-08-19/account-settings": {
    body: { AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 1_000 } },
  },
  "GET /?Action=GetRole&RoleName=cdk-hnb659fds-cfn-exec-role-111122223333-eu-central-1&Version=2010-05-08": {
    body: roleXml(),
  },
  "GET /clusters/prod-1": cluster(),
  "GET /clusters/prod-2": cluster({}, { endpointPublicAccess: false }),
  "GET /v1/stored": {
    body: {
      at: "2026-11-21T18:45:53.000Z",
      version: "0.1.0",
      kinds: kindForms,
      forms: [{ kind: "freeze", form: 1, items: 4 }],
      unreadable: [],
      unreadableItems: 0,
    },
  },
};

async function beforeDeploy(
  replies: Readonly<Record<string, Reply>> = {},
  ...more: readonly string[]
): Promise<Outcome & { readonly aws: AwsEndpoint }> {
  const all: Readonly<Record<string, Reply | ((url: string) => Reply)>> = { ...account, ...replies };
  const aws = await awsAndApi((what) => {
    const reply = all[what];
    if (what === "DescribeStacks" && reply === deployed)
      return { body: stackXml({ LookoutApiUrl: aws.url, LookoutAccessRoleArn: accessRole }) };
    return reply as Reply | undefined;
  });
  onTestFinished(() => aws.close());
  const outcome = await lookout(
    ["doctor", "--before-deploy", "--stack", "lookout", ...more],
    {},
    { cwd, environment: { AWS_REGION: "eu-central-1" }, fetch: (url, init) => fetch(url, init) },
  );
  return { ...outcome, aws };
}

/** Stands for the stack with its outputs. */
const deployed: Reply = { body: "" };

interface Json {
  readonly checks: readonly { readonly check: string; readonly verdict: string; readonly detail: string }[];
  readonly newVersion: string;
  readonly readsAll?: boolean;
}
const jsonOf = ({ stdout }: Outcome): Json => JSON.parse(stdout) as Json;
const verdicts = (outcome: Outcome) => jsonOf(outcome).checks.map(({ check, verdict }) => [check, verdict]);

describe("lookout doctor --before-deploy --stack", () => {
  it("checks the account before the first deployment, and says that nothing is stored yet", async () => {
    const { stdout, exitCode, aws } = await beforeDeploy();

    expect(exitCode).toBe(0);
    expect(stdout).toBe(
      lines(
        "✓ identity                    you are arn:aws:iam::111122223333:user/ana, and deploy to the account 111122223333 in eu-central-1",
        "✓ stack                       there is no stack lookout in eu-central-1: this is its first deployment, and there are no stored items to compare",
        "✓ lookout.yaml                lookout.yaml is valid: clusters 2, receivers 1",
        "✓ bootstrap                   the CDK bootstrap stack has version 30",
        "✓ permissions boundary        the CDK's execution role has none",
        /✓ concurrency .*/.exec(stdout)?.[0] ?? "",
        "✓ names                       4 queues in VPCs have free names of at most 80 characters",
        "✓ cluster prod                the EKS cluster prod-1 is ACTIVE, authentication mode API, reached at its public endpoint",
        "✓ cluster inside              the EKS cluster prod-2 is ACTIVE, authentication mode API, reached in its network",
        "✓ secret of receiver builds   the secret teams/builds exists",
        "",
        "All checks passed.",
        "Next:  npm run deploy",
        "The stack lookout in eu-central-1, named by --stack",
      ),
    );
    expect(aws.asked.map(({ operation }) => operation)).not.toContain("ListStackResources");
  });

  it("also compares the stored items of a deployed stack, and checks the access entries", async () => {
    const entry = (name: string) => `GET /clusters/${name}/access-entries/${encodeURIComponent(accessRole)}`;
    const entries = ["prod-1", "prod-2"].map((name) => ({
      type: "AWS::EKS::AccessEntry",
      id: `Access${name}`,
      physicalId: `${accessRole}|${name}`,
    }));
    const replies = {
      DescribeStacks: deployed,
      ListStackResources: { body: resourcesXml(...entries) },
      [entry("prod-1")]: { body: { accessEntry: {} } },
      [entry("prod-2")]: { body: { accessEntry: {} } },
    };
    const outcome = await beforeDeploy(replies);

    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).toContain("✓ stack                       lookout in eu-central-1 is UPDATE_COMPLETE\n");
    expect(outcome.stdout).toContain("✓ The new version 0.1.0 reads all 4 items.\n");
    expect(outcome.stdout).toContain(
      "\n\nAll checks passed.\nNext:  lookout backup FILE, then npm run deploy\nThe stack lookout in eu-central-1, named by --stack\n",
    );

    const foreign = await beforeDeploy(
      { ...replies, ListStackResources: account["ListStackResources"] ?? deployed },
      "-o",
      "name",
    );
    expect([foreign.exitCode, foreign.stdout]).toEqual([1, "cluster prod\ncluster inside\n"]);
  });

  it("names each wrong check, and ends with 1", async () => {
    const replies = {
      "GET /clusters/prod-1": cluster(
        { accessConfig: { authenticationMode: "CONFIG_MAP" } },
        { endpointPublicAccess: false },
      ),
      DescribeSecret: { status: 400, body: { __type: "ResourceNotFoundException", message: "no" } },
    };
    const { stdout, exitCode } = await beforeDeploy(replies);

    expect(exitCode).toBe(1);
    expect(stdout).toContain("✗ cluster prod                the API server of prod-1 has no public endpoint");
    expect(stdout).toContain("✗ cluster prod                the authentication mode of prod-1 is CONFIG_MAP");
    expect(stdout).toContain("✗ secret of receiver builds   the secret teams/builds is missing\n");
    expect(stdout).toContain(
      "\n3 of 11 checks failed.\nDon't deploy yet: mend the failed checks, and run the command again.\n",
    );
    expect((await beforeDeploy(replies, "-o", "name")).stdout).toBe("cluster prod\nsecret of receiver builds\n");
  });

  it("goes on after each denied check, and names the missing rights", async () => {
    const all = Object.keys(account).map((operation) => [operation, denied(operation)] as const);
    const outcome = await beforeDeploy({
      ...Object.fromEntries(all),
      DescribeStacks: { status: 403, body: errorXml("AccessDenied", "not you") },
      GetCallerIdentity: { body: identityXml("111122223333") },
    });
    const rights = [...outcome.stdout.matchAll(/You need ([\w:]+)\./g)].map(([, right]) => right);

    expect(outcome.exitCode).toBe(0);
    expect(rights).toEqual([
      "cloudformation:DescribeStacks",
      "ssm:GetParameter",
      "iam:GetRole",
      "lambda:GetAccountSettings",
      "sqs:GetQueueUrl",
      "eks:DescribeCluster",
      "eks:DescribeCluster",
      "secretsmanager:DescribeSecret",
    ]);
    expect(outcome.stdout).toContain("\nNo check failed. 8 of 10 could not be made.\n");
    expect(outcome.stdout.match(/^\? /gm)).toHaveLength(8);
  });

  it("goes on after faults of AWS, with long texts cut and made safe for a terminal", async () => {
    const hostile = `\u001b[2J${"x".repeat(5_000)}`;
    const outcome = await beforeDeploy({
      "GET /clusters/prod-1": { status: 500, body: { __type: "ServerException", message: hostile } },
      "GET /2016-08-19/account-settings": { status: 503, body: "<html>" },
    });

    expect(outcome.exitCode).toBe(0);
    expect(outcome.stdout).not.toContain("\u001b");
    expect(Math.max(...outcome.stdout.split("\n").map((line) => line.length))).toBeLessThan(450);
    expect(outcome.stdout).toContain("? cluster prod                the EKS cluster prod-1 can't be read: HTTP 500,");
    expect(outcome.stdout).toContain("✓ cluster inside ");
  });

  it("reports a region without services", async () => {
    const aws = await awsAndApi(() => undefined);
    onTestFinished(() => aws.close());
    vi.stubEnv("AWS_ENDPOINT_URL", noHost);
    const outcome = await lookout(
      ["doctor", "--before-deploy", "--stack", "lookout", "-o", "json"],
      {},
      { cwd, environment: { AWS_REGION: "eu-central-9" } },
    );

    expect(outcome.exitCode).toBe(1);
    expect(jsonOf(outcome).checks.map(({ detail }) => detail.split(":")[0])).toEqual([
      ...["STS", "CloudFormation"].map((service) => `the region eu-central-9 has no ${service}`),
      "lookout.yaml is valid",
      ...["SSM", "Lambda", "SQS", "EKS", "EKS", "Secrets Manager"].map(
        (service) => `the region eu-central-9 has no ${service}`,
      ),
    ]);
  });

  it("checks the account also with an invalid file, and without a file", async () => {
    const broken = await beforeDeploy({}, "--config", "broken.yaml", "-o", "json");
    expect(broken.exitCode).toBe(1);
    expect(verdicts(broken)).toEqual([
      ["identity", "well"],
      ["stack", "well"],
      ["lookout.yaml", "wrong"],
      ["bootstrap", "well"],
      ["permissions boundary", "well"],
      ["concurrency", "well"],
    ]);
    expect(jsonOf(broken).checks[2]).toEqual({
      check: "lookout.yaml",
      verdict: "wrong",
      detail: "broken.yaml:1:1: clusters 7: expected a list of clusters. Clusters and secrets are not checked",
      remedy: "To list all problems:  lookout config check broken.yaml",
    });

    const missing = await beforeDeploy({}, "--config", "none.yaml");
    expect(missing.exitCode).toBe(1);
    expect(missing.stdout).toContain("✗ lookout.yaml           none.yaml can't be read, so nothing can be deployed\n");
  });

  it("reports an API that does not let the caller compare stored items", async () => {
    const outcome = await beforeDeploy({
      DescribeStacks: deployed,
      "GET /v1/stored": { status: 403, body: { message: "Forbidden" } },
    });

    expect(outcome.exitCode).toBe(4);
    expect(outcome.stdout).toContain(
      "? stored items                AWS does not let you use the API of the stack lookout",
    );
    expect(outcome.stdout).toContain("✓ bootstrap ");
    expect(outcome.stdout).toContain("\nDon't deploy yet: ");
  });

  it("refuses credentials that no check can use", async () => {
    const code = "ExpiredTokenException";
    const { exitCode, stderr } = await beforeDeploy({
      DescribeStacks: { status: 403, body: errorXml(code, "expired") },
    });

    expect({ exitCode, first: stderr.split("\n")[0] }).toEqual({
      exitCode: 4,
      first: "✗ The AWS credentials have expired: expired",
    });
  });
});

describe("lookout doctor --config", () => {
  it("needs --before-deploy and a stack", async () => {
    expect(await lookout(["doctor", "--config", "lookout.yaml"], {})).toMatchObject({
      exitCode: 2,
      stderr: lines(
        "✗ --config needs --before-deploy and a stack.",
        "  For example:  lookout doctor --before-deploy --stack Lookout --config lookout.yaml",
      ),
    });
  });
});
