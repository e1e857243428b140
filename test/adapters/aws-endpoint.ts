import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";

/** One request to AWS. */
export interface AwsRequest {
  /** `ListImages`, `AssumeRole`; of a REST service the method and path: `GET /clusters/prod`. */
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** As the request is signed for. */
  readonly region: string;
  readonly accessKeyId: string;
}

/** A request as it arrived. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * What is answered: JSON or XML with the status it comes with (200), an error by its name with the status that it comes with (400), or nothing
 * but a connection that is cut.
 */
export type AwsReply =
  | (({ readonly json: unknown } | { readonly xml: string } | { readonly error: string }) & {
      readonly status?: number;
    })
  | "cut";

/** Something that answers in the place of AWS. */
export interface AwsEndpoint {
  readonly url: string;
  readonly asked: readonly AwsRequest[];
  /** The same, as it arrived. */
  readonly arrived: readonly HttpRequest[];
  /** Answers the next requests, one each; then all are answered as before. */
  readonly answerNext: (...replies: readonly AwsReply[]) => void;
  close(): Promise<void>;
}

/**
 * Whose keys the SDK's clients find, and in which region they are, unless a test says otherwise.
 */
export const home = { region: "eu-central-1", accessKeyId: "AKIDHOME" } as const;
/** What they sign with. */
export const secretAccessKey = "canary";

/**
 * Starts it, and has all of the SDK's clients ask it until the test's environment is put back.
 *
 * @param answer - what it answers unless told; an empty document by default
 */
export async function awsEndpoint(
  answer: (request: AwsRequest) => AwsReply = () => ({ json: {} }),
): Promise<AwsEndpoint> {
  const asked: AwsRequest[] = [];
  const arrived: HttpRequest[] = [];
  const next: AwsReply[] = [];
  const server = createServer((request, response) => {
    void read(request).then((http) => {
      const seen = understood(http);
      arrived.push(http);
      asked.push(seen);
      const reply = next.shift() ?? answer(seen);
      if (reply === "cut") request.socket.destroy();
      else answerWith(reply, seen, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://localhost:${String((server.address() as AddressInfo).port)}`;
  useAws({ AWS_ENDPOINT_URL: url });
  return {
    url,
    asked,
    arrived,
    answerNext: (...replies) => void next.push(...replies),
    close: async () => {
      vi.unstubAllEnvs();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * Sets what clients of AWS find around them, and nothing of the machine's own, until the test's
 * environment is put back.
 */
export function useAws(environment: Readonly<Record<string, string | undefined>>): void {
  const own = {
    AWS_ACCESS_KEY_ID: home.accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: undefined,
    AWS_PROFILE: undefined,
    AWS_REGION: home.region,
    AWS_DEFAULT_REGION: undefined,
    AWS_CONFIG_FILE: "/nowhere/config",
    AWS_SHARED_CREDENTIALS_FILE: "/nowhere/credentials",
    AWS_EC2_METADATA_DISABLED: "true",
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: undefined,
    AWS_WEB_IDENTITY_TOKEN_FILE: undefined,
  };
  for (const [name, value] of Object.entries({ ...own, ...environment })) vi.stubEnv(name, value);
}

function answerWith(reply: Exclude<AwsReply, "cut">, seen: AwsRequest, response: ServerResponse): void {
  const { status = "error" in reply ? 400 : 200 } = reply;
  const json = { "content-type": "application/x-amz-json-1.1" };
  if ("xml" in reply) response.writeHead(status, { "content-type": "text/xml" }).end(reply.xml);
  else if ("json" in reply) response.writeHead(status, json).end(JSON.stringify(reply.json));
  else response.writeHead(status, { ...json, "x-amzn-errortype": reply.error }).end(errorBody(reply.error, seen));
}

async function read(request: IncomingMessage): Promise<HttpRequest> {
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    body: Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString("utf8"),
  };
}

function understood({ method, path, headers, body }: HttpRequest): AwsRequest {
  const [, accessKeyId = "", region = ""] =
    /Credential=([^/]+)\/\d+\/([^/]+)\//.exec(headers["authorization"] ?? "") ?? [];
  const rest = `${method} ${path}`;
  if (body.startsWith("{")) {
    const input = JSON.parse(body) as AwsRequest["input"];
    return { operation: headers["x-amz-target"]?.split(".").at(-1) ?? rest, input, region, accessKeyId };
  }
  const form = Object.fromEntries(new URLSearchParams(body));
  return { operation: form["Action"] ?? rest, input: form, region, accessKeyId };
}

function errorBody(name: string, { input }: AwsRequest): string {
  return "Action" in input
    ? `<ErrorResponse><Error><Code>${name}</Code><Message>no</Message></Error></ErrorResponse>`
    : JSON.stringify({ __type: name, message: "no" });
}
