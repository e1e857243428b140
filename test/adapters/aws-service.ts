import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { vi } from "vitest";

/** One request of an AWS client, as it came over the wire. */
export interface AwsRequest {
  /** `AmazonSQS.SendMessageBatch` of a JSON protocol, `POST /schedules/x` of a REST one. */
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a service answers; its name makes it an error. */
export interface AwsAnswer {
  readonly status?: number;
  readonly error?: string;
  readonly body?: unknown;
}

/** An endpoint that stands in for the services of AWS, and remembers what it was asked. */
export interface AwsEndpoint {
  readonly requests: AwsRequest[];
  /** Answers the next requests, one each; then all are answered as before. */
  readonly answerNext: (...answers: readonly AwsAnswer[]) => void;
  readonly close: () => Promise<void>;
}

/**
 * Starts an endpoint and points the AWS clients that are made from now on at it: `AWS_ENDPOINT_URL`, a region, keys.
 *
 * @param answer - what it answers unless told; `{}` with 200 by default
 */
export async function awsEndpoint(answer: (request: AwsRequest) => AwsAnswer = () => ({})): Promise<AwsEndpoint> {
  const requests: AwsRequest[] = [];
  const next: AwsAnswer[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const target = incoming.headers["x-amz-target"];
      const text = Buffer.concat(chunks).toString("utf8");
      const request = {
        operation: typeof target === "string" ? target : `${incoming.method ?? ""} ${incoming.url ?? ""}`,
        body: (text === "" ? {} : JSON.parse(text)) as AwsRequest["body"],
      };
      requests.push(request);
      const { status, error, body = {} } = next.shift() ?? answer(request);
      outgoing.statusCode = status ?? (error === undefined ? 200 : 400);
      outgoing.setHeader("content-type", "application/x-amz-json-1.0");
      if (error !== undefined) outgoing.setHeader("x-amzn-errortype", error);
      outgoing.end(JSON.stringify(error === undefined ? body : { __type: error, message: "as the test says" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  vi.stubEnv("AWS_ENDPOINT_URL", `http://localhost:${(server.address() as AddressInfo).port}`);
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "test");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test");
  return {
    requests,
    answerNext: (...answers) => void next.push(...answers),
    close: async () => {
      vi.unstubAllEnvs();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
