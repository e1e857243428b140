import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Log, RequestFunction } from "../handler.ts";
import { callerHeader, failedAnswer, maximumBodyBytes, refuse } from "../request.ts";
import { beforeTheEnd, lambdaHandler, type LambdaHandler } from "./shell.ts";
import type { FunctionSettings } from "./wiring/wiring.ts";

/** A request of an HTTP API. */
export type HttpEvent = APIGatewayProxyEventV2 & {
  readonly requestContext: { readonly authorizer?: { readonly iam?: { readonly userArn?: string | null } | null } };
};

/**
 * Runs a function for HTTP requests. Whom IAM has proved the caller to be stands in a header of the request, which nobody else can set.
 *
 * A function for people and their tools (`api/`) is not run for a caller whom IAM has not proved. A request is logged once: by the function, or else here.
 */
export function requestShell(
  run: RequestFunction,
  settings: FunctionSettings,
): LambdaHandler<HttpEvent, APIGatewayProxyStructuredResultV2> {
  // Receivers know their senders by a signature; everyone else is let in by IAM alone, whatever way leads here.
  const isForPeople = settings.name.startsWith("api/");
  return lambdaHandler(settings, async (event, invocation) => {
    const { method, path } = event.requestContext.http;
    const id = `${method} ${path}`;
    const log = counting(invocation.log);
    const response = await answerTo(event, async (request) =>
      isForPeople && !request.headers.has(callerHeader)
        ? refuse(403, "no-caller", "IAM did not prove who asks: the way to this function has no IAM authorizer")
        : beforeTheEnd(run(request, { ...invocation, log }), invocation.signal),
    ).catch((error: unknown) => {
      log.failure({ id, error });
      return failedAnswer(error);
    });
    if (log.entries() === 0) log.outcome({ id, outcome: { kind: "answered", status: response.status } });
    return resultOf(response);
  });
}

function counting(log: Log): Log & { entries(): number } {
  let entries = 0;
  return {
    outcome(entry) {
      entries += 1;
      log.outcome(entry);
    },
    failure(entry) {
      entries += 1;
      log.failure(entry);
    },
    entries: () => entries,
  };
}

/** What is too large is not even decoded. */
async function answerTo(event: HttpEvent, run: (request: Request) => Promise<Response>): Promise<Response> {
  const { body = "", isBase64Encoded } = event;
  const bytes = isBase64Encoded ? Math.floor((body.length * 3) / 4) - padding(body) : Buffer.byteLength(body);
  if (bytes > maximumBodyBytes) return refuse(413, "too-large", `a request may hold ${maximumBodyBytes} bytes`);
  return run(requestOf(event));
}

function padding(base64: string): number {
  return base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
}

function requestOf({ rawPath, rawQueryString, headers, body, isBase64Encoded, requestContext }: HttpEvent): Request {
  const query = rawQueryString === "" ? "" : `?${rawQueryString}`;
  const { method } = requestContext.http;
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const request = new Request(`https://${requestContext.domainName}${rawPath}${query}`, {
    method,
    headers: given,
    ...(body === undefined || method === "GET" || method === "HEAD"
      ? {}
      : { body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8") }),
  });
  request.headers.delete(callerHeader);
  const caller = requestContext.authorizer?.iam?.userArn ?? "";
  if (caller !== "") request.headers.set(callerHeader, caller);
  return request;
}

async function resultOf(response: Response): Promise<APIGatewayProxyStructuredResultV2> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isText = /^(text\/|application\/json\b)/.test(response.headers.get("content-type") ?? "");
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: bytes.toString(isText ? "utf8" : "base64"),
    isBase64Encoded: !isText,
  };
}
