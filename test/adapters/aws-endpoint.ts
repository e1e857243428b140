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

/** What is answered: JSON, XML, an error by its name, or nothing but a connection that is cut. */
export type AwsReply = { readonly json: unknown } | { readonly xml: string } | { readonly error: string } | "cut";

/** Something that answers in the place of AWS. */
export interface AwsEndpoint {
  readonly url: string;
  readonly asked: readonly AwsRequest[];
  close(): Promise<void>;
}

/** Starts it, and has all of the SDK's clients ask it until the test's environment is put back. */
export async function awsEndpoint(answer: (request: AwsRequest) => AwsReply): Promise<AwsEndpoint> {
  const asked: AwsRequest[] = [];
  const server = createServer((request, response) => {
    void read(request).then((seen) => {
      asked.push(seen);
      const reply = answer(seen);
      if (reply === "cut") request.socket.destroy();
      else if ("xml" in reply) response.writeHead(200, { "content-type": "text/xml" }).end(reply.xml);
      else if ("json" in reply)
        response.writeHead(200, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(reply.json));
      else
        response
          .writeHead(400, { "content-type": "application/x-amz-json-1.1", "x-amzn-errortype": reply.error })
          .end(errorBody(reply.error, seen));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://localhost:${String((server.address() as AddressInfo).port)}`;
  vi.stubEnv("AWS_ENDPOINT_URL", url);
  return {
    url,
    asked,
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
  if (typeof target === "string") {
    const input = JSON.parse(text) as Readonly<Record<string, unknown>>;
    return { operation: target.split(".").at(-1) ?? "", input, region, accessKeyId };
  }
  const form = Object.fromEntries(new URLSearchParams(text));
  const operation = form["Action"] ?? `${request.method ?? ""} ${request.url ?? ""}`;
  return { operation, input: form, region, accessKeyId };
}

function errorBody(name: string, { input }: AwsRequest): string {
  return "Action" in input
    ? `<ErrorResponse><Error><Code>${name}</Code><Message>no</Message></Error></ErrorResponse>`
    : JSON.stringify({ __type: name, message: "no" });
}
