import type { RequestOptions } from "node:https";
import { isDeepStrictEqual } from "node:util";
import { KubeConfig } from "@kubernetes/client-node";
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from "undici";
import { credentialPlugin, type PluginAnswer, type PluginCredential } from "./credential-plugin.ts";
import type { Proof } from "./expiry.ts";

/** What a request needs to be let in. */
export interface Credentials {
  readonly kind: "credentials";
  readonly dispatcher: Dispatcher;
  readonly headers: Readonly<Record<string, string>>;
  /** For the words when the server refuses it. */
  readonly proof: Proof;
}

/** There is no credential to ask with; `text` says to people why, and what to do. */
export interface NoCredentials {
  readonly kind: "none";
  readonly text: string;
}

/** Turns a kubeconfig's current context into headers and one shared dispatcher. */
export interface CredentialSource {
  /** @param refresh - true: read the kubeconfig and ask the credential plugin again, because the server refused what was given before. */
  credentials(refresh: boolean): Promise<Credentials | NoCredentials>;
  /** What to do about a credential that is refused or can't be had, as the end of a sentence. */
  readonly remedy: string;
  close(): Promise<void>;
}

/** Idle connections are kept this long: a new TLS handshake costs more than the request. Below the 60 s of common load balancers. */
const KEEP_ALIVE_MS = 45_000;
/** How long certificates and plugins' answers are taken from memory. A token that expires meanwhile is a 401, which reads them anew. */
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

/** The kubeconfig as it is now; undefined where it can't be read, or is about another server. A login that was renewed is written there. */
type Reread = () => KubeConfig | undefined;

/**
 * Reads credentials of a kubeconfig: tokens, client certificates, basic auth, credential plugins and impersonation.
 *
 * The dispatcher is made anew only when certificates change; the client library's own would open a connection for each request.
 *
 * @param file - the kubeconfig's path, where kubectl has to be told of it.
 */
export function credentialSource(given: KubeConfig, reread: Reread, file?: string): CredentialSource {
  let user = userOf(given);
  let current: { readonly key: string; readonly dispatcher: Dispatcher } | undefined;
  let fresh: { readonly until: number; readonly credentials: Credentials } | undefined;
  const sharedDispatcher = (options: RequestOptions): Dispatcher => {
    const identity = [options.ca, options.cert, options.key].map((part) => identityText(part)).join("\n");
    if (current?.key === identity) return current.dispatcher;
    const retired = current?.dispatcher;
    current = { key: identity, dispatcher: dispatcherFor(user.kubeConfig, options) };
    // Closing waits for requests that are under way.
    void retired?.close().catch(() => undefined);
    return current.dispatcher;
  };
  return {
    remedy: `log in again, or see what ${kubectl(given.getCurrentContext(), file)} get --raw /version says`,
    async credentials(refresh) {
      if (!refresh && fresh !== undefined && performance.now() < fresh.until) return fresh.credentials;
      if (refresh) user = renewed(user, reread());
      const answer = await user.plugin?.(refresh);
      if (answer?.kind === "trouble") {
        fresh = undefined;
        return { kind: "none", text: answer.text };
      }
      const options = await optionsOf(user.kubeConfig, answer);
      const token = answer?.token === undefined ? {} : { authorization: `Bearer ${answer.token}` };
      const headers = { ...requestHeaders(options), ...token };
      const proof = proofOf(options, headers, answer?.expiresAt);
      const credentials = { kind: "credentials", dispatcher: sharedDispatcher(options), headers, proof } as const;
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

function kubectl(context: string, file: string | undefined): string {
  const named = file === undefined ? "" : ` --kubeconfig ${JSON.stringify(file)}`;
  return `kubectl${named} --context ${JSON.stringify(context)}`;
}

/** A kubeconfig as it was read, and as the client library is given it: without the plugin, which the library would wait for without end. */
interface User {
  readonly read: KubeConfig;
  readonly kubeConfig: KubeConfig;
  readonly plugin: ((afresh: boolean) => Promise<PluginAnswer>) | undefined;
}

function userOf(read: KubeConfig): User {
  const exec: unknown = read.getCurrentUser()?.exec;
  if (exec === undefined || exec === null) return { read, kubeConfig: read, plugin: undefined };
  const kubeConfig = new KubeConfig();
  const { clusters, contexts, currentContext } = read;
  const users = read.users.map((user) => ({ ...user, exec: undefined }));
  kubeConfig.loadFromOptions({ clusters, users, contexts, currentContext });
  return { read, kubeConfig, plugin: credentialPlugin(exec) };
}

/** A user that stayed the same keeps what its plugin answered. */
function renewed(user: User, now: KubeConfig | undefined): User {
  if (now === undefined || isDeepStrictEqual(now.getCurrentUser(), user.read.getCurrentUser())) return user;
  return userOf(now);
}

async function optionsOf(kubeConfig: KubeConfig, given: PluginCredential | undefined): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await kubeConfig.applyToHTTPSOptions(options);
  return { ...options, ...given?.certificate };
}

function proofOf(
  options: RequestOptions,
  headers: Readonly<Record<string, string>>,
  expiresAt: Date | undefined,
): Proof {
  const { cert } = options;
  return {
    token: /^Bearer (.+)$/.exec(headers["authorization"] ?? "")?.[1],
    certificate: typeof cert === "string" || Buffer.isBuffer(cert) ? cert : undefined,
    expiresAt,
  };
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
