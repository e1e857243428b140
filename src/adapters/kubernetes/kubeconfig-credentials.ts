import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import type { RequestOptions } from "node:https";
import { isDeepStrictEqual } from "node:util";
import { KubeConfig } from "@kubernetes/client-node";
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from "undici";
import { PermanentError } from "#ports/errors";
import { credentialPlugin, type PluginAnswer, type PluginCredential } from "./credential-plugin.ts";
import type { Credentials, CredentialSource, NoCredentials } from "./credentials.ts";
import { agentOptions, connectOptions, sharedDispatcher } from "./dispatcher.ts";
import type { Proof } from "./expiry.ts";
import { isHeaderText, type ReadContext } from "./kubeconfig-fields.ts";

/**
 * The time for which certificates and plugin answers are cached. A token that expires earlier gets
 * a 401, which clears the cache.
 */
const REREAD_MS = 10_000;

/**
 * Reads the kubeconfig again, because a renewed login changes this file. Returns undefined when the
 * file is unreadable.
 */
type Reread = () => ReadContext | undefined;

/**
 * Returns the source of a kubeconfig's credentials: tokens, client certificates, basic auth,
 * credential plugins and impersonation. The dispatcher changes only with the certificates.
 *
 * @param file - the path of the kubeconfig, when kubectl needs it as a flag.
 * @param remedy - the remedy for a rejected credential. The default is a new login.
 * @throws PermanentError when the kubeconfig has no current cluster.
 */
