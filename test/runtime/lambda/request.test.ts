import { createHmac } from "node:crypto";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pushReceivers } from "#adapters/webhook/receivers";
import { problemOf } from "#contracts/problem";
import { NewerRecordError, PermanentError } from "#ports/errors";
import type { RequestFunction } from "#runtime/handler";
import type { HttpEvent } from "#runtime/lambda/http-event";
import { requestShell } from "#runtime/lambda/request";
import { callerHeader, json, maximumBodyBytes, onNotification } from "#runtime/request";
import { contextOf, type LambdaStage, lambdaStage } from "./stage.ts";
import { stoppedClock } from "#test/stopped-clock";

let stage: LambdaStage;
beforeEach(async () => {
  stage = await lambdaStage();
});
afterEach(() => stage.close());

interface Given {
  readonly method?: string;
  readonly path?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly base64?: boolean;
  /** Undefined: whom IAM was not asked about. */
  readonly caller?: string | undefined;
}

const kim = "arn:aws:sts::111122223333:assumed-role/Admin/kim";

/** A request as an HTTP API hands it on. */
function eventOf({
  method = "POST",
  path = "/v1/x",
  query = "",
  headers = {},
  body,
  base64 = false,
  ...whoever
}: Given): HttpEvent {
  const caller = "caller" in whoever ? whoever.caller : kim;
  return {
    version: "2.0",
    routeKey: "$default",
    rawPath: path,
    rawQueryString: query,
    headers: { host: "api.test", ...headers },
    ...(body === undefined ? {} : { body }),
    isBase64Encoded: base64,
    requestContext: {
      accountId: "111122223333",
      apiId: "api",
      domainName: "api.test",
      domainPrefix: "api",
      http: { method, path, protocol: "HTTP/1.1", sourceIp: "192.0.2.1", userAgent: "test" },
      requestId: "r",
      routeKey: "$default",
      stage: "$default",
      time: "02/Jan/2026:03:04:05 +0000",
      timeEpoch: 1_767_323_045_000,
      ...(caller === undefined ? {} : { authorizer: { iam: { userArn: caller } } }),
    },
  };
}

function ask(run: RequestFunction, given: Given): Promise<APIGatewayProxyStructuredResultV2> {
  return requestShell(run, stage.settings("api/v1"))(eventOf(given), contextOf());
}

/** Tells what the function was asked. */
const telling: RequestFunction = async (request) =>
  json(200, {
    ...{ method: request.method, url: request.url, type: request.headers.get("content-type") },
    ...{ caller: request.headers.get(callerHeader), body: await request.text() },
  });
const told = ({ body = "" }: APIGatewayProxyStructuredResultV2): unknown => JSON.parse(body);

