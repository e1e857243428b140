import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { isObject } from "#domain/shared/json";
import { PermanentError, TransientError } from "#ports/errors";
import type { RegistryRefusal } from "#ports/registry";
import type { OverBudget } from "#ports/spending";
import { readUpTo, readWithin } from "../shared/bounded-body.ts";
import { addressNotPublicCode, type HttpReply, type SendHttp } from "../shared/http-send.ts";
import { parseObject } from "../shared/image-content.ts";
import { pauseMsOf, unknownResetMs } from "./rate-limit.ts";

type NotAllowed = Extract<RegistryRefusal, { kind: "not-allowed" }>;
type Unreachable = Extract<RegistryRefusal, { kind: "unreachable" }>;

/** One HTTP request. Redirects are not followed. */
export interface HttpRequest {
  readonly method: "GET" | "HEAD" | "POST";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly send: SendHttp;
  /** The largest size of a successful answer. */
  readonly limitBytes: number;
  /** Returns why the caller may not keep so many bytes of the answer. Absent if nobody counts them. */
  readonly grew?: ((bytes: number) => OverBudget | undefined) | undefined;
  readonly signal: AbortSignal;
}

/**
 * A server's answer. Statuses 408, 429 and 5xx are `unreachable` instead, and so is the error code
 * of a limit. Status 501 of a HEAD is an answer, because it refuses only the method.
 */
export interface HttpAnswer {
  readonly kind: "answer";
  readonly url: URL;
  readonly status: number;
  /** The headers by their names in lower case. Repeated headers are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  /**
   * The content of the answer. Empty unless the status is 2xx, so that Lookout never stores error
   * texts of servers.
   */
  readonly content: Buffer;
}

const discardBytes = 64 * 1024;
const longestRetryAfterMs = 24 * 60 * 60 * 1000;

/** @see https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const untrusted: ReadonlySet<string> = new Set([
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "CERT_REJECTED",
  "CERT_REVOKED",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/**
 * Sends one request and reads the whole answer within `timeoutMs`. The request is sent once more if
 * the connection breaks before the first byte of the answer.
 *
 * @throws TransientError when the caller aborts its signal.
 */
export async function exchange(
  request: HttpRequest,
  timeoutMs: number,
): Promise<HttpAnswer | Unreachable | NotAllowed> {
  if (isAborted(request)) throw cancelled(request);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([request.signal, timeout]);

  try {
    return await read(request, await send(request, signal));
  } catch (error) {
    if (isAborted(request)) throw cancelled(request);
    if (codeOf(error) === addressNotPublicCode)
      return { kind: "not-allowed", detail: `${request.url.host} has an address that is not public` };
    if (untrusted.has(codeOf(error)))
      return {
        ...outage(request.url, `has a certificate that can't be trusted (${codeOf(error)})`),
        reason: "registry-not-trusted",
      };
    return outage(
      request.url,
      timeout.aborted ? `did not answer within ${timeoutMs} ms` : `could not be reached (${codeOf(error)})`,
    );
  }
}

/** Reads an answer. Throws when the connection is lost. */
async function read(request: HttpRequest, response: HttpReply): Promise<HttpAnswer | Unreachable> {
  const { url, method } = request;
  const { statusCode: status, body } = response;
  const answer = { kind: "answer", url, status } as const;
  const headers = headersOf(response.headers);
  if (status < 200 || status > 299 || method === "HEAD") {
    const isLimit = isLimitError(status, await readUpTo(discardBytes, body));
    const refusal = isLimit ? limitOf(url, status, headers) : refusalOf(request, status, headers);
    return refusal ?? { ...answer, headers, content: Buffer.alloc(0) };
  }
  const content = await contentOf(response, headers, request);
  if (typeof content === "string") return unreachable(url, content);
  return "detail" in content ? overBudget(content) : { ...answer, headers, content };
}

/** Returns the refusal of a host that gave no usable answer. */
export function unreachable(url: URL, what: string): Unreachable {
  return { kind: "unreachable", detail: `${url.host} ${what}` };
}

/** Returns the refusal of a budget. The host may be fine. */
export function overBudget({ detail }: OverBudget): Unreachable {
  return { kind: "unreachable", reason: "over-budget", detail };
}

