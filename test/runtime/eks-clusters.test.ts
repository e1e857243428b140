import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type EksDefinition, eksVisitor } from "#runtime/eks-clusters";
import { type AwsEndpoint, awsEndpoint, type AwsReply, type AwsRequest, home } from "#test/adapters/aws-endpoint";

const { signal } = new AbortController();
const folder = mkdtempSync(join(tmpdir(), "lookout-eks-"));
let ca: string;
let server: Server;
let url: string;
/** Who the tokens are of that the API server was shown, and whom it lets in. */
let shown: string[];
let letsIn: (accessKeyId: string, times: number) => boolean;

beforeAll(async () => {
  const [key, cert] = [join(folder, "key"), join(folder, "cert")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"],
      ...["-keyout", key, "-out", cert, ...subject],
    ],
    { stdio: "ignore" },
  );
  ca = readFileSync(cert).toString("base64");
  server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const token = (request.headers.authorization ?? "").replace("Bearer k8s-aws-v1.", "");
    const asked = new URL(Buffer.from(token, "base64url").toString("utf8"));
    const who = asked.searchParams.get("X-Amz-Credential")?.split("/")[0] ?? "";
    shown.push(who);
    const ok = letsIn(who, shown.length);
    response.writeHead(ok ? 200 : 401, { "content-type": "application/json" });
    response.end(JSON.stringify(ok ? { metadata: { name: "kube-system", uid: "u-1" } } : { message: "Unauthorized" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

let aws: AwsEndpoint;
let answer: (request: AwsRequest) => AwsReply;
const described = (): AwsReply => ({
  json: { cluster: { status: "ACTIVE", endpoint: url, certificateAuthority: { data: ca } } },
});

beforeEach(async () => {
  shown = [];
  letsIn = () => true;
  answer = described;
  aws = await awsEndpoint((request) =>
    request.operation === "AssumeRole" ? assumed(String(request.input["RoleArn"])) : answer(request),
  );
});
afterEach(() => aws.close());

function assumed(roleArn: string): AwsReply {
  if (roleArn.endsWith("closed")) return { error: "AccessDenied" };
  const key = `KEYOF${roleArn.split("/").at(-1)?.toUpperCase() ?? ""}`;
  const expiration = new Date(Date.now() + 3_600_000).toISOString();
  return {
    xml: `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>${key}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>${expiration}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`,
  };
}

const visit = (eks: object, accessRole?: string, network?: EksDefinition["network"]) =>
  eksVisitor({ environment: { ...process.env, AWS_REGION: "eu-central-1" }, accessRole })({
    name: "prod",
    eks: { name: "prod-1", ...eks },
    ...(network === undefined ? {} : { network }),
  });
const operations = () => aws.asked.map(({ operation, region, accessKeyId }) => [operation, region, accessKeyId]);
const hostText = "the EKS cluster prod-1 (eu-central-1)";
const entry = (principal: string) =>
  `create an access entry: aws eks create-access-entry --region eu-central-1 --cluster-name prod-1 --principal-arn ${principal} --username lookout --kubernetes-groups lookout`;

describe("a cluster of EKS", () => {
  it("is found by EKS once, and accepts the stack's role", async () => {
    const cluster = visit({}, "arn:aws:iam::123456789012:role/access");

    const found = [await cluster.identity(signal), await cluster.identity(signal)];

    expect(found).toEqual([
      { kind: "identity", uid: "u-1" },
      { kind: "identity", uid: "u-1" },
    ]);
    expect(operations().toSorted()).toEqual([
      ["AssumeRole", "eu-central-1", home.accessKeyId],
      ["GET /clusters/prod-1", "eu-central-1", "KEYOFACCESS"],
    ]);
    expect(shown).toEqual(["KEYOFACCESS", "KEYOFACCESS"]);
    await cluster.close();
  });

  it("of another account and region is found by its own role, which the stack's role assumes", async () => {
    const cluster = visit(
      { region: "us-west-2", roleArn: "arn:aws:iam::210987654321:role/there" },
      "arn:aws:iam::123456789012:role/access",
    );

    expect((await cluster.identity(signal)).kind).toBe("identity");
    expect(operations()).toContainEqual(["AssumeRole", "eu-central-1", "KEYOFACCESS"]);
    expect(operations()).toContainEqual(["GET /clusters/prod-1", "us-west-2", "KEYOFTHERE"]);
    expect(shown).toEqual(["KEYOFTHERE"]);
    await cluster.close();
  });

  it("is reached at the address of lookout.yaml, without EKS, with the user's credentials", async () => {
    const cluster = visit({ endpoint: url, certificateAuthority: ca });

    expect((await cluster.identity(signal)).kind).toBe("identity");
    expect([operations(), shown]).toEqual([[], [home.accessKeyId]]);
    await cluster.close();
  });

  it("gets a second request after it refuses a token, and then names the missing access entry", async () => {
    letsIn = () => false;
    const cluster = visit({ endpoint: url, certificateAuthority: ca }, "arn:aws:iam::123456789012:role/access");

    expect(await cluster.identity(signal)).toEqual({
      kind: "denied",
      detail: `${hostText} does not accept the credential (401); ${entry("arn:aws:iam::123456789012:role/access")}`,
    });
    expect(shown).toHaveLength(2);
    await cluster.close();
  });

  it("without an access entry names aws-auth after a refusal", async () => {
    letsIn = () => false;
    const cluster = visit(
      { endpoint: url, certificateAuthority: ca, accessEntry: false },
      "arn:aws:iam::1:role/access",
    );

    expect(await cluster.identity(signal)).toEqual({
      kind: "denied",
      detail: `${hostText} does not accept the credential (401); add the role to mapRoles of aws-auth, or ${entry("arn:aws:iam::1:role/access")}`,
    });
    await cluster.close();
  });

  it("accepts a new token after a refusal", async () => {
    letsIn = (_, times) => times > 1;
    const cluster = visit({ endpoint: url, certificateAuthority: ca });

    expect((await cluster.identity(signal)).kind).toBe("identity");
    await cluster.close();
  });

  it("that EKS does not know is denied with a remedy", async () => {
    answer = () => ({ error: "ResourceNotFoundException" });
    const cluster = visit({}, "arn:aws:iam::123456789012:role/access");

    expect(await cluster.identity(signal)).toEqual({
      kind: "denied",
      detail: `no credentials for ${hostText}: EKS has no cluster prod-1 in eu-central-1. To list the clusters of the role's account: aws eks list-clusters --region eu-central-1; ${entry("arn:aws:iam::123456789012:role/access")}`,
    });
  });

  it("whose role can't be assumed is denied with its name", async () => {
    const cluster = visit({
      endpoint: url,
      certificateAuthority: ca,
      roleArn: "arn:aws:iam::210987654321:role/closed",
    });

    expect(await cluster.identity(signal)).toMatchObject({
      kind: "denied",
      detail: expect.stringContaining("STS denied the role arn:aws:iam::210987654321:role/closed") as unknown,
    });
  });

  it("is unreachable while EKS does not answer or creates the cluster", async () => {
    answer = () => ({ json: { cluster: { status: "CREATING" } } });

    expect(await visit({}).identity(signal)).toEqual({
      kind: "unreachable",
      detail: `no credentials for ${hostText} at the moment: cluster prod-1 of EKS is CREATING`,
    });
  });

  describe("without a connection", () => {
    const nowhere = "https://127.0.0.1:1";
    const role = "arn:aws:iam::123456789012:role/access";
    const network = { vpc: "vpc-0a1b2c3d", subnets: ["subnet-0a1b2c3d"] as const };
    const at = (resourcesVpcConfig?: object) => (): AwsReply => ({
      json: {
        cluster: { status: "ACTIVE", endpoint: nowhere, certificateAuthority: { data: ca }, resourcesVpcConfig },
      },
    });
    const isPrivate = at({ endpointPublicAccess: false, vpcId: "vpc-0a1b2c3d" });
    const lookAt = "check its address, and whether the API server is up";
    const mayTake =
      "check the cluster's address; an API server without public access needs a network in lookout.yaml (docs/cluster-access.md)";
    const takes =
      "the API server has no public endpoint: add the cluster to lookout.yaml with a network in vpc-0a1b2c3d, and deploy (docs/cluster-access.md)";

    it.each([
      { because: "it has no public endpoint", answers: isPrivate, eks: {}, accessRole: role, says: takes },
      {
        because: "it has a public endpoint",
        answers: at({ endpointPublicAccess: true, vpcId: "vpc-0a1b2c3d" }),
        eks: {},
        accessRole: role,
        says: mayTake,
      },
      {
        because: "its address was given",
        answers: isPrivate,
        eks: { endpoint: nowhere, certificateAuthority: Buffer.from("x").toString("base64") },
        accessRole: role,
        says: mayTake,
      },
      { because: "it has a network already", answers: isPrivate, eks: {}, accessRole: role, network, says: lookAt },
      { because: "nothing is deployed", answers: isPrivate, eks: {}, accessRole: undefined, says: lookAt },
    ])("shows a remedy when $because", async ({ answers, eks, accessRole, network: own, says }) => {
      answer = answers;

      expect(await visit(eks, accessRole, own).identity(signal)).toEqual({
        kind: "unreachable",
        detail: `no connection to ${hostText} (ECONNREFUSED): ${says}`,
      });
    });
  });

  it("is refused with a certificate of another authority", async () => {
    const other = Buffer.from(
      Buffer.from(ca, "base64")
        .toString("utf8")
        .replace(/[A-Za-z0-9]{64}\n/, ""),
    ).toString("base64");

    expect((await visit({ endpoint: url, certificateAuthority: other }).identity(signal)).kind).not.toBe("identity");
    expect(shown).toEqual([]);
  });

  it("needs a region", () => {
    const without = { environment: {} };

    expect(() => eksVisitor(without)({ name: "prod", eks: { name: "prod-1" } })).toThrow(
      "the region of the cluster prod is unknown: set eks.region in lookout.yaml, or AWS_REGION",
    );
  });
});
