import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { HttpReply } from "../http-send.ts";
import { type Answer, failedAnswer, isNotAccepted } from "./connection-answer.ts";
import type { Credentials, CredentialSource, NoCredentials } from "./credentials.ts";
import { expired } from "./expiry.ts";
import { goJson } from "./go-json.ts";

/** One request to the API server. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: { readonly type: string; readonly value: unknown };
  /** True: ask for a compressed answer. Worth it for lists only; answers under 128 KiB never are. */
  readonly compressed?: boolean;
  /** Asked right before a request leaves; true: none does any more. */
  readonly late?: () => boolean;
}

/** A stream of the lines of a watch, or the answer that came instead. */
export type LineStream = { readonly kind: "lines"; readonly lines: AsyncIterable<string> } | Answer;

/** The way to one API server. */
export interface Connection {
  /** What the server is called in messages. */
  readonly host: string;
  /** Sends one request, and once more with fresh credentials after a 401: then nothing was done. Never throws for what the network does. */
  send(request: ApiRequest, signal: AbortSignal): Promise<Answer>;
  /** Opens a watch that the server ends after `seconds`. The lines throw when the connection is lost. */
  lines(
    path: string,
    query: Readonly<Record<string, string>>,
    seconds: number,
    signal: AbortSignal,
  ): Promise<LineStream>;
  close(): Promise<void>;
}

const unzip = promisify(gunzip);

/** A patch is aborted after this long; reads as well. */
const ANSWER_MS = 10_000;
/** Pages of 500 objects take longer over a slow line. */
const LIST_MS = 30_000;

/** Opens the way to an API server; the first request connects. */
export function connection(source: CredentialSource): Connection {
  const { host } = source;
  return {
    host,
    send: async (asked, signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(asked.compressed ? LIST_MS : ANSWER_MS)]);
      const stopped = (): boolean => limit.aborted || asked.late?.() === true;
      return exchange(source, stopped, async (credentials) => answered(await open(asked, credentials, limit)));
    },
    lines: async (path, query, seconds, signal) => {
      const watch = { ...query, watch: "1", allowWatchBookmarks: "true", timeoutSeconds: String(seconds) };
      const limit = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000 + ANSWER_MS)]);
      return exchange<LineStream>(
        source,
        () => limit.aborted,
        async (credentials) => {
          const response = await open({ method: "GET", path, query: watch }, credentials, limit);
          return response.statusCode === 200 ? { kind: "lines", lines: splitLines(response.body) } : answered(response);
        },
      );
    },
    close: () => source.close(),
  };
}

/** Servers behind a gateway have a path of their own, which stays. */
function urlOf(server: URL, path: string, query: Readonly<Record<string, string>> = {}): string {
  const parameters = new URLSearchParams(query).toString();
  return `${server.origin}${server.pathname.replace(/\/$/, "")}${path}${parameters && `?${parameters}`}`;
}

/** Runs one exchange with the stored credentials, and once more with fresh ones after a 401. */
async function exchange<Result extends { readonly kind: string }>(
  source: CredentialSource,
  stopped: () => boolean,
  once: (credentials: Credentials) => Promise<Result>,
): Promise<Result | Answer> {
  const { host } = source;
  const attempt = async (refresh: boolean): Promise<Result | Answer> => {
    const credentials = await source.credentials(refresh);
    if (credentials.kind === "none") return without(credentials, source);
    if (stopped()) return { kind: "not-sent", why: "unreachable", detail: `stopped before asking ${host}` };
    try {
      const answer = await once(credentials);
      if (!refresh || !isNotAccepted(answer)) return answer;
      const why = expired(credentials.proof, new Date());
      return denied(
        `${host} does not accept the credential (401)${why === undefined ? "" : `: ${why}`}; ${source.remedy}`,
      );
    } catch (error) {
      return failedAnswer(error, host, credentials.whenAway);
    }
  };
  const first = await attempt(false);
  return isNotAccepted(first) ? attempt(true) : first;
}

function without({ text, passing }: NoCredentials, { host, remedy }: CredentialSource): Answer {
  return passing === true
    ? { kind: "not-sent", why: "unreachable", detail: `no credentials for ${host} just now: ${text}` }
    : denied(`no credentials for ${host}: ${text}; ${remedy}`);
}

function denied(detail: string): Answer {
  return { kind: "not-sent", why: "denied", detail };
}

async function open(asked: ApiRequest, credentials: Credentials, signal: AbortSignal): Promise<HttpReply> {
  return credentials.send(urlOf(credentials.server, asked.path, asked.query), {
    method: asked.method,
    headers: {
      accept: "application/json",
      "user-agent": "lookout",
      ...(asked.compressed && { "accept-encoding": "gzip" }),
      ...(asked.body && { "content-type": asked.body.type }),
      ...credentials.headers,
    },
    ...(asked.body && { body: goJson(asked.body.value) }),
    repeatable: asked.method === "GET",
    signal,
  });
}

async function answered(response: HttpReply): Promise<Extract<Answer, { kind: "answered" }>> {
  const bytes = Buffer.concat(await Array.fromAsync(response.body));
  const text = (response.headers["content-encoding"] === "gzip" ? await unzip(bytes) : bytes).toString("utf8");
  return { kind: "answered", status: response.statusCode, body: parsed(text) };
}

/** A body that is no JSON comes from a proxy in between; the status says enough. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function* splitLines(body: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
  if (rest !== "") yield rest;
}