describe("an HTTP request to a function", () => {
  it("has the request of its sender", async () => {
    const answer = await ask(telling, {
      ...{ method: "POST", path: "/v1/a%2Fb", query: "limit=2&after=a%20b" },
      ...{ headers: { "content-type": "application/json" }, body: '{"why":"ü"}' },
    });

    expect(told(answer)).toEqual({
      ...{ method: "POST", url: "https://api.test/v1/a%2Fb?limit=2&after=a%20b", type: "application/json" },
      ...{ caller: kim, body: '{"why":"ü"}' },
    });
  });

  it("may have a body in base64, as binary types do", async () => {
    const answer = await ask(telling, { body: Buffer.from("ü\0").toString("base64"), base64: true });

    expect(told(answer)).toMatchObject({ body: "ü\0" });
  });

  it("may have no body", async () => {
    expect(told(await ask(telling, { method: "GET" }))).toMatchObject({ method: "GET", body: "" });
    expect(told(await ask(telling, { method: "DELETE" }))).toMatchObject({ method: "DELETE", body: "" });
  });

  it("has no body for a GET", async () => {
    expect(told(await ask(telling, { method: "GET", body: "x" }))).toMatchObject({ method: "GET", body: "" });
  });

  it("keeps the bytes of a header", async () => {
    const run: RequestFunction = async (request) => json(200, request.headers.get("x-why"));

    expect(told(await ask(run, { headers: { "x-why": "f\u00fcr" } }))).toBe("f\u00fcr");
  });

  it.each([
    "/v1/workloads/prod/team-a/../team-b/Deployment/web/approval",
    "/v1/workloads/prod/team-a/%2e%2E/team-b/Deployment/web/approval",
    "/v1/workloads/prod/team-a/.%2e/team-b/Deployment/web/approval",
    "/v1/workloads/prod/team-a/..\\team-b/Deployment/web/approval",
    "/v1/workloads/./prod",
    "/v1/workloads/..",
  ])("with a path that would become another one is not run, because IAM judged the first: %s", async (path) => {
    expect((await ask(telling, { path })).statusCode).toBe(400);
  });

  it.each(["/v1/workloads/prod/shop/Deployment/a..b", "/v1/freezes/prod%2Fshop", "/v1/quarantine/sha256:ab"])(
    "with a path of other dots and signs is run: %s",
    async (path) => {
      expect((await ask(telling, { path })).statusCode).toBe(200);
    },
  );

  it("with an invalid header is not run, and the header is not logged", async () => {
    const answer = await ask(telling, { headers: { authorization: "s3cret\0" } });

    expect({ status: answer.statusCode, body: told(answer) }).toEqual({
      status: 400,
      body: problemOf("bad-request", "HTTP does not allow the method, the path or a header of this request"),
    });
    expect(stage.output()).not.toContain("s3cret");
    expect(stage.lines()).toHaveLength(1);
  });

  it("is answered with status, headers and text", async () => {
    const run: RequestFunction = async () =>
      new Response("no", { status: 404, headers: { "content-type": "text/plain" } });

    expect(await ask(run, {})).toEqual({
      ...{ statusCode: 404, headers: { "content-type": "text/plain" }, body: "no", isBase64Encoded: false },
    });
  });

  it("is answered in base64 unless it is text", async () => {
    const run: RequestFunction = async () => new Response(new Uint8Array([0, 255]));

    expect(await ask(run, {})).toMatchObject({ body: "AP8=", isBase64Encoded: true });
  });

  it.each([
    { as: "text", body: "x".repeat(maximumBodyBytes + 1), base64: false },
    { as: "base64", body: Buffer.alloc(maximumBodyBytes + 1).toString("base64"), base64: true },
  ])("is refused when its $as is too large, before it is handled", async ({ body, base64 }) => {
    const run: RequestFunction = () => Promise.reject(new Error("it was run"));

    expect(await ask(run, { body, base64 })).toMatchObject({ statusCode: 413 });
  });

  it("may be as large as the limit", async () => {
    const body = Buffer.alloc(maximumBodyBytes).toString("base64");

    expect(await ask(telling, { body, base64: true })).toMatchObject({ statusCode: 200 });
  });

  it("has the caller that IAM proved", async () => {
    expect(told(await ask(telling, { caller: kim }))).toMatchObject({ caller: kim });
  });

  const claims = { [callerHeader]: "arn:aws:iam::111122223333:root", "X-Lookout-Caller": "somebody" };

  it("does not have a caller that the request only claims", async () => {
    expect(told(await ask(telling, { headers: claims }))).toMatchObject({ caller: kim });
  });

  it.each([
    { caller: undefined, who: "nobody asked IAM about" },
    { caller: "", who: "IAM has no name for" },
  ])("is refused by a function for people when its caller is one whom $who, with any claim", async ({ caller }) => {
    const answer = await ask(telling, { caller, headers: claims });

    expect({ status: answer.statusCode, body: told(answer) }).toEqual({
      status: 403,
      body: problemOf(
        "no-caller",
        "IAM did not authenticate the caller: the route to this function has no IAM authorizer",
      ),
    });
  });

  it("has one line in the log", async () => {
    await ask(telling, { path: "/v1/workloads", query: "token=s3cret", method: "GET" });

    expect(stage.lines()).toEqual([
      {
        ...{ level: "INFO", message: "done", service: "lookout", function: "api/v1" },
        ...{ id: "GET /v1/workloads", outcome: { kind: "answered", status: 200 } },
      },
    ]);
  });

  it.each([
    [new PermanentError("no such thing"), 400, problemOf("needs-a-person", "no such thing")],
    [new NewerRecordError("it is newer"), 503, problemOf("newer-record", "it is newer")],
    [
      new Error("at 10.0.0.7"),
      503,
      problemOf("try-again", "the request failed; try again. Lookout's log has the error"),
    ],
  ])("is answered with a problem when the function throws %s, and the log says why", async (error, status, problem) => {
    const answer = await ask(() => Promise.reject(error), {});

    expect({ status: answer.statusCode, type: answer.headers?.["content-type"], body: told(answer) }).toEqual({
      status,
      type: "application/problem+json",
      body: problem,
    });
    expect(stage.lines().map(({ level }) => level)).toEqual(["ERROR"]);
  });
});

describe("a notification of a registry", () => {
  const body = JSON.stringify({ name: "r.test/shop/api", tag: "1.0.0" });
  const notified = onNotification(async (pushes) => ({ accepted: pushes.length, ignored: 0 }) as never);
  const notify = (signature: string): Promise<APIGatewayProxyStructuredResultV2> => {
    const generic = { name: "ci", kind: "generic", registry: undefined, secret: "receiver-s3cret-of-ci" } as const;
    const settings = stage.settings("detect/registry-webhook", [
      () => () => ({ receivers: pushReceivers([generic], stoppedClock) }),
    ]);
    const event = eventOf({
      ...{ path: "/webhooks/ci", headers: { "x-signature": signature } },
      ...{ body: Buffer.from(body).toString("base64"), base64: true },
    });
    return requestShell(notified, settings)(event, contextOf());
  };

  it("is accepted when it is signed, over the bytes as they were sent", async () => {
    const signature = `sha256=${createHmac("sha256", "receiver-s3cret-of-ci").update(body).digest("hex")}`;

    expect(await notify(signature)).toMatchObject({ statusCode: 202 });
    expect(stage.lines()).toEqual([
      expect.objectContaining({ id: "webhook ci", outcome: { kind: "pushes", pushes: ["r.test/shop/api:1.0.0"] } }),
    ]);
  });

  it("is refused without its signature", async () => {
    expect(await notify("sha256=00")).toMatchObject({ statusCode: 401 });
  });
});
