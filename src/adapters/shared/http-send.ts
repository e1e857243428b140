import { lookup, type LookupAddress, type LookupAllOptions } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector, type Dispatcher, ProxyAgent } from "undici";
import { isCutOff, untilAborted, untilReusable } from "./undici.ts";

/** One HTTP request. */
export interface HttpCall {
  readonly method: "GET" | "HEAD" | "POST" | "PATCH" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Aborts the request and the reading of its answer. */
  readonly signal: AbortSignal;
  /** True if the request is repeated immediately after its connection broke before an answer. */
  readonly repeatable: boolean;
}

/** The answer of a server. Reading the body throws when the connection is lost. */
export interface HttpReply {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Buffer>;
}

/**
 * Sends one request without following redirects. Rejects with the signal's reason, or an error with
 * a `code`.
 */
export type SendHttp = (url: string, call: HttpCall) => Promise<HttpReply>;

/** The options of connections. */
export interface ConnectionOptions {
  /** The longest time for a connection and its handshake. */
  readonly connectMs: number;
  /** The time for which an idle connection stays open. */
  readonly keepMs: number;
  /** The maximum number of connections to one server. */
  readonly connections?: number;
  /** The trusted certificate authorities in PEM. The default is the system's authorities. */
  readonly ca?: string | readonly string[];
  /** Returns whether Lookout may connect to an address. All addresses of a name must be allowed. */
  readonly mayDial?: (address: string) => boolean;
  /** Resolves names for `mayDial`. Default: the system's resolver. */
  readonly lookup?: LookupAll;
  /**
   * The URL of an HTTP proxy, which may have any address. Behind a proxy, `mayDial` checks only
   * literal addresses of servers.
   */
  readonly proxy?: string;
}

/** The error code for an address that `mayDial` rejects. */
export const addressNotPublicCode = "ADDRESS_NOT_PUBLIC";

/** Opens a pool of connections. */
export function openHttp(options: ConnectionOptions): {
  readonly send: SendHttp;
  /** Ends all connections and their requests. */
  close(): void;
} {
  const agent = agentOf(options);
  const once = async (url: string, { method, headers, body, signal }: HttpCall): Promise<HttpReply> => {
    const { origin, hostname, pathname, search } = new URL(url);
    if (options.proxy !== undefined && !mayAskProxyFor(hostname, options)) throw refusedAddress();
    // By default, undici closes the connection after a HEAD request.
    const request = { origin, path: pathname + search, method, headers, body: body ?? null, signal, reset: false };
    const reply = await untilAborted(signal, agent.request(request));
    return { ...reply, body: bodyUntilReusable(reply.body) };
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

function agentOf({ connectMs, keepMs, connections, mayDial, proxy, ...options }: ConnectionOptions): Dispatcher {
  const ca = options.ca === undefined ? undefined : [options.ca].flat();
  const pool = {
    connections: connections ?? null,
    keepAliveTimeout: keepMs,
    keepAliveMaxTimeout: keepMs,
    // The caller's signal is the only limit, because a watch is silent for minutes.
    headersTimeout: 0,
    bodyTimeout: 0,
  };
  const tls = { timeout: connectMs, allowH2: false, ca };
  if (proxy !== undefined)
    return new ProxyAgent({
      ...pool,
      uri: proxy,
      requestTls: tls,
      proxyTls: { timeout: connectMs },
      proxyTunnel: true,
    });
  const connect = buildConnector({ ...tls, lookup: mayDial && guardedLookup(mayDial, options.lookup) });
  return new Agent({ ...pool, connect: mayDial === undefined ? connect : guardedConnector(connect, mayDial) });
}

/**
 * Returns whether a request may go through the proxy. A proxy resolves names itself, so only
 * literal addresses and this machine's own name are checked.
 */
function mayAskProxyFor(hostname: string, { mayDial }: ConnectionOptions): boolean {
  const host = hostname.replace(/^\[|\]$/g, "");
  return isIP(host) === 0
    ? !/(?:^|\.)localhost\.?$/i.test(host) || (mayDial?.("127.0.0.1") ?? true)
    : (mayDial?.(host) ?? true);
}

async function* bodyUntilReusable(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* body;
  await untilReusable();
}

/**
 * Returns a connector that also checks literal addresses, which Node does not pass to the lookup.
 */
function guardedConnector(
  connect: buildConnector.connector,
  mayDial: (address: string) => boolean,
): buildConnector.connector {
  return (options, callback) => {
    if (isIP(options.hostname) === 0 || mayDial(options.hostname)) connect(options, callback);
    else callback(refusedAddress(), null);
  };
}

/** Resolves all addresses of a name, as `lookup` of `node:dns`. */
export type LookupAll = (
  name: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * Returns a lookup that resolves only names whose addresses are all allowed.
 *
 * Connections use this lookup, so a name can't resolve to another address after the check.
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
  return Object.assign(new Error("not a public address"), { code: addressNotPublicCode });
}
