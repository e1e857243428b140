import type { ResponseContext } from "@kubernetes/client-node/dist/gen/http/http.js";
import { parseJson } from "#domain/shared/json";
import { type Answer, failedAnswer, isNotAccepted } from "./connection-answer.ts";
import type { Credentials, CredentialSource, NoCredentials } from "./credentials.ts";
import { expired } from "./expiry.ts";
import { answerBytes, type ApiCall, callApi, tooLong } from "./http-api.ts";

/** The lines of a watch, or the answer of a watch that did not start. */
export type LineStream = { readonly kind: "lines"; readonly lines: AsyncIterable<string> } | Answer;

/** The limits of a call besides its signal. */
export interface CallLimits {
  /** Called right before a request is sent. If true, the request is not sent. */
  readonly late?: () => boolean;
  /** The time limit in milliseconds. The default is the limit of a patch. */
  readonly timeoutMs?: number;
  /** The maximum size of the answer without compression. The default is {@link answerBytes}. */
  readonly maximumBytes?: number;
}

/** A connection to one API server. */
export interface Connection {
  /** The name of the server in messages. */
  readonly host: string;
  /**
   * Sends one call, and repeats it with new credentials after a 401, because a 401 changes nothing.
   * Network errors are results, not exceptions.
   */
  send(call: ApiCall, signal: AbortSignal, limits?: CallLimits): Promise<Answer>;
  /**
   * Starts a watch that the server ends after `seconds`. The lines throw when the connection is
   * lost.
   */
  lines(call: ApiCall, seconds: number, signal: AbortSignal): Promise<LineStream>;
  close(): Promise<void>;
}

/** The time limit of patches and reads. */
const ANSWER_MS = 10_000;

/** Returns the connection to an API server. The first request connects. */
export function connection(source: CredentialSource): Connection {
  const { host } = source;
  return {
    host,
    send: async (call, signal, { late, timeoutMs = ANSWER_MS, maximumBytes } = {}) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const stopped = (): boolean => limit.aborted || late?.() === true;
      return exchange(source, stopped, async (credentials) =>
        answered(await callApi(call, credentials, limit, maximumBytes)),
      );
    },
    lines: async (call, seconds, signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1_000 + ANSWER_MS)]);
      return exchange<LineStream>(
        source,
        () => limit.aborted,
        async (credentials) => {
          const response = await callApi(call, credentials, limit);
          const body = response.httpStatusCode === 200 ? response.body.stream() : null;
          return body === null ? answered(response) : { kind: "lines", lines: splitLines(body) };
        },
      );
    },
    close: () => source.close(),
  };
}

/**
 * Runs an exchange with the stored credentials, and repeats it with new credentials after a 401.
 */
async function exchange<Result extends { readonly kind: string }>(
  source: CredentialSource,
  stopped: () => boolean,
  once: (credentials: Credentials) => Promise<Result>,
): Promise<Result | Answer> {
  const { host } = source;
  const attempt = async (refresh: boolean): Promise<Result | Answer> => {
    const credentials = await source.credentials(refresh);
    if (credentials.kind === "none") return without(credentials, source);
    if (stopped())
      return { kind: "not-sent", why: "unreachable", detail: `the request to ${host} was stopped before it was sent` };
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

function without({ text, isTransient }: NoCredentials, { host, remedy }: CredentialSource): Answer {
  return isTransient === true
    ? { kind: "not-sent", why: "unreachable", detail: `no credentials for ${host} at the moment: ${text}` }
    : denied(`no credentials for ${host}: ${text}; ${remedy}`);
}

function denied(detail: string): Answer {
  return { kind: "not-sent", why: "denied", detail };
}

async function answered({ httpStatusCode, body }: ResponseContext): Promise<Extract<Answer, { kind: "answered" }>> {
  // A body without JSON comes from a proxy, and the status is enough.
  return { kind: "answered", status: httpStatusCode, body: parseJson(await body.text()) };
}

async function* splitLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  // The pieces are joined once per line, because joining each piece takes quadratic time.
  let begun: string[] = [];
  let length = 0;
  for await (const chunk of body) {
    const [first = "", ...others] = decoder.decode(chunk, { stream: true }).split("\n");
    begun.push(first);
    length += first.length;
    if (length > answerBytes) throw tooLong();
    const last = others.pop();
    if (last === undefined) continue;
    yield* [begun.join(""), ...others].filter((line) => line !== "");
    begun = [last];
    length = last.length;
  }
  const rest = begun.join("");
  if (rest !== "") yield rest;
}
