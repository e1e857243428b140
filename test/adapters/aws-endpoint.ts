import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
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

/** What is answered: JSON, XML, an error by its name with the status it comes with (400), or nothing but a connection that is cut. */
export type AwsReply =
  { readonly json: unknown } | { readonly xml: string } | { readonly error: string; readonly status?: number } | "cut";

/** Something that answers in the place of AWS. */
export interface AwsEndpoint {
  readonly url: string;
  readonly asked: readonly AwsRequest[];
  /** Answers the next requests, one each; then all are answered as before. */
  readonly answerNext: (...replies: readonly AwsReply[]) => void;
  close(): Promise<void>;
}

/** Whose keys the SDK's clients find, and in which region they are, unless a test says otherwise. */
export const home = { region: "eu-central-1", accessKeyId: "AKIDHOME" } as const;

/**
 * Starts it, and has all of the SDK's clients ask it until the test's environment is put back.
 *
 * @param answer - what it answers unless told; an empty document by default
 */
export async function awsEndpoint(
  answer: (request: AwsRequest) => AwsReply = () => ({ json: {} }),
): Promise<AwsEndpoint> {
  const asked: AwsRequest[] = [];
  const next: AwsReply[] = [];
  const server = createServer((request, response) => {
    void read(request).then((seen) => {
      asked.push(seen);
      const reply = next.shift() ?? answer(seen);
      if (reply === "cut") request.socket.destroy();
      else if ("xml" in reply) response.writeHead(200, { "content-type": "text/xml" }).end(reply.xml);
      else if ("json" in reply)
        response.writeHead(200, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(reply.json));
      else
        response
          .writeHead(reply.status ?? 400, {
            "content-type": "application/x-amz-json-1.1",
            "x-amzn-errortype": reply.error,
          })
          .end(errorBody(reply.error, seen));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://localhost:${String((server.address() as AddressInfo).port)}`;
  vi.stubEnv("AWS_ENDPOINT_URL", url);
  vi.stubEnv("AWS_REGION", home.region);
  vi.stubEnv("AWS_ACCESS_KEY_ID", home.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "canary");
  vi.stubEnv("AWS_SESSION_TOKEN", undefined);
  return {
    url,
    asked,
    answerNext: (...replies) => void next.push(...replies),
    close: async () => {
      vi.unstubAllEnvs();
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function read(request: IncomingMessage): Promise<AwsRequest> {
  const text = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString("utf8");
  const target = request.headers["x-amz-target"];
  const [, accessKeyId = "", region = ""] =
    /Credential=([^/]+)\/\d+\/([^/]+)\//.exec(request.headers.authorization ?? "") ?? [];
  const rest = `${request.method ?? ""} ${request.url ?? ""}`;
  if (text.startsWith("{")) {
    const input = JSON.parse(text) as AwsRequest["input"];
    const operation = typeof target === "string" ? target.split(".").at(-1) : undefined;
    return { operation: operation ?? rest, input, region, accessKeyId };
  }
  const form = Object.fromEntries(new URLSearchParams(text));
  return { operation: form["Action"] ?? rest, input: form, region, accessKeyId };
}

function errorBody(name: string, { input }: AwsRequest): string {
  return "Action" in input
    ? `<ErrorResponse><Error><Code>${name}</Code><Message>no</Message></Error></ErrorResponse>`
    : JSON.stringify({ __type: name, message: "no" });
}
