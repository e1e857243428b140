import { isHost } from "#domain/image/grammar";
import { PermanentError } from "#ports/errors";
import { hostMayBePublic } from "./public-address.ts";

/** What the owner says of one registry host. */
export interface HostSettings {
  /** HTTP instead of HTTPS. Only loopback hosts do without being told. */
  readonly plainHttp?: boolean | undefined;
  /** Where the registry is asked instead, `host` or `host:port`. Its credential goes there. */
  readonly endpoint?: string | undefined;
  /** Hosts, `host` or `host:port`, of the token service that may see the registry's credential, besides the registry itself. */
  readonly tokenHosts?: readonly string[] | undefined;
}

/** Where a registry is, and which hosts its credential is bound to. */
export interface RegistrySite {
  /** The registry's name in image references, in lower case. */
  readonly host: string;
  /** The one origin that is sent an `Authorization` header for it. */
  readonly origin: string;
  readonly plainHttp: boolean;
  readonly tokenHosts: ReadonlySet<string>;
}

/** `trusted`: named by the owner, on any address. `public`: named by a server, so on public addresses only. */
export type Reach = "trusted" | "public" | "never";

const dockerHubNames = new Set(["docker.io", "index.docker.io", "registry-1.docker.io"]);
const knownEndpoints = new Map([["docker.io", "registry-1.docker.io"]]);
const knownTokenHosts = new Map([
  ["docker.io", ["auth.docker.io"]],
  ["registry.gitlab.com", ["gitlab.com"]],
]);

const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Answers the one name of a registry: lower case, and `docker.io` for each of Docker Hub's. */
export function registryHost(name: string): string {
  const host = name.toLowerCase();
  return dockerHubNames.has(host) ? "docker.io" : host;
}

/**
 * Answers where a registry is asked and where its credential may go.
 *
 * A credential is bound to the registry's own host and port, and to the token hosts that the owner names or that are
 * known ({@link knownTokenHosts}). A common parent domain binds nothing: on many of them (`azurecr.io`, `github.io`)
 * each name belongs to somebody else.
 *
 * @throws PermanentError when the name is no host, or the settings name none.
 */
export function siteOf(registry: string, hosts: Readonly<Record<string, HostSettings>>): RegistrySite {
  const host = registryHost(registry);
  const settings = Object.entries(hosts).find(([name]) => registryHost(name) === host)?.[1] ?? {};
  const endpoint = checkedHost((settings.endpoint ?? knownEndpoints.get(host) ?? host).toLowerCase(), host);
  const plainHttp = settings.plainHttp ?? loopback.test(endpoint.replace(/:\d+$/, ""));
  const scheme = plainHttp ? "http" : "https";
  const tokenHosts = [...(knownTokenHosts.get(host) ?? []), ...(settings.tokenHosts ?? [])];
  return {
    host,
    origin: new URL(`${scheme}://${endpoint}`).origin,
    plainHttp,
    tokenHosts: new Set(tokenHosts.map((name) => checkedHost(name.toLowerCase(), host))),
  };
}

/**
 * Answers whether a token service may see the registry's credential.
 *
 * Over HTTPS, or over HTTP where the registry itself is; and only on the registry's own host and port, or one bound to it.
 */
export function mayHoldCredential(site: RegistrySite, url: URL): boolean {
  if (!schemeAllowed(site, url)) return false;
  return url.origin === site.origin || site.tokenHosts.has(url.host);
}

/**
 * Answers whether a URL that a server named (a redirect, a token service) may be asked at all, without a credential.
 *
 * An HTTP registry may send to its own machine's other ports; everything else is HTTPS on public addresses.
 */
export function reachOf(site: RegistrySite, url: URL): Reach {
  if (url.username !== "" || url.password !== "" || !schemeAllowed(site, url)) return "never";
  if (mayHoldCredential(site, url)) return "trusted";
  if (url.protocol === "http:") return url.hostname === new URL(site.origin).hostname ? "trusted" : "never";
  return hostMayBePublic(url) ? "public" : "never";
}

function schemeAllowed(site: RegistrySite, url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && site.plainHttp);
}

function checkedHost(host: string, registry: string): string {
  if (isHost(host) && URL.canParse(`https://${host}`)) return host;
  throw new PermanentError(`"${host}" (registry ${registry}) is not a host; expected "host" or "host:port"`);
}
