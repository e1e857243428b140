import type { Dispatcher } from "undici";

/** How long a connection may take, with its handshake; TCP probes come before the 60 s of common load balancers. */
export const connectOptions = { timeout: 5_000, keepAliveInitialDelay: 30_000 } as const;

/** Idle connections are kept this long: a new TLS handshake costs more than the request. */
const keepAliveMs = 45_000;

/** Requests of one cluster at once: ten writes, a few watches and reads. HTTP/1.1, so a connection each. */
export const agentOptions = {
  connections: 64,
  allowH2: false,
  keepAliveTimeout: keepAliveMs,
  keepAliveMaxTimeout: keepAliveMs,
} as const;

/** One dispatcher for all requests of a cluster. */
export interface SharedDispatcher {
  /** Answers the dispatcher of a key. A new key replaces the dispatcher. */
  of(key: string, make: () => Dispatcher): Dispatcher;
  close(): Promise<void>;
}

/**
 * Shares a dispatcher: the client library's own opens a connection for each request.
 *
 * @param retire - how a replaced dispatcher ends: `close` waits for its requests, `destroy` ends them.
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
