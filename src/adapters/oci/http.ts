import { TransientError } from "#ports/errors";
import type { RegistryRefusal } from "#ports/registry";
import type { HttpReply, SendHttp } from "../shared/http-send.ts";

type Unreachable = Extract<RegistryRefusal, { kind: "unreachable" }>;

/** One HTTP request; redirects are not followed. */
export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly send: SendHttp;
  /** More bytes than this in a successful answer are a refusal. */
  readonly limitBytes: number;
  readonly signal: AbortSignal;
}

/** What a server answered. A throttled or failing server (408, 429, 5xx) is `unreachable` instead. */
export interface HttpAnswer {
  readonly kind: "answer";
  readonly url: URL;
  readonly status: number;
  /** Names in lower case; repeated headers are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  /** Empty unless the status is 2xx: what a server says when it refuses is never kept. */
  readonly content: Buffer;
}

const discardBytes = 64 * 1024;
const longestRetryAfterMs = 24 * 60 * 60 * 1000;

/**
 * Sends one request and reads the answer to its end, all within `timeoutMs`.
 *
 * A connection that breaks before the answer's first byte is tried once more, at once.
 *
 * @throws TransientError when the caller's signal is aborted.
 */
export async function exchange(request: HttpRequest, timeoutMs: number): Promise<HttpAnswer | Unreachable> {
  if (isAborted(request)) throw aborted(request);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([request.signal, timeout]);

  try {
    const response = await send(request, signal);
    const answer = { kind: "answer", url: request.url, status: response.statusCode } as const;
    const headers = headersOf(response.headers);
    if (answer.status < 200 || answer.status > 299 || request.method === "HEAD") {
      await discard(response.body);
      return refusalOf(request.url, answer.status, headers) ?? { ...answer, headers, content: Buffer.alloc(0) };
    }
    const content = await readUpTo(response, headers, request.limitBytes);
    if (content !== undefined) return { ...answer, headers, content };
    return unreachable(request.url, `sent more than the ${request.limitBytes} bytes that are expected at most`);
  } catch (error) {
    if (isAborted(request)) throw aborted(request);
    return unreachable(
      request.url,
      timeout.aborted ? `did not answer within ${timeoutMs} ms` : `could not be reached (${codeOf(error)})`,
    );
  }
}

/** Says of a host that it could not be asked. */
export function unreachable(url: URL, what: string): Unreachable {
  return { kind: "unreachable", detail: `${url.host} ${what}` };
}

function send({ method, url, headers, body, send: sendHttp }: HttpRequest, signal: AbortSignal): Promise<HttpReply> {
  return sendHttp(url.href, {
    method,
    headers: { "user-agent": "lookout", ...headers },
    signal,
    repeatable: true,
    ...(body === undefined ? {} : { body }),
  });
}

/** A connection whose answer is read to its end can be used again; a longer one is broken off. */
async function discard(body: HttpReply["body"]): Promise<void> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > discardBytes) return;
  }
}

/** Answers undefined when there is more; what is broken off is not read on. */
async function readUpTo(
  { body }: HttpReply,
  headers: ReadonlyMap<string, string>,
  limitBytes: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  const announced = Number(headers.get("content-length") ?? 0);
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limitBytes || announced > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function headersOf(headers: HttpReply["headers"]): ReadonlyMap<string, string> {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value] as const],
  );
  return new Map(pairs);
}

function refusalOf(url: URL, status: number, headers: ReadonlyMap<string, string>): Unreachable | undefined {
  if (status !== 408 && status !== 429 && status < 500) return undefined;
  const refusal = unreachable(url, status === 429 ? "answered 429: too many requests" : `answered ${status}`);
  const retryAfterMs = retryAfterOf(headers);
  return retryAfterMs === undefined ? refusal : { ...refusal, retryAfterMs };
}

/** @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryAfterOf(headers: ReadonlyMap<string, string>): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, longestRetryAfterMs);
  const until = Date.parse(value);
  // The server's own clock, if it says it: a date is relative to that.
  const serverNow = Date.parse(headers.get("date") ?? "");
  const waitMs = until - (Number.isNaN(serverNow) ? Date.now() : serverNow);
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), longestRetryAfterMs);
}

/** A code, never the message: a message may quote what was sent or received. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
}

function isAborted(request: HttpRequest): boolean {
  return request.signal.aborted;
}

function aborted(request: HttpRequest): TransientError {
  return new TransientError(`the request to ${request.url.host} was given up by its caller`, {
    cause: request.signal.reason,
  });
}
