import type { RequestOptions } from "node:https";
import { isDeepStrictEqual } from "node:util";
import { KubeConfig } from "@kubernetes/client-node";
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from "undici";
import { PermanentError } from "#ports/errors";
import { credentialPlugin, type PluginAnswer, type PluginCredential } from "./credential-plugin.ts";
import type { Credentials, CredentialSource, NoCredentials } from "./credentials.ts";
import { agentOptions, connectOptions, sharedDispatcher } from "./dispatcher.ts";
import type { Proof } from "./expiry.ts";

/**
 * The time for which certificates and plugin answers are cached. A token that expires earlier gets
 * a 401, which clears the cache.
 */
const REREAD_MS = 10_000;

/**
 * Reads the kubeconfig again, because a renewed login changes this file. Returns undefined when the
 * file is unreadable.
 */
type Reread = () => KubeConfig | undefined;

/**
 * Returns the source of a kubeconfig's credentials: tokens, client certificates, basic auth,
 * credential plugins and impersonation. The dispatcher changes only with the certificates.
 *
 * @param file - the path of the kubeconfig, when kubectl needs it as a flag.
 * @throws PermanentError when the kubeconfig has no current cluster.
 */
export function kubeconfigCredentials(given: KubeConfig, reread: Reread, file?: string): CredentialSource {
  const server = serverOf(given);
  let user = userOf(given);
  const dispatchers = sharedDispatcher("close");
  let fresh: { readonly until: number; readonly credentials: Credentials } | undefined;
  const find = async (refresh: boolean): Promise<Credentials | NoCredentials> => {
    if (!refresh && fresh !== undefined && performance.now() < fresh.until) return fresh.credentials;
    if (refresh) user = renewed(user, sameServer(reread(), server));
    const answer = await user.plugin?.(refresh);
    if (answer?.kind === "problem") {
      fresh = undefined;
      return { kind: "none", text: answer.text };
    }
    const options = await optionsOf(user.kubeConfig, answer);
    const token = answer?.token === undefined ? {} : { authorization: `Bearer ${answer.token}` };
    const headers = { ...requestHeaders(options), ...token };
    const proof = proofOf(options, headers, answer?.expiresAt);
    const { kubeConfig } = user;
    const dispatcher = dispatchers.of(certificatesOf(options), () => dispatcherFor(kubeConfig, options));
    const credentials = { kind: "credentials", server, dispatcher, headers, proof } as const;
    fresh = { until: performance.now() + REREAD_MS, credentials };
    return credentials;
  };
  return {
    host: server.host,
    remedy: `log in again, or test the login: ${kubectl(given.getCurrentContext(), file)} get --raw /version`,
    credentials: (refresh) => find(refresh).catch((error: unknown) => unusable(error, server)),
    async close() {
      fresh = undefined;
      await dispatchers.close();
    },
  };
}

/**
 * Returns the reason why the credentials can't be used. The library's messages may quote secrets,
 * so only a path and a code are shown.
 */
function unusable(error: unknown, server: URL): NoCredentials {
  const { code, path } = error as { readonly code?: string; readonly path?: string };
  if (code !== undefined && path !== undefined)
    return { kind: "none", text: code === "ENOENT" ? `${path} does not exist` : `${path} can't be read (${code})` };
  if (server.protocol === "http:")
    return {
      kind: "none",
      text: "the server in the kubeconfig has an http:// URL, and Lookout sends credentials only to https://",
    };
  return { kind: "none", text: "the kubeconfig's user can't be used (check its certificates and keys)" };
}

function serverOf(kubeConfig: KubeConfig): URL {
  const cluster = kubeConfig.getCurrentCluster();
  if (cluster === null) throw new PermanentError("the kubeconfig has no cluster in its current context");
  return new URL(cluster.server);
}

/** Returns a kubeconfig if it names the same server. A credential may go only to its own server. */
function sameServer(now: KubeConfig | undefined, server: URL): KubeConfig | undefined {
  return now !== undefined && serverOf(now).href === server.href ? now : undefined;
}

function kubectl(context: string, file: string | undefined): string {
  const named = file === undefined ? "" : ` --kubeconfig ${JSON.stringify(file)}`;
  return `kubectl${named} --context ${JSON.stringify(context)}`;
}

/**
 * The kubeconfig, and a copy without the plugin for the client library, which has no time limit for
 * plugins.
 */
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

/**
 * Returns the user of a kubeconfig that was read again. An unchanged user keeps the cached answer
 * of its plugin.
 */
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
    ...connectOptions,
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

function certificatesOf({ ca, cert, key }: RequestOptions): string {
  return [ca, cert, key]
    .map((part) => (Buffer.isBuffer(part) ? part.toString("latin1") : JSON.stringify(part)))
    .join("\n");
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
