import http from "node:http";
import https from "node:https";
import type { LookupFunction } from "node:net";

/** One HTTP request. */
export interface HttpCall {
  readonly method: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Ends the request, and the reading of its answer. */
  readonly signal: AbortSignal;
  /** True: it is sent once more, at once, when its connection is cut before an answer begins. */
  readonly repeatable: boolean;
}

/** What a server answers. The body is to be read to its end, or broken off; it throws when the connection is lost. */
export interface HttpReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
}

/** Sends one request. Redirects are not followed. Rejects with the signal's reason when that aborts, else with an error that has a `code`. */
export type SendHttp = (url: string, call: HttpCall) => Promise<HttpReply>;

/** How connections are made. */
export interface ConnectionOptions {
  /** How long a connection may take, with its handshake. */
  readonly connectMs: number;
  /** How long an idle connection is kept. */
  readonly keepMs: number;
  /** How many at once to one server. */
  readonly connections?: number;
  /** The certificate authorities that are believed, in PEM; absent: those of the system. */
  readonly ca?: string;
  /** Resolves names. */
  readonly lookup?: LookupFunction;
}

/** The code of the error when no connection came about in time. */
export const connectTimeoutCode = "CONNECT_TIMEOUT";

/**
 * Opens a way to send requests with connections that are kept.
 *
 * Node's own client: undici is as large as all else that a function loads together.
 */
export function openHttp({ connectMs, keepMs, connections, ca, lookup }: ConnectionOptions): {
  readonly send: SendHttp;
  /** Ends all connections. */
  close(): void;
} {
  const options = {
    keepAlive: true,
    timeout: keepMs,
    ...(connections === undefined ? {} : { maxSockets: connections }),
    ...(lookup === undefined ? {} : { lookup }),
  };
  const agents = {
    "http:": new http.Agent(options),
    "https:": new https.Agent({ ...options, ...(ca === undefined ? {} : { ca }) }),
  };
  const once = (url: URL, call: HttpCall): Promise<HttpReply> => {
    const secure = url.protocol === "https:";
    return exchange((secure ? https : http).request(url, requestOptions(call, agents[secure ? "https:" : "http:"])), {
      ...{ call, connectMs, secure },
    });
  };
  return {
    send: async (url, call) => {
      const target = new URL(url);
      return once(target, call).catch((error: unknown) => {
        if (call.repeatable && isCutOff(error) && !call.signal.aborted) return once(target, call);
        throw error;
      });
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function requestOptions({ method, headers, body, signal }: HttpCall, agent: http.Agent): https.RequestOptions {
  const length = body === undefined ? {} : { "content-length": String(Buffer.byteLength(body)) };
  return { method, headers: { ...headers, ...length }, agent, signal };
}

interface Exchange {
  readonly call: HttpCall;
  readonly connectMs: number;
  readonly secure: boolean;
}

function exchange(request: http.ClientRequest, { call, connectMs, secure }: Exchange): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    request.once("socket", (socket) => {
      if (!socket.connecting) return;
      const late = setTimeout(() => {
        socket.destroy(Object.assign(new Error("no connection in time"), { code: connectTimeoutCode }));
      }, connectMs);
      for (const end of [secure ? "secureConnect" : "connect", "close"])
        socket.once(end, () => {
          clearTimeout(late);
        });
    });
    request.once("response", (response) => {
      const { statusCode = 0, headers } = response;
      resolve({ statusCode, headers, body: readBody(response, call.signal) });
    });
    request.on("error", (error) => {
      reject(call.signal.aborted ? reasonOf(call.signal) : error);
    });
    request.end(call.body);
  });
}

async function* readBody(response: http.IncomingMessage, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of response) yield chunk as Buffer;
  } catch (error) {
    throw signal.aborted ? reasonOf(signal) : error;
  }
}

/** A kept connection may have been closed by the other side just as it was used again. */
function isCutOff(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ECONNRESET" || error.code === "EPIPE");
}

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error("aborted", { cause: signal.reason });
}
