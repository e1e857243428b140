import type { RequestOptions } from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from "undici";

/** What a request needs to be let in. */
export interface Credentials {
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
}

/** Turns a kubeconfig's current context into headers and one shared dispatcher. */
export interface CredentialSource {
  /** @param refresh - true: ask the credential plugin again, because the server refused what it gave before. */
  credentials(refresh: boolean): Promise<Credentials>;
  close(): Promise<void>;
}

/** Idle connections are kept this long: a new TLS handshake costs more than the request. Below the 60 s of common load balancers. */
const KEEP_ALIVE_MS = 45_000;
/** How long certificates, token files and plugins' answers are taken from memory. A token that expires meanwhile is a 401, which reads them anew. */
const REREAD_MS = 10_000;
const CONNECT_MS = 5_000;
/** Requests of one cluster at once: ten writes, a few watches and reads. HTTP/1.1, so a connection each. */
const CONNECTIONS = 64;

const agentOptions = {
  connections: CONNECTIONS,
  allowH2: false,
  keepAliveTimeout: KEEP_ALIVE_MS,
  keepAliveMaxTimeout: KEEP_ALIVE_MS,
} as const;

/**
 * Reads credentials of a kubeconfig: tokens, token files, client certificates, basic auth, credential plugins and impersonation.
 *
 * The dispatcher is made anew only when certificates change; the client library's own would open a connection for each request.
 */
export function credentialSource(given: KubeConfig): CredentialSource {
  let kubeConfig = given;
  let current: { readonly key: string; readonly dispatcher: Dispatcher } | undefined;
  let fresh: { readonly until: number; readonly credentials: Credentials } | undefined;
  return {
    async credentials(refresh) {
      if (!refresh && fresh !== undefined && performance.now() < fresh.until) return fresh.credentials;
      // A copy has an empty cache of plugin answers. Only plugins have such a cache, and a copy loses added authenticators.
      if (refresh && kubeConfig.getCurrentUser()?.exec !== undefined) kubeConfig = copyOf(kubeConfig);
      const options: RequestOptions = {};
      await kubeConfig.applyToHTTPSOptions(options);
      const identity = [options.ca, options.cert, options.key].map((part) => identityText(part)).join("\n");
      if (current?.key !== identity) {
        const retired = current?.dispatcher;
        current = { key: identity, dispatcher: dispatcherFor(kubeConfig, options) };
        // Closing waits for requests that are under way.
        void retired?.close().catch(() => undefined);
      }
      const credentials = { dispatcher: current.dispatcher, headers: requestHeaders(options) };
      fresh = { until: performance.now() + REREAD_MS, credentials };
      return credentials;
    },
    async close() {
      fresh = undefined;
      await current?.dispatcher.destroy();
      current = undefined;
    },
  };
}

function copyOf(kubeConfig: KubeConfig): KubeConfig {
  const copy = new KubeConfig();
  const { clusters, users, contexts, currentContext } = kubeConfig;
  copy.loadFromOptions({ clusters, users, contexts, currentContext });
  return copy;
}

function dispatcherFor(kubeConfig: KubeConfig, options: RequestOptions): Dispatcher {
  const { ca, cert, key, rejectUnauthorized, servername } = options;
  const plan = kubeConfig.createDispatcherOptions(kubeConfig.getCurrentCluster(), {});
  const connect = {
    timeout: CONNECT_MS,
    keepAliveInitialDelay: 30_000,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key: key as string | Buffer }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
    ...(servername !== undefined && { servername }),
  };
  switch (plan.type) {
    case "none":
    case "agent":
      return new Agent({ ...agentOptions, connect });
    case "proxy":
      return new ProxyAgent({ ...agentOptions, uri: plan.uri, requestTls: connect });
    case "socks":
      return new Socks5ProxyAgent(plan.uri, { ...agentOptions, requestTls: connect });
  }
}

function identityText(part: unknown): string {
  if (Buffer.isBuffer(part)) return part.toString("latin1");
  return typeof part === "string" ? part : JSON.stringify(part ?? null);
}

function requestHeaders(options: RequestOptions): Readonly<Record<string, string>> {
  const given = options.headers ?? {};
  const headers: Record<string, string> = {};
  for (const [name, value] of Array.isArray(given) ? [] : Object.entries(given)) {
    if (value !== undefined) headers[name.toLowerCase()] = String(value);
  }
  if (typeof options.auth === "string") headers.authorization = `Basic ${Buffer.from(options.auth).toString("base64")}`;
  return headers;
}
