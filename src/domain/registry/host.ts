import { isHost } from "../image/grammar.ts";
import { dockerHub } from "../image/reference.ts";
import { ecrHostOf, parseEcrHost } from "./ecr-host.ts";

/** Docker Hub's API has a host of its own; users and credentials name it too. */
const dockerHubNames = new Set([dockerHub, "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"]);

/**
 * Returns a registry's one name, so that no other spelling escapes the entry of its host.
 *
 * It is in lower case and without the usual port. Docker Hub is `docker.io` under each of its names, and
 * ECR has one name for each account and region.
 */
export function registryHost(name: string): string {
  const host = dialledHost(name.toLowerCase());
  if (dockerHubNames.has(host)) return dockerHub;
  const ecr = parseEcrHost(host);
  return ecr === undefined ? host : ecrHostOf(ecr);
}

/** Returns a host as it is dialled: an address has several spellings, and the port 443 may be left out. */
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
