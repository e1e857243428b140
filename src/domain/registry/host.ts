import { isHost } from "../image/grammar.ts";
import { dockerHub } from "../image/reference.ts";
import { ecrHostOf, parseEcrHost } from "./ecr-host.ts";

/** The hosts of Docker Hub. Users and credentials may also name the host of Docker Hub's API. */
const dockerHubNames = new Set([dockerHub, "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"]);

/**
 * Returns the canonical host of a registry, so that every spelling of a host finds the same entry.
 *
 * The host is in lower case and without the port 443. Docker Hub is `docker.io` under each of its
 * names, and ECR has one name for each account and region.
 */
export function registryHost(name: string): string {
  const host = dialledHost(name.toLowerCase());
  if (dockerHubNames.has(host)) return dockerHub;
  const ecr = parseEcrHost(host);
  return ecr === undefined ? host : ecrHostOf(ecr);
}

/**
 * Returns a host in the form to which Lookout connects: with one spelling of an address, and
 * without the port 443.
 */
function dialledHost(host: string): string {
  const url = `https://${host}`;
  return isHost(host) && URL.canParse(url) ? new URL(url).host : host;
}

/** Returns the entries of a host. */
export function entriesOf<Entry extends { readonly host: string }>(
  entries: readonly Entry[],
  registry: string,
): readonly Entry[] {
  const name = registryHost(registry);
  return entries.filter(({ host }) => registryHost(host) === name);
}
