import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { callerHeader, maximumBodyBytes, problemResponse } from "../request.ts";

/** A request of an HTTP API. */
export type HttpEvent = APIGatewayProxyEventV2 & {
  readonly requestContext: { readonly authorizer?: { readonly iam?: { readonly userArn?: string | null } | null } };
};

/**
 * Returns a function's response to an event. A body that is too large is rejected before it is
 * decoded.
 */
export async function answerTo(event: HttpEvent, run: (request: Request) => Promise<Response>): Promise<Response> {
  const { body = "", isBase64Encoded } = event;
  if (Buffer.byteLength(body, isBase64Encoded ? "base64" : "utf8") > maximumBodyBytes)
    return problemResponse("request-too-large", `a request may hold ${maximumBodyBytes} bytes`);
  const request = requestOf(event);
  return request === undefined
    ? problemResponse("bad-request", "HTTP does not allow the method, the path or a header of this request")
    : run(request);
}

function requestOf(event: HttpEvent): Request | undefined {
  try {
    return withProvedCaller(sentRequest(event), event);
  } catch (error) {
    // The error must not reach the log, because its message quotes the header, which may be a
    // credential.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Matches a path that `URL` would turn into another one. IAM judged the path as it was sent, so a right
 * on one namespace must not reach another.
 */
const movingPath = /\\|(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i;

function sentRequest({ rawPath, rawQueryString, headers, body, isBase64Encoded, requestContext }: HttpEvent): Request {
  if (movingPath.test(rawPath)) throw new TypeError("the path has dot segments");
  const query = rawQueryString === "" ? "" : `?${rawQueryString}`;
  const { method } = requestContext.http;
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return new Request(`https://${requestContext.domainName}${rawPath}${query}`, {
    method,
    headers: given,
    ...(body === undefined || method === "GET" || method === "HEAD"
      ? {}
      : { body: Buffer.from(body, isBase64Encoded ? "base64" : "utf8") }),
  });
}

function withProvedCaller(request: Request, { requestContext }: HttpEvent): Request {
  request.headers.delete(callerHeader);
  const caller = requestContext.authorizer?.iam?.userArn ?? "";
  if (caller !== "") request.headers.set(callerHeader, caller);
  return request;
}

/** Returns a response in API Gateway's form. A body that is not text is in base64. */
export async function resultOf(response: Response): Promise<APIGatewayProxyStructuredResultV2> {
  const bytes = Buffer.from(await response.arrayBuffer());
  // API Gateway counts the bytes itself.
  const { "content-length": _, ...headers } = Object.fromEntries(response.headers);
  const isText = headers["content-encoding"] === undefined && textTypes.test(headers["content-type"] ?? "");
  return {
    statusCode: response.status,
    headers,
    body: bytes.toString(isText ? "utf8" : "base64"),
    isBase64Encoded: !isText,
  };
}

/** Matches the types of bodies that are text. */
const textTypes = /^(text\/|application\/(?:problem\+)?json\b)/;
