import { createHash, createHmac } from "node:crypto";
import { onTestFinished } from "vitest";
import { problemOf } from "#contracts/problem";
import { type AwsEndpoint, awsEndpoint, type HttpRequest, secretAccessKey } from "#test/adapters/aws-endpoint";
import { lookout, type Outcome } from "./world.ts";

/** What is answered: XML where it is text, else JSON. */
export interface Reply {
  readonly status?: number;
  readonly body: unknown;
}

/**
 * Starts what answers as services of AWS do, and as an API behind IAM.
 *
 * @param answer - answers a request: by its action where it has one (`DescribeStacks`), else by `GET /v1/workloads`
 */
export function awsAndApi(answer: (what: string) => Reply | undefined): Promise<AwsEndpoint> {
  return awsEndpoint(({ operation }) => {
    const missing = { status: 404, body: problemOf("not-found", `there is no ${operation}`) };
    const { status = 200, body } = answer(operation) ?? missing;
    return typeof body === "string" ? { xml: body, status } : { json: body, status };
  });
}

/**
 * Runs the command beside a fake that has a stack `lookout` whose API is the fake itself, until the
 * test ends.
 */
export async function onStack(
  typed: readonly string[],
  answers: Readonly<Record<string, Reply>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome & { readonly aws: AwsEndpoint }> {
  const fake = await awsAndApi((what) =>
    what === "DescribeStacks" && answers.DescribeStacks === undefined
      ? { body: stackXml({ LookoutApiUrl: `${fake.url}/`, ApiUrl: "https://shop.example.com" }) }
      : answers[what],
  );
  onTestFinished(() => fake.close());
  const outcome = await lookout(
    typed,
    {},
    { environment: { AWS_REGION: "eu-central-1", ...environment }, fetch: (url, init) => fetch(url, init) },
  );
  return { ...outcome, aws: fake };
}

/** What CloudFormation answers of a stack with these outputs. */
export function stackXml(outputs: Readonly<Record<string, string>>, status = "UPDATE_COMPLETE"): string {
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value.replaceAll("&", "&amp;")}</OutputValue></member>`,
  );
  const stack = [
    "<StackName>lookout</StackName>",
    "<StackId>arn:aws:cloudformation:eu-central-1:111122223333:stack/lookout/1</StackId>",
    "<CreationTime>2026-11-21T10:00:00Z</CreationTime>",
    `<StackStatus>${status}</StackStatus><Outputs>${members.join("")}</Outputs>`,
  ];
  const result = `<DescribeStacksResult><Stacks><member>${stack.join("")}</member></Stacks></DescribeStacksResult>`;
  return `<DescribeStacksResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/">${result}</DescribeStacksResponse>`;
}

/** What services with the query protocol answer to what they refuse. */
export function errorXml(code: string, message: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`;
}

/**
 * Says whether a request is signed as AWS Signature Version 4 asks, worked out anew from what arrived.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export function isSigned({ method, path, headers, body }: HttpRequest, scope: string): boolean {
  const { authorization = "" } = headers;
  const signedHeaders = /SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? "";
  const [pathname = "", query = ""] = path.split("?");
  const canonical = [
    method,
    pathname.split("/").map(encode).join("/"),
    query.split("&").toSorted().join("&"),
    ...signedHeaders.split(";").map((name) => `${name}:${headers[name] ?? ""}`),
    "",
    signedHeaders,
    hash(body),
  ].join("\n");
  const at = headers["x-amz-date"] ?? "";
  const text = ["AWS4-HMAC-SHA256", at, `${at.slice(0, 8)}/${scope}/aws4_request`, hash(canonical)].join("\n");
  const key = [at.slice(0, 8), ...scope.split("/"), "aws4_request"].reduce<Buffer | string>(
    (secret, part) => createHmac("sha256", secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  const signature = createHmac("sha256", key).update(text).digest("hex");
  return authorization.endsWith(`Signature=${signature}`) && signedHeaders.split(";").includes("host");
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/** What IAM answers of a role, with the ARN of its permissions boundary if it has one. */
export function roleXml(boundary?: string): string {
  const element =
    boundary === undefined
      ? ""
      : `<PermissionsBoundary><PermissionsBoundaryType>Policy</PermissionsBoundaryType><PermissionsBoundaryArn>${boundary}</PermissionsBoundaryArn></PermissionsBoundary>`;
  return `<GetRoleResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><GetRoleResult><Role><RoleName>x</RoleName>${element}</Role></GetRoleResult></GetRoleResponse>`;
}

/** What CloudFormation answers of a stack with these resources. */
export function resourcesXml(
  ...resources: readonly { readonly type: string; readonly id: string; readonly physicalId: string }[]
): string {
  const members = resources.map(
    ({ type, id, physicalId }) =>
      `<member><LogicalResourceId>${id}</LogicalResourceId><PhysicalResourceId>${physicalId}</PhysicalResourceId>` +
      `<ResourceType>${type}</ResourceType></member>`,
  );
  return (
    `<ListStackResourcesResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><ListStackResourcesResult>` +
    `<StackResourceSummaries>${members.join("")}</StackResourceSummaries></ListStackResourcesResult></ListStackResourcesResponse>`
  );
}

/** What STS answers to a user of this account. */
export function identityXml(account: string): string {
  return (
    `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>` +
    `<Arn>arn:aws:iam::${account}:user/ana</Arn><UserId>A</UserId><Account>${account}</Account>` +
    `</GetCallerIdentityResult></GetCallerIdentityResponse>`
  );
}