export function kubeconfigCredentials(
  given: ReadContext,
  reread: Reread,
  file?: string,
  remedy?: string,
): CredentialSource {
  const server = serverOf(given.kubeConfig);
  let user = userOf(given);
  const dispatchers = sharedDispatcher("close");
  let fresh: { readonly until: number; readonly credentials: Credentials } | undefined;
  const find = async (refresh: boolean): Promise<Credentials | NoCredentials> => {
    if (!refresh && fresh !== undefined && performance.now() < fresh.until) return fresh.credentials;
    if (refresh) user = renewed(user, sameServer(reread(), server));
    const answer = await secretOf(user, refresh);
    if (answer?.kind === "none") {
      fresh = undefined;
      return answer;
    }
    const { kubeConfig, read } = user;
    const options = await optionsOf(kubeConfig, answer);
    const authorization = authorizationOf(options, answer);
    if (authorization === undefined && options.cert === undefined) return anonymous(read);
    const headers = { ...read.extras?.headers, ...(authorization !== undefined && { authorization }) };
    const proof = proofOf(options, authorization, answer?.expiresAt);
    const dispatcher = dispatchers.of(certificatesOf(options), () => dispatcherFor(kubeConfig, options));
    const credentials = { kind: "credentials", server, dispatcher, headers, proof } as const;
    fresh = { until: performance.now() + REREAD_MS, credentials };
    return credentials;
  };
  return {
    host: server.host,
    remedy:
      remedy ??
      `log in again, or test the login: ${kubectl(given.kubeConfig.getCurrentContext(), file)} get --raw /version`,
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
function sameServer(now: ReadContext | undefined, server: URL): ReadContext | undefined {
  return now !== undefined && serverOf(now.kubeConfig).href === server.href ? now : undefined;
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
  readonly read: ReadContext;
  readonly kubeConfig: KubeConfig;
  readonly token: ((afresh: boolean) => Promise<Token | NoCredentials>) | undefined;
  readonly plugin: ((afresh: boolean) => Promise<PluginAnswer>) | undefined;
}

function userOf(read: ReadContext): User {
  const user = read.kubeConfig.getCurrentUser();
  const exec: unknown = user?.exec;
  const { tokenFile } = read.extras ?? {};
  const kubeConfig = new KubeConfig();
  const { clusters, contexts, currentContext } = read.kubeConfig;
  const users = read.kubeConfig.users.map((one) => ({ ...one, exec: undefined }));
  kubeConfig.loadFromOptions({ clusters, users, contexts, currentContext });
  // As in kubectl, a user with a token or a password does not need its plugin.
  const needsPlugin = Boolean(exec) && !(user?.token || tokenFile || user?.username);
  return {
    read,
    kubeConfig,
    token: tokenFile === undefined ? undefined : tokenIn(tokenFile, user?.token),
    plugin: needsPlugin ? credentialPlugin(exec, undefined, () => pluginCluster(read)) : undefined,
  };
}

/** Returns the secret of the user's file or plugin, if the user has one. */
async function secretOf(
  user: User,
  afresh: boolean,
): Promise<Pick<PluginCredential, "kind" | "token" | "certificate" | "expiresAt"> | NoCredentials | undefined> {
  const given = await user.token?.(afresh);
  if (given?.kind === "none") return given;
  if (given !== undefined)
    return { kind: "credential", token: given.value, certificate: undefined, expiresAt: undefined };
  const answer = await user.plugin?.(afresh);
  return answer?.kind === "problem" ? { kind: "none", text: answer.text } : answer;
}

/** Returns the cluster as credential plugins with `provideClusterInfo` get it. */
function pluginCluster({ kubeConfig, extras }: ReadContext): Readonly<Record<string, unknown>> {
  const { server, caData, caFile, skipTLSVerify, tlsServerName, proxyUrl } = kubeConfig.getCurrentCluster() ?? {};
  const authority = caFile === undefined ? caData : readFileSync(caFile).toString("base64");
  return {
    server,
    ...(tlsServerName && { "tls-server-name": tlsServerName }),
    ...(skipTLSVerify && { "insecure-skip-tls-verify": true }),
    ...(authority && { "certificate-authority-data": authority }),
    ...(proxyUrl && { "proxy-url": proxyUrl }),
    ...extras?.pluginCluster,
  };
}

interface Token {
  readonly kind: "token";
  readonly value: string;
}

/**
 * Returns a reader of a file with a token. As in kubectl, the last token that was read counts while
 * the file is unreadable, and the user's other token before that.
 */
function tokenIn(file: string, otherwise: string | undefined): (afresh: boolean) => Promise<Token | NoCredentials> {
  let last = otherwise;
  return async (afresh) => {
    const read = await readToken(file);
    if (read.kind === "token") last = read.value;
    // The server rejected the last token.
    else if (last === undefined || afresh) return read;
    return { kind: "token", value: last };
  };
}

async function readToken(file: string): Promise<Token | NoCredentials> {
  try {
    const value = (await readFile(file, "utf8")).trim();
    if (value === "") return { kind: "none", text: `the tokenFile ${file} is empty` };
    if (!isHeaderText(value)) return { kind: "none", text: `the tokenFile ${file} contains more than a token` };
    return { kind: "token", value };
  } catch (error) {
    const { code } = error as { readonly code?: string };
    const fault = code === "ENOENT" ? "does not exist" : `can't be read (${code ?? "unknown error"})`;
    return { kind: "none", text: `the tokenFile ${file} ${fault}` };
  }
}

/** Rejects a user without a credential, because the request would be anonymous. */
function anonymous(read: ReadContext): NoCredentials {
  const user = read.kubeConfig.getCurrentUser();
  const name = user?.name ?? "";
  const provider = (user?.authProvider as { readonly name?: unknown } | null | undefined)?.name;
  const text =
    typeof provider === "string"
      ? `the auth-provider ${provider} of the kubeconfig's user ${name} has no valid id-token, and can't renew it`
      : `the kubeconfig's user ${name} has no credential, and Lookout sends no anonymous requests`;
  return { kind: "none", text };
}

/**
 * Returns the user of a kubeconfig that was read again. An unchanged user keeps the cached answer
 * of its plugin.
 */
function renewed(user: User, now: ReadContext | undefined): User {
  if (now === undefined) return user;
  const isSame = isDeepStrictEqual(
    [now.kubeConfig.getCurrentUser(), now.extras],
    [user.read.kubeConfig.getCurrentUser(), user.read.extras],
  );
  return isSame ? user : userOf(now);
}

async function optionsOf(
  kubeConfig: KubeConfig,
  given: Pick<PluginCredential, "certificate"> | undefined,
): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await kubeConfig.applyToHTTPSOptions(options);
  return { ...options, ...given?.certificate };
}

function proofOf(options: RequestOptions, authorization: string | undefined, expiresAt: Date | undefined): Proof {
  const { cert } = options;
  return {
    token: /^Bearer (.+)$/.exec(authorization ?? "")?.[1],
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

/**
 * Returns the header of a file's or plugin's token, else of the client library: a token, an auth
 * provider's token, or a password.
 */
function authorizationOf(
  { headers, auth }: RequestOptions,
  given: Pick<PluginCredential, "token"> | undefined,
): string | undefined {
  if (given?.token !== undefined) return `Bearer ${given.token}`;
  if (typeof auth === "string") return `Basic ${Buffer.from(auth).toString("base64")}`;
  const { Authorization } = (headers ?? {}) as { readonly Authorization?: unknown };
  return typeof Authorization === "string" ? Authorization : undefined;
}
