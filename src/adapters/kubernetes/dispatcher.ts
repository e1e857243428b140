import type { Dispatcher } from "undici";

/**
 * The time limit of a connection and its handshake, and the TCP keep-alive. Load balancers usually
 * drop idle connections after 60 s.
 */
export const connectOptions = { timeout: 5_000, keepAliveInitialDelay: 30_000 } as const;

/** The time that idle connections stay open. A new TLS handshake costs more than a request. */
const keepAliveMs = 45_000;

/**
 * The options of a cluster's connections. HTTP/1.1 needs one connection per concurrent request: ten
 * writes, some watches and some reads.
 */
export const agentOptions = {
  connections: 64,
  allowH2: false,
  keepAliveTimeout: keepAliveMs,
  keepAliveMaxTimeout: keepAliveMs,
} as const;

/** The dispatcher of all requests to a cluster. */
export interface SharedDispatcher {
  /** Returns the dispatcher of a key. A new key replaces the last dispatcher. */
  of(key: string, make: () => Dispatcher): Dispatcher;
  close(): Promise<void>;
}

/**
 * Returns a holder of one dispatcher. Without a shared dispatcher, the client library opens a
 * connection for each request.
 *
 * @param retire - the end of a replaced dispatcher: `close` waits for its requests, `destroy`
 *   aborts them.
 */
export function sharedDispatcher(retire: "close" | "destroy"): SharedDispatcher {
  let current: { readonly key: string; readonly dispatcher: Dispatcher } | undefined;
  return {
    of(key, make) {
      if (current?.key === key) return current.dispatcher;
      void current?.dispatcher[retire]().catch(() => undefined);
      current = { key, dispatcher: make() };
      return current.dispatcher;
    },
    async close() {
      const last = current;
      current = undefined;
      await last?.dispatcher.destroy();
    },
  };
}