/** Returns the refusal of a host that failed as a whole. */
function outage(url: URL, what: string): Unreachable {
  return { ...unreachable(url, what), isOutage: true };
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

/**
 * Returns whether an answer names a limit, by its status or by the code in its body. Nothing else of
 * the body is used. The caller reads a short body to its end, so that its connection can be reused.
 *
 * @see https://github.com/opencontainers/distribution-spec/blob/main/spec.md#error-codes
 */
function isLimitError(status: number, body: Buffer | undefined): boolean {
  if (status === 429) return true;
  const errors = status < 400 || body === undefined ? undefined : parseObject(body)?.["errors"];
  return Array.isArray(errors) && errors.some((error: unknown) => isObject(error) && error["code"] === limitCode);
}

const limitCode = "TOOMANYREQUESTS";

const unzip = promisify(gunzip);

/** The growth of usual content by gzip. The growth of hostile content is up to 1,032. */
const usualGrowth = 20;

/** A body is not counted below this size, because most bodies are smaller. */
const uncountedBytes = 64 * 1024;

/**
 * Returns the bytes of a body, or a text or a budget that says why there are none. The function does
 * not read a body whose announced length is above the limit.
 *
 * Some proxies compress answers although Lookout does not ask for it.
 */
async function contentOf(
  { body }: HttpReply,
  headers: ReadonlyMap<string, string>,
  { limitBytes, grew }: Pick<HttpRequest, "limitBytes" | "grew">,
): Promise<Buffer | string | OverBudget> {
  const count: Count = (bytes) => (bytes <= uncountedBytes ? undefined : grew?.(bytes));
  const announcedBytes = Number(headers.get("content-length") ?? 0);
  const content = await readWithin(announcedBytes > limitBytes ? 0 : limitBytes, body, count);
  if (content === "too-large") return `sent more than ${limitBytes} bytes`;
  if ("detail" in content) return content;
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return content;
  if (encoding !== "gzip" && encoding !== "x-gzip") return "sent content in a Content-Encoding other than gzip";
  return unzipped(content, limitBytes, count);
}

type Count = (bytes: number) => OverBudget | undefined;

/** Returns the bytes of a zipped body, or a text or a budget that says why there are none. */
async function unzipped(content: Buffer, limitBytes: number, count: Count): Promise<Buffer | string | OverBudget> {
  // The size is known only afterwards, so the largest size is counted before. Few bodies grow more.
  for (const mostBytes of [Math.min(limitBytes, content.length * usualGrowth), limitBytes]) {
    const refusal = count(content.length + mostBytes);
    if (refusal !== undefined) return refusal;
    const read = await unzip(content, { maxOutputLength: mostBytes }).catch((error: unknown) => codeOf(error));
    if (typeof read !== "string") return read;
    if (read !== "ERR_BUFFER_TOO_LARGE") return "sent content that is not valid gzip";
  }
  return `sent more than ${limitBytes} bytes`;
}

/** Returns headers by their names in lower case. Repeated headers are joined by a comma. */
export function headersOf(headers: HttpReply["headers"]): ReadonlyMap<string, string> {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(", ") : value] as const],
  );
  return new Map(pairs);
}

function refusalOf(
  { url, method }: HttpRequest,
  status: number,
  headers: ReadonlyMap<string, string>,
): Unreachable | undefined {
  if ((status !== 408 && status < 500) || (status === 501 && method === "HEAD")) return undefined;
  const retryAfterMs = retryAfterOf(headers);
  const refusal = { ...outage(url, `answered ${status}`), status };
  return retryAfterMs === undefined ? refusal : { ...refusal, retryAfterMs };
}

/**
 * Returns the refusal of a registry that allows no more requests for now. Without a stated time, the
 * pause is a minute. A limit is not an outage: the registry answers.
 */
function limitOf(url: URL, status: number, headers: ReadonlyMap<string, string>): Unreachable {
  return {
    ...unreachable(url, `answered ${status}: too many requests`),
    reason: "registry-throttled",
    status,
    retryAfterMs: retryAfterOf(headers) ?? pauseMsOf(headers) ?? unknownResetMs,
  };
}

/** @see https://www.rfc-editor.org/rfc/rfc9110#field.retry-after */
function retryAfterOf(headers: ReadonlyMap<string, string>): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value) * 1000, longestRetryAfterMs);
  // Date.parse reads "-5" and "1.5" as dates. A date begins with the day of the week.
  const until = /^[a-z]/i.test(value) ? Date.parse(value) : NaN;
  // The date is in the time of the server's clock.
  const serverNow = Date.parse(headers.get("date") ?? "");
  const waitMs = until - (Number.isNaN(serverNow) ? Date.now() : serverNow);
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(waitMs, 0), longestRetryAfterMs);
}

/**
 * Returns the message of Lookout's own errors, and the code of other errors. Messages of other
 * errors may quote the request or the answer.
 */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  // Lookout itself throws these errors when it can't read a file or parameter of an entry.
  if (error instanceof PermanentError || error instanceof TransientError) return error.message;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause instanceof Error ? codeOf(error.cause) : error.name;
}

function isAborted({ signal }: HttpRequest): boolean {
  return signal.aborted;
}

function cancelled({ url, signal }: HttpRequest): TransientError {
  return new TransientError(`the caller cancelled the request to ${url.host}`, { cause: signal.reason });
}
