import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { callerHeader, maximumBodyBytes, refuse } from "../request.ts";

/** A request of an HTTP API. */
export type HttpEvent = APIGatewayProxyEventV2 & {
  readonly requestContext: { readonly authorizer?: { readonly iam?: { readonly userArn?: string | null } | null } };
};

/** Runs a function for an event; what is too large is not even decoded. */
export async function answerTo(event: HttpEvent, run: (request: Request) => Promise<Response>): Promise<Response> {
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

/** Writes an answer as an HTTP API wants it: text as it is, anything else in base64. */
export async function resultOf(response: Response): Promise<APIGatewayProxyStructuredResultV2> {
  const bytes = Buffer.from(await response.arrayBuffer());
  const isText = /^(text\/|application\/json\b)/.test(response.headers.get("content-type") ?? "");
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: bytes.toString(isText ? "utf8" : "base64"),
    isBase64Encoded: !isText,
  };
}
