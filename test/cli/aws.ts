import { createHash, createHmac } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";

/** The credentials of the documentation of AWS; nobody's. */
const credentials = { id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" } as const;

/** A request as the fake got it. */
export interface Got {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the fake answers. */
export interface Reply {
  readonly status?: number;
  readonly body: unknown;
}

/** Something on this machine that answers as services of AWS do, and as an API behind IAM. */
export interface FakeAws {
  readonly url: string;
  /** All that was asked, in order; services of AWS by their action: `DescribeStacks`. */
  readonly got: Got[];
  close(): Promise<void>;
}

/**
 * Starts it, and points this process's AWS clients at it until the test ends.
 *
 * @param answer - answers a request: by its action where it has one, else by `GET /v1/workloads`
 */
export async function fakeAws(answer: (what: string, got: Got) => Reply | undefined): Promise<FakeAws> {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    void read(request).then((asked) => {
      got.push(asked);
      const action = actionOf(asked);
      const { status = 200, body } = answer(action ?? `${asked.method} ${asked.path}`, asked) ?? {
        status: 404,
        body: { error: { code: "not-found", message: `there is no ${asked.method} ${asked.path}` } },
      };
      const isText = typeof body === "string";
      response.writeHead(status, { "content-type": isText ? "text/xml" : "application/json" });
      response.end(isText ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  useAws({ AWS_ENDPOINT_URL: url });
  return { url, got, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Sets the surroundings of AWS clients, and nothing of the machine's own. */
export function useAws(environment: Readonly<Record<string, string | undefined>>): void {
  const own = {
    AWS_ACCESS_KEY_ID: credentials.id,
    AWS_SECRET_ACCESS_KEY: credentials.secret,
    AWS_SESSION_TOKEN: undefined,
    AWS_PROFILE: undefined,
    AWS_REGION: "eu-central-1",
    AWS_DEFAULT_REGION: undefined,
    AWS_CONFIG_FILE: "/nowhere/config",
    AWS_SHARED_CREDENTIALS_FILE: "/nowhere/credentials",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: undefined,
    AWS_WEB_IDENTITY_TOKEN_FILE: undefined,
  };
  for (const [name, value] of Object.entries({ ...own, ...environment })) vi.stubEnv(name, value);
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
export function isSigned({ method, path, headers, body }: Got, scope: string): boolean {
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
    `AWS4${credentials.secret}`,
  );
  const signature = createHmac("sha256", key).update(text).digest("hex");
  return authorization.endsWith(`Signature=${signature}`) && signedHeaders.split(";").includes("host");
}

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

async function read(request: IncomingMessage): Promise<Got> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    body: Buffer.concat(chunks).toString("utf8"),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
  };
}

/** Services name what is asked in a header, or in a form. */
function actionOf({ headers, body }: Got): string | undefined {
  const target = headers["x-amz-target"]?.split(".").at(-1);
  return target ?? /(?:^|&)Action=(\w+)/.exec(body)?.[1];
}
