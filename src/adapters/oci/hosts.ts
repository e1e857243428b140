import { isHost } from "#domain/image/grammar";
import { dockerHub } from "#domain/image/reference";
import { registryHost } from "#domain/registry/host";
import { servingEntry } from "#domain/workload/registry-rules";
import { PermanentError } from "#ports/errors";
import type { RepositoryName } from "#ports/registry";
import { hostMayBePublic } from "../shared/public-address.ts";

/** The keys of an entry of `registries` that name the registry's addresses. */
export interface RegistrySettings {
  /** The registry's host, as in image references. */
  readonly host: string;
  /**
   * The repositories that the entry serves, by the beginning of their path. The default is all
   * repositories.
   */
  readonly repositories?: readonly string[];
  /** True if the registry uses HTTP instead of HTTPS. */
  readonly insecure?: boolean;
  /** True if `host`, `endpoint` and `tokenHosts` may have addresses that are not public. */
  readonly allowPrivateNetwork?: boolean;
  /** The `host` or `host:port` that receives the requests and the credential in place of `host`. */
  readonly endpoint?: string;
  /** More hosts, as `host` or `host:port`, that may receive the registry's credential. */
  readonly tokenHosts?: readonly string[];
  /** The URL of an HTTP proxy. */
  readonly proxy?: string;
  /** Reads certificate authorities in PEM, in addition to the system's authorities. */
  readonly ca?: () => Promise<string>;
}

/** A registry's address, and the hosts that may receive its credential. */
export interface RegistrySite {
  /** The registry's normalized name, from `registryHost`. */
  readonly host: string;
  /** The only origin that receives the registry's `Authorization` header. */
  readonly origin: string;
  readonly insecure: boolean;
  readonly tokenHosts: ReadonlySet<string>;
  /** The entry that serves the repository. Without an entry there is no credential. */
  readonly settings?: RegistrySettings;
}

/**
 * The kind of a URL that a server named. `own` is the registry or one of its token hosts. `public`
 * is another host with a public address. Lookout sends no request to a URL with `never`.
 */
export type Reach = "own" | "public" | "never";

const knownEndpoints = new Map([[dockerHub, "registry-1.docker.io"]]);
const knownTokenHosts = new Map([
  [dockerHub, ["auth.docker.io"]],
  ["registry.gitlab.com", ["gitlab.com"]],
]);

/**
 * Returns a registry's address, and the hosts that may receive its credential.
 *
 * The hosts are the registry's own host and port, and its configured or known token hosts. A common
 * parent domain is not enough: the names under `azurecr.io` belong to different owners.
 *
 * @throws PermanentError for an invalid host in the name or the settings.
 */
export function siteOf(name: RepositoryName, registries: readonly RegistrySettings[]): RegistrySite {
  const host = registryHost(name.registry);
  const settings = servingEntry(registries, name);
  const endpoint = checkedHost((settings?.endpoint ?? knownEndpoints.get(host) ?? name.registry).toLowerCase(), host);
  const insecure = settings?.insecure ?? false;
  const tokenHosts = [...(knownTokenHosts.get(host) ?? []), ...(settings?.tokenHosts ?? [])];
  return {
    host,
    origin: new URL(`${insecure ? "http" : "https"}://${endpoint}`).origin,
    insecure,
    tokenHosts: new Set(tokenHosts.map((name) => checkedHost(name.toLowerCase(), host))),
    ...(settings === undefined ? {} : { settings }),
  };
}

/**
 * Returns whether a token service may receive the registry's credential. The token service must be
 * the registry's origin or a token host. HTTP is allowed only if the registry uses HTTP.
 */
export function mayHoldCredential(site: RegistrySite, url: URL): boolean {
  if (!schemeAllowed(site, url)) return false;
  return url.origin === site.origin || site.tokenHosts.has(url.host);
}

/**
 * Returns whether a request without a credential may go to a URL that a server named. The registry,
 * its token hosts, and public addresses over HTTPS are allowed.
 *
 * A proxy resolves names in its own network, where Lookout can't check their addresses. So only the
 * registry and its token hosts are allowed through a proxy.
 */
export function reachOf(site: RegistrySite, url: URL): Reach {
  if (url.username !== "" || url.password !== "" || !schemeAllowed(site, url)) return "never";
  if (mayHoldCredential(site, url)) return "own";
  if (site.settings?.proxy !== undefined) return "never";
  return url.protocol === "https:" && hostMayBePublic(url) ? "public" : "never";
}

function schemeAllowed(site: RegistrySite, url: URL): boolean {
  return url.protocol === "https:" || (url.protocol === "http:" && site.insecure);
}

function checkedHost(host: string, registry: string): string {
  if (isHost(host) && URL.canParse(`https://${host}`)) return host;
  throw new PermanentError(`"${host}" (registry ${registry}) is not a host: expected "host" or "host:port"`);
}
