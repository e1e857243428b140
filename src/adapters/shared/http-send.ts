import { lookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector } from "undici";
import { isCutOff, untilAborted, untilReusable } from "./undici.ts";

/** One HTTP request. */
export interface HttpCall {
  readonly method: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborts the request and the reading of its answer. */
  readonly signal: AbortSignal;
  /** Whether to resend the request at once if its connection breaks before an answer begins. */
  readonly repeatable: boolean;
}

/** The answer of a server. Reading the body throws when the connection is lost. */
export interface HttpReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
}

/** Sends one request without following redirects. Rejects with the signal's reason, or an error with a `code`. */
export type SendHttp = (url: string, call: HttpCall) => Promise<HttpReply>;

/** Options of connections. */
export interface ConnectionOptions {
  /** The longest time for a connection and its handshake. */
  readonly connectMs: number;
  /** How long an idle connection stays open. */
  readonly keepMs: number;
  /** The number of connections to one server. */
  readonly connections?: number;
  /** The trusted certificate authorities in PEM; absent: the system's. */
  readonly ca?: string;
  /** Returns whether an address may be dialled. A name needs that for each of its addresses. */
  readonly mayDial?: (address: string) => boolean;
}

/** Opens a pool of connections. */
export function openHttp({ connectMs, keepMs, connections, ca, mayDial }: ConnectionOptions): {
  readonly send: SendHttp;
  /** Ends all connections and their requests. */
  close(): void;
} {
  const connect = buildConnector({
    timeout: connectMs,
    allowH2: false,
    ca,
    lookup: mayDial && guardedLookup(mayDial),
  });
  const agent = new Agent({
    connect: mayDial === undefined ? connect : guardedConnector(connect, mayDial),
    connections: connections ?? null,
    keepAliveTimeout: keepMs,
    keepAliveMaxTimeout: keepMs,
    // The caller's signal is the only limit, because a watch is silent for minutes.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const once = async (url: string, { method, headers, body, signal }: HttpCall): Promise<HttpReply> => {
    const { origin, pathname, search } = new URL(url);
    // By default, undici closes the connection after a HEAD request.
    const options = { origin, path: pathname + search, method, headers, body: body ?? null, signal, reset: false };
    const reply = await untilAborted(signal, agent.request(options));
    return { ...reply, body: readBody(reply.body) };
  };
  return {
    send: (url, call) =>
      once(url, call).catch((error: unknown) => {
        if (call.repeatable && isCutOff(error) && !call.signal.aborted) return once(url, call);
        throw error;
      }),
    close: () => void agent.destroy(),
  };
}

async function* readBody(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* body;
  await untilReusable();
}

/** Checks literal addresses, which Node does not pass to the lookup. */
function guardedConnector(
  connect: buildConnector.connector,
  mayDial: (address: string) => boolean,
): buildConnector.connector {
  return (options, callback) => {
    if (isIP(options.hostname) === 0 || mayDial(options.hostname)) connect(options, callback);
    else callback(refusedAddress(), null);
  };
}

type LookupAll = (
  name: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns a lookup that resolves only names whose addresses may all be dialled.
 *
 * Connections use this lookup, so a name can't change after the check.
 */
export function guardedLookup(mayDial: (address: string) => boolean, lookupAll: LookupAll = lookup): LookupFunction {
  return (hostname, options, callback) => {
    lookupAll(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, []);
        return;
      }
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => mayDial(address))) callback(refusedAddress(), []);
      else if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function refusedAddress(): Error {
  return Object.assign(new Error("not a public address"), { code: "ADDRESS_NOT_PUBLIC" });
}
