import { isHost } from "#domain/image/grammar";
import { PermanentError } from "#ports/errors";
import { hostMayBePublic } from "./public-address.ts";

/** The configuration of one registry host. */
export interface HostSettings {
  /** Whether to use HTTP instead of HTTPS; true by default for loopback hosts only. */
  readonly insecure?: boolean | undefined;
  /** The `host` or `host:port` to ask instead. It receives the registry's credential. */
  readonly endpoint?: string | undefined;
  /** More hosts, as `host` or `host:port`, that may receive the registry's credential. */
  readonly tokenHosts?: readonly string[] | undefined;
}

/** A registry's address, and the hosts that may receive its credential. */
export interface RegistrySite {
  /** The registry's name in image references, in lower case. */
  readonly host: string;
  /** The only origin that receives the registry's `Authorization` header. */
  readonly origin: string;
  readonly insecure: boolean;
  readonly tokenHosts: ReadonlySet<string>;
}

/** `trusted`: a configured host, on any address. `public`: a host that a server named, on public addresses only. */
export type Reach = "trusted" | "public" | "never";

const dockerHubNames = new Set(["docker.io", "index.docker.io", "registry-1.docker.io"]);
const knownEndpoints = new Map([["docker.io", "registry-1.docker.io"]]);
const knownTokenHosts = new Map([
  ["docker.io", ["auth.docker.io"]],
  ["registry.gitlab.com", ["gitlab.com"]],
]);

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Returns the canonical name of a registry: in lower case, and `docker.io` for all of Docker Hub's names. */
export function registryHost(name: string): string {
  const host = name.toLowerCase();
  return dockerHubNames.has(host) ? "docker.io" : host;
}

/**
 * Returns a registry's address, and the hosts that may receive its credential.
 *
 * These are the registry's own host and port, and its configured or known token hosts. A common
 * parent domain is not enough: the names under `azurecr.io` belong to different owners.
 *
 * @throws PermanentError for an invalid host in the name or the settings.
 */
export function siteOf(registry: string, hosts: Readonly<Record<string, HostSettings>>): RegistrySite {
  const host = registryHost(registry);
  const settings = Object.entries(hosts).find(([name]) => registryHost(name) === host)?.[1] ?? {};
  const endpoint = checkedHost((settings.endpoint ?? knownEndpoints.get(host) ?? host).toLowerCase(), host);
  const insecure = settings.insecure ?? loopback.test(endpoint.replace(/:\d+$/, ""));
  const scheme = insecure ? "http" : "https";
  const tokenHosts = [...(knownTokenHosts.get(host) ?? []), ...(settings.tokenHosts ?? [])];
  return {
    host,
    origin: new URL(`${scheme}://${endpoint}`).origin,
    insecure,
    tokenHosts: new Set(tokenHosts.map((name) => checkedHost(name.toLowerCase(), host))),
  };
}

/**
 * Returns whether a token service may receive the registry's credential: on the registry's origin or
 * on a token host, and over HTTP only if the registry uses HTTP.
 */
export function mayHoldCredential(site: RegistrySite, url: URL): boolean {
  if (!schemeAllowed(site, url)) return false;
  return url.origin === site.origin || site.tokenHosts.has(url.host);
}

/**
 * Returns whether a request may go to a URL that a server named, without a credential.
 *
 * An HTTP registry may name other ports of its own host. All other URLs must be HTTPS on public
 * addresses.
 */
export function reachOf(site: RegistrySite, url: URL): Reach {
  if (url.username !== "" || url.password !== "" || !schemeAllowed(site, url)) return "never";
  if (mayHoldCredential(site, url)) return "trusted";
  if (url.protocol === "http:") return url.hostname === new URL(site.origin).hostname ? "trusted" : "never";
  return hostMayBePublic(url) ? "public" : "never";
}

function schemeAllowed(site: RegistrySite, url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && site.insecure);
}

function checkedHost(host: string, registry: string): string {
  if (isHost(host) && URL.canParse(`https://${host}`)) return host;
  throw new PermanentError(`"${host}" (registry ${registry}) is not a host; expected "host" or "host:port"`);
}
